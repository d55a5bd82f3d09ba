#include "algorithms/hierarchy/hierarchy.hpp"
#include "algorithms/sssp/steps.hpp"
#include "core/interrupt.hpp"

namespace warpgraph {

template <class W>
void recover_trees(const CsrView<W>& graph, std::span<const vertex_t> sources, const W* distances,
                   vertex_t* predecessors) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    poll();
    sssp_steps::recover_predecessors<W>(graph, sources[i], false, {distances + i * n, n},
                                        {predecessors + i * n, n});
  }
}

#define WARPGRAPH_INSTANTIATE(W) \
  template void recover_trees<W>(const CsrView<W>&, std::span<const vertex_t>, const W*, vertex_t*);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
