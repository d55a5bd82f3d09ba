// recover_predecessors() for distances on a device.
#pragma once

#include "primitives/relaxation/device_arcs.cuh"

namespace warpgraph::shortest_paths {

/// Predecessors by the rule in sssp.hpp, from distances in device memory.
template <class W>
void recover_predecessors_on(const cuda::Stream& stream, const DeviceArcs<W>& arcs, vertex_t source,
                             bool negative_weights, const W* distances, vertex_t* predecessors);

}  // namespace warpgraph::shortest_paths
