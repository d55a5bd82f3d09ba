// Dijkstra's algorithm, written once: for one source of sssp, and for what many_to_many does with a
// source, a batch of sources or a part of the graph.
#pragma once

#include "core/types.hpp"
#include "primitives/relaxation/relax.hpp"

#include <span>

namespace warpgraph::shortest_paths {

/// Settled vertices between two looks at Ctrl-C: a fraction of a millisecond, unless degrees are in
/// the thousands.
inline constexpr std::int64_t vertices_between_polls = 1024;

/// keep_on() once in so many settled vertices, as `settle` of search_from.
template <class KeepOn>
auto now_and_then(KeepOn keep_on) {
  return [keep_on, settled = std::int64_t{0}](vertex_t) mutable {
    return settled++ % vertices_between_polls != 0 || keep_on();
  };
}

/// Where a search may end before it has seen everything.
template <class W>
struct SearchEnd {
  W limit = infinity<W>();
  std::span<const vertex_t> targets;
};

/// visit(head, weight) for the arcs of u.
template <class W, class Visit>
void for_each_arc_of(const CsrView<W>& graph, vertex_t u, Visit&& visit) {
  for (edge_t e = graph.begin(u), end = graph.end(u); e < end; ++e) {
    visit(graph.heads[e], weight_of(graph, e));
  }
}

/// Settles vertices from those in the heap on, whose distances some walks have; the others' are
/// infinite. `Graph` is anything with for_each_arc_of. settle(v) is told each vertex whose distance
/// is final, nearest first, and says whether to go on; touch(v) each that gets a distance, once.
/// Returns the farthest distance that was settled.
template <class W, class Graph, class Heap, class Settle, class Touch>
W search_on(const Graph& graph, const SearchEnd<W>& end, Heap& heap, W* distance, Settle&& settle,
            Touch&& touch) {
  auto next_target = end.targets.begin();
  W farthest = end.limit;
  W reached{0};
  while (!heap.empty()) {
    const auto [at, u] = heap.pop();
    if (at > farthest) break;
    if (distance[u] < at) continue;  // outdated: the vertex was settled before
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
    // No distance up to `at` can fall any more, so a target there need not have been popped. But
    // weights of zero may still lead to other vertices there.
    while (next_target != end.targets.end() && distance[*next_target] <= at) ++next_target;
    if (next_target == end.targets.end() && !end.targets.empty()) farthest = at;
  }
  heap.clear();
  return reached;
}

/// The same from one source. On entry all distances are infinite and the heap is empty.
template <class W, class Graph, class Heap, class Settle, class Touch>
W search_from(const Graph& graph, vertex_t source, const SearchEnd<W>& end, Heap& heap, W* distance,
              Settle&& settle, Touch&& touch) {
  distance[source] = W{0};
  touch(source);
  heap.push(source, W{0}, distance);
  return search_on(graph, end, heap, distance, settle, touch);
}

}  // namespace warpgraph::shortest_paths
