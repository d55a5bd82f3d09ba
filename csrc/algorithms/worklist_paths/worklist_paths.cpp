#include "algorithms/worklist_paths/worklist_paths.hpp"

#include "algorithms/sssp/sssp.hpp"

namespace warpgraph {

template <class W>
void worklist_paths(const CsrView<W>& graph, vertex_t source, const std::vector<Device>& devices,
                    [[maybe_unused]] DevicePartition* parts, std::span<W> distances) {
#if defined(WARPGRAPH_HAS_CUDA)
  if (parts != nullptr) return worklist_paths_cuda(graph, source, *parts, distances);
#endif
  // On the host, delta-stepping by several workers is a worklist.
  sssp_multi(graph, source, devices, SsspOptions<W>{}, SsspResult<W>{distances, {}});
}

template void worklist_paths<float>(const CsrView<float>&, vertex_t, const std::vector<Device>&,
                                    DevicePartition*, std::span<float>);
template void worklist_paths<double>(const CsrView<double>&, vertex_t, const std::vector<Device>&,
                                     DevicePartition*, std::span<double>);

}  // namespace warpgraph
