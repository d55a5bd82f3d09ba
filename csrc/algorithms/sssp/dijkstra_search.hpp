// Dijkstra's algorithm, written once: for one source of sssp and for each source of many_to_many.
#pragma once

#include "algorithms/sssp/steps.hpp"
#include "core/types.hpp"

#include <span>

namespace warpgraph::sssp_steps {

/// Settled vertices between two looks at Ctrl-C: a fraction of a millisecond, unless degrees are in
/// the thousands.
inline constexpr std::int64_t vertices_between_polls = 1024;

/// Where a search may end before it has seen everything.
template <class W>
struct SearchEnd {
  W limit = infinity<W>();
  std::span<const vertex_t> targets;
};

/// Settles vertices from the source on. On entry all distances are infinite and the heap is empty.
/// keep_on(n) is asked now and then, with the number of vertices settled, whether to go on;
/// first_touch(v) is told each vertex that the search gives a distance. Returns the farthest
/// distance that was settled.
template <class W, class Heap, class KeepOn, class FirstTouch>
W search_from(const CsrView<W>& graph, vertex_t source, const SearchEnd<W>& end, Heap& heap,
              W* distance, KeepOn&& keep_on, FirstTouch&& first_touch) {
  distance[source] = W{0};
  first_touch(source);
  heap.push(source, W{0});
  auto next_target = end.targets.begin();
  W farthest = end.limit;
  W reached{0};
  for (std::int64_t settled = 0; !heap.empty();) {
    const auto [at, u] = heap.pop();
    if (at > farthest) break;
    if (distance[u] < at) continue;  // outdated: the vertex was settled before
    reached = at;
    if (settled++ % vertices_between_polls == 0 && !keep_on(settled)) break;
    for (edge_t e = graph.begin(u), last = graph.end(u); e < last; ++e) {
      const vertex_t v = graph.heads[e];
      const W through = extend(at, weight_of(graph, e));
      const W before = distance[v];
      if (!(through < before) || through > farthest) continue;
      if (before == infinity<W>()) first_touch(v);
      distance[v] = through;
      heap.push(v, through);
    }
    // No distance up to `at` can fall any more, so a target there need not have been popped. But
    // weights of zero may still lead to other vertices there.
    while (next_target != end.targets.end() && distance[*next_target] <= at) ++next_target;
    if (next_target == end.targets.end() && !end.targets.empty()) farthest = at;
  }
  heap.clear();
  return reached;
}

}  // namespace warpgraph::sssp_steps
