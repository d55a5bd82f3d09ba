#include "algorithms/many_to_many/breadth_first.hpp"
#include "algorithms/many_to_many/device_problem.hpp"

namespace warpgraph {

using many_to_many_detail::DeviceProblem;

template <class W>
void many_to_many_cuda(const CsrView<W>& graph, const CsrView<W>& host,
                       std::span<const vertex_t> sources, const ManyToManyOptions<W>& options,
                       ManyToManyResult<W> result, const cuda::Stream& stream) {
  if (sources.empty()) return;
  const DeviceProblem<W> problem{graph, {host, sources, options, result}, stream};
  switch (options.method) {
    case ManyToManyMethod::dijkstra:
      return many_to_many_detail::search_with_warp_heaps(problem);
    case ManyToManyMethod::batched:
      return many_to_many_detail::search_in_device_batches(problem);
    case ManyToManyMethod::breadth_first:
      return bfs_from_many_cuda(graph, many_to_many_detail::bfs_options(problem.host),
                                many_to_many_detail::bfs_rows(problem.host), stream);
    case ManyToManyMethod::johnson:
      return many_to_many_detail::search_in_device_rounds(problem);
  }
}

template <class W>
std::size_t many_to_many_bytes_cuda(const CsrView<W>& host, std::span<const vertex_t> sources,
                                    const ManyToManyOptions<W>& options, ManyToManyResult<W> result,
                                    const cuda::Stream& stream) {
  const DeviceProblem<W> problem{host, {host, sources, options, result}, stream};
  switch (options.method) {
    case ManyToManyMethod::dijkstra:
      return many_to_many_detail::min_bytes_of_warp_heaps(problem);
    case ManyToManyMethod::batched:
      return many_to_many_detail::min_bytes_of_device_batches(problem);
    case ManyToManyMethod::breadth_first:
      return bfs_from_many_bytes_cuda(host, many_to_many_detail::bfs_options(problem.host),
                                      many_to_many_detail::bfs_rows(problem.host));
    case ManyToManyMethod::johnson:
      return many_to_many_detail::min_bytes_of_device_rounds(problem);
  }
  return 0;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(many_to_many_cuda)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(many_to_many_bytes_cuda)

}  // namespace warpgraph
