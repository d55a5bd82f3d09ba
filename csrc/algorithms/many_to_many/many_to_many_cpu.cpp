#include "algorithms/many_to_many/search_problem.hpp"

namespace warpgraph {

template <class W>
void many_to_many_cpu(const CsrView<W>& graph, std::span<const vertex_t> sources,
                      const ManyToManyOptions<W>& options, ManyToManyResult<W> result) {
  const many_to_many_detail::SearchProblem<W> problem{graph, sources, options, result};
  switch (options.method) {
    case ManyToManyMethod::dijkstra:
      return many_to_many_detail::search_one_by_one(problem);
    case ManyToManyMethod::batched:
      return many_to_many_detail::search_in_batches(problem);
  }
}

#define WARPGRAPH_INSTANTIATE(W)                                                  \
  template void many_to_many_cpu<W>(const CsrView<W>&, std::span<const vertex_t>, \
                                    const ManyToManyOptions<W>&, ManyToManyResult<W>);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
