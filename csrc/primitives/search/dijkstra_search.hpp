// Dijkstra's algorithm for sssp, and for many_to_many with a source, a batch of sources or a part
// of the graph.
#pragma once

#include "core/types.hpp"
#include "primitives/relaxation/relax.hpp"

#include <span>

namespace warpgraph::shortest_paths {

/// Number of settled vertices between two polls for Ctrl-C: a fraction of a millisecond, unless
/// degrees are in the thousands.
inline constexpr std::int64_t vertices_between_polls = 1024;

/// Returns a `settle` callback for search_from that calls keep_on() once in vertices_between_polls
/// settled vertices.
template <class KeepOn>
auto every_1024th(KeepOn keep_on) {
  return [keep_on, settled = std::int64_t{0}](vertex_t) mutable {
    return settled++ % vertices_between_polls != 0 || keep_on();
  };
}

/// Conditions under which a search may end before it has settled all reachable vertices: beyond the
/// limit, or when all targets are settled.
template <class W>
struct SearchEnd {
  W limit = infinity<W>();
  std::span<const vertex_t> targets;
};

/// Calls visit(head, weight) for the arcs of u.
template <class W, class Visit>
void for_each_arc_of(const CsrView<W>& graph, vertex_t u, Visit&& visit) {
  for (edge_t e = graph.begin(u), end = graph.end(u); e < end; ++e) {
    visit(graph.heads[e], weight_of(graph, e));
  }
}

/// Continues a search. On entry the heap holds vertices whose distances are lengths of walks; all
/// other distances are infinite. `Graph` is any type for which for_each_arc_of is defined.
/// settle(v) is called for each vertex whose distance is final, in order of distance; the search
/// ends if it returns false. touch(v) is called once for each vertex when it gets a finite
/// distance. Returns the largest settled distance.
template <class W, class Graph, class Heap, class Settle, class Touch>
W search_from_heap(const Graph& graph, const SearchEnd<W>& end, Heap& heap, W* distance,
                   Settle&& settle, Touch&& touch) {
  auto next_target = end.targets.begin();
  W farthest = end.limit;
  W reached{0};
  while (!heap.empty()) {
    const auto [at, u] = heap.pop();
    if (at > farthest) break;
    if (distance[u] < at) continue;  // outdated: the vertex has been settled
    reached = at;
    if (!settle(u)) break;
    for_each_arc_of(graph, u, [&, from = at](vertex_t v, W weight) {
      const W through = extend(from, weight);
      const W before = distance[v];
      if (!(through < before) || through > farthest) return;
      if (before == infinity<W>()) touch(v);
      distance[v] = through;
      heap.push(v, through, distance);
    });
    // Distances up to `at` are final, so a target at this distance need not have been popped. But
    // arcs of weight zero may still reach other vertices at this distance.
    while (next_target != end.targets.end() && distance[*next_target] <= at) ++next_target;
    if (next_target == end.targets.end() && !end.targets.empty()) farthest = at;
  }
  heap.clear();
  return reached;
}

/// Searches from one source. On entry all distances are infinite and the heap is empty.
template <class W, class Graph, class Heap, class Settle, class Touch>
W search_from(const Graph& graph, vertex_t source, const SearchEnd<W>& end, Heap& heap, W* distance,
              Settle&& settle, Touch&& touch) {
  distance[source] = W{0};
  touch(source);
  heap.push(source, W{0}, distance);
  return search_from_heap(graph, end, heap, distance, settle, touch);
}

}  // namespace warpgraph::shortest_paths
