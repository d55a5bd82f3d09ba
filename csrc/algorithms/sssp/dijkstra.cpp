#include "algorithms/sssp/steps.hpp"
#include "core/heap.hpp"
#include "core/interrupt.hpp"

namespace warpgraph::sssp_steps {
namespace {

/// Settled vertices between two looks at Ctrl-C: a fraction of a millisecond, unless degrees are in
/// the thousands.
constexpr std::int64_t vertices_between_polls = 1024;

}  // namespace

template <class W>
void dijkstra(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
              std::span<W> distances) {
  W* const distance = distances.data();
  IndexedHeap<W> heap(graph.n_vertices);
  heap.push_or_lower(source, W{0});
  auto next_target = options.targets.begin();
  W farthest = options.limit;
  for (std::int64_t settled = 0; !heap.empty(); ++settled) {
    if (settled % vertices_between_polls == 0) report_progress(settled, graph.n_vertices);
    const auto [at, u] = heap.pop();
    if (at > farthest) break;
    for (edge_t e = graph.begin(u), end = graph.end(u); e < end; ++e) {
      const vertex_t v = graph.heads[e];
      const W through = extend(at, weight_of(graph, e));
      if (through < distance[v] && through <= farthest) {
        distance[v] = through;
        heap.push_or_lower(v, through);
      }
    }
    // No distance up to `at` can fall any more, so a target there need not have been popped. But
    // weights of zero may still lead to other vertices there.
    while (next_target != options.targets.end() && distance[*next_target] <= at) ++next_target;
    if (next_target == options.targets.end() && !options.targets.empty()) farthest = at;
  }
}

#define WARPGRAPH_INSTANTIATE(W) \
  template void dijkstra<W>(const CsrView<W>&, vertex_t, const SsspOptions<W>&, std::span<W>);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::sssp_steps
