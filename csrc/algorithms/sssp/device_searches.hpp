// The searches that sssp_cuda.cu chooses from. As in searches.hpp: on entry distances are 0 for the
// source and infinite for all others; on return no arc can lower one, or after an early end none of
// a vertex up to the farthest target. All arrays but those called `host` lie on the stream's
// device.
#pragma once

#include "algorithms/sssp/sssp.hpp"
#include "core/cuda/stream.hpp"

namespace warpgraph::shortest_paths {

template <class W>
struct EdgeListView;

/// How many vertices a segment of the edge list has, so that three of them fit half the L2 cache:
/// its other half is for the edges that pass through. 0 where segments gain nothing, since all
/// distances fit, or are not wanted.
template <class W>
vertex_t segment_length_for(const BellmanFordTuning& tuning, vertex_t n_vertices, Device device);

template <class W>
void bellman_ford_on(const cuda::Stream& stream, const EdgeListView<W>& edges,
                     const CsrView<W>& host, const SsspOptions<W>& options, W* distances);

/// Bytes that near_far_on takes beside the distances.
template <class W>
std::size_t near_far_bytes(const CsrPattern& graph);

/// `targets` are those of the options, on the device.
template <class W>
void near_far_on(const cuda::Stream& stream, const CsrView<W>& graph, const CsrView<W>& host,
                 vertex_t source, const SsspOptions<W>& options, const vertex_t* targets,
                 W* distances);

}  // namespace warpgraph::shortest_paths
