// connected_components_multi() on CUDA devices.
#pragma once

#include "algorithms/connected_components/connected_components.hpp"
#include "core/memory/memory_budget.hpp"

namespace warpgraph {

/// Labels the graph on CUDA devices, those of `parts`. `labels` is host memory.
vertex_t connected_components_on_devices(const CsrPattern& graph, bool symmetric, vertex_t hub,
                                         DevicePartition& parts, std::span<vertex_t> labels,
                                         MemoryBudget budget);

}  // namespace warpgraph
