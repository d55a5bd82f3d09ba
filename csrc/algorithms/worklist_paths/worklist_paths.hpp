// Shortest paths by a distributed worklist: the example of an irregular application of the runtime,
// as in [1], section 5. wg.runtime.DistributedWorklist.shortest_paths runs it.
//
// Each worker has the rows of a range of vertices and an array of all distances: those of its own
// vertices, and the least that it has sent to the owners of others. A work item is a vertex that
// has been lowered. Items beyond a threshold of priority wait until no others are left (soft
// priority). No worker waits for a round of the others.
//
// sssp does not use it on GPUs: a round of a team costs a barrier, the worklist several atomic
// operations for each item. Near-far search in rounds took a quarter of its time on roads.
//
// [1] Ben-Nun, Sutton, Pai, Pingali: Groute: an asynchronous multi-GPU programming model for
//     irregular computations. PPoPP 2017.
#pragma once

#include "core/device.hpp"
#include "core/types.hpp"
#include "graph/csr.hpp"

#include <span>
#include <vector>

namespace warpgraph {

class DevicePartition;

/// Finds the distances from `source` by a worker for each of `devices`, which may repeat: all are
/// of the host, or all are CUDA devices that can access each other's memory. Then `parts` is the
/// graph divided among them. The graph and the distances are on the host; no weight is negative.
template <class W>
void worklist_paths(const CsrView<W>& graph, vertex_t source, const std::vector<Device>& devices,
                    DevicePartition* parts, std::span<W> distances);

/// Does the work of worklist_paths on the CUDA devices of the parts.
template <class W>
void worklist_paths_cuda(const CsrView<W>& graph, vertex_t source, DevicePartition& parts,
                         std::span<W> distances);

}  // namespace warpgraph
