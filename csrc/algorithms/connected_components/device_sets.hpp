// What connected_components_multi() does on CUDA devices.
#pragma once

#include "algorithms/connected_components/connected_components.hpp"

namespace warpgraph {

/// Bytes that find_sets_cuda() takes besides the parents.
[[nodiscard]] std::size_t sets_scratch_bytes(const CsrPattern& graph);
/// Unites along all arcs: writes parents of a UnionFind, of which not all are roots. `graph`,
/// `parents` and `scratch` are in the memory of the stream's device. Asynchronous.
void find_sets_cuda(const CsrPattern& graph, vertex_t* parents, std::byte* scratch,
                    const cuda::Stream& stream);

/// connected_components_multi(), if all devices are CUDA devices, those of `parts`.
vertex_t connected_components_on_devices(const CsrPattern& graph, DevicePartition& parts,
                                         std::span<vertex_t> labels, std::size_t memory_limit);

}  // namespace warpgraph
