#include "algorithms/many_to_many/device_problem.hpp"
#include "core/error.hpp"

namespace warpgraph {

template <class W>
void many_to_many_cuda(const CsrView<W>& graph, const CsrView<W>& host,
                       std::span<const vertex_t> sources, const ManyToManyOptions<W>& options,
                       ManyToManyResult<W> result, const cuda::Stream& stream) {
  if (sources.empty()) return;
  const many_to_many_detail::DeviceProblem<W> problem{
      graph, {host, sources, options, result}, stream};
  switch (options.method) {
    case ManyToManyMethod::dijkstra:
      return many_to_many_detail::search_with_warp_heaps(problem);
    case ManyToManyMethod::batched:
      return many_to_many_detail::search_in_device_batches(problem);
  }
}

#define WARPGRAPH_INSTANTIATE(W)                                                             \
  template void many_to_many_cuda<W>(const CsrView<W>&, const CsrView<W>&,                   \
                                     std::span<const vertex_t>, const ManyToManyOptions<W>&, \
                                     ManyToManyResult<W>, const cuda::Stream&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
