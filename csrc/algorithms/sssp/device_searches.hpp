// The searches between which sssp_cuda.cu chooses. As in searches.hpp: on entry the distance of the
// sources is 0 and all others are infinite; on return no arc can lower a distance, or after an
// early end none of a vertex up to the farthest target. All arrays but those named `host` are in
// the memory of the stream's device.
#pragma once

#include "algorithms/sssp/sssp.hpp"
#include "core/cuda/stream.hpp"
#include "primitives/path_trees/device_predecessors.cuh"

namespace warpgraph::shortest_paths {

template <class W>
struct DeviceEdgeListView;

/// Returns the vertices per segment of the edge list, such that three segments fit half the L2
/// cache: the other half is for the edges, which are streamed. Returns 0 if segments gain nothing
/// because all distances fit.
template <class W>
vertex_t segment_length_for(vertex_t n_vertices, Device device);

/// Returns the bytes that bellman_ford_on takes on the device besides the list.
template <class W>
std::size_t bellman_ford_bytes(const CsrPattern& graph);

/// Searches by Bellman-Ford over `edges`, those of `graph`.
template <class W>
void bellman_ford_on(const cuda::Stream& stream, const DeviceEdgeListView<W>& edges,
                     const CsrView<W>& graph, const CsrView<W>& host, const SsspOptions<W>& options,
                     W* distances);

/// Searches by near-far. `targets` are the targets of the options, in device memory.
template <class W>
void near_far_on(const cuda::Stream& stream, const CsrView<W>& graph, const CsrView<W>& host,
                 DeviceSources sources, const SsspOptions<W>& options, const vertex_t* targets,
                 W* distances);

}  // namespace warpgraph::shortest_paths
