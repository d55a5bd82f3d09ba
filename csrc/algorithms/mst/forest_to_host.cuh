// Edges of a graph on a device, given by their positions, as a forest on the host.
#pragma once

#include "algorithms/mst/mst.hpp"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "graph/device_tail.cuh"

namespace warpgraph::mst {

/// Replaces the positions by items of `originals` if that is not null.
template <class W>
__global__ void look_up_edges(CsrView<W> graph, const edge_t* originals, edge_t* positions,
                              std::int64_t n, vertex_t* ends, W* weights) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  const edge_t e = positions[i];
  ends[2 * i] = tail_on_device(graph, e);
  ends[2 * i + 1] = graph.heads[e];
  weights[i] = graph.weights[e];
  if (originals != nullptr) positions[i] = originals[e];
}

/// Returns the edges at `positions`, which are on the stream's device, in the order that the
/// forest's edges should have, and become items of `originals` if that is not null. Waits.
template <class W>
SpanningForest<W> forest_to_host(const CsrView<W>& graph, edge_t* positions, std::int64_t n,
                                 const cuda::Stream& stream, const edge_t* originals = nullptr) {
  const auto n_edges = static_cast<std::size_t>(n);
  const cuda::DeviceBuffer<vertex_t> ends(2 * n_edges, stream);
  const cuda::DeviceBuffer<W> weights(n_edges, stream);
  cuda::launch_for(stream, n, look_up_edges<W>, graph, originals, positions, n, ends.data(),
                   weights.data());
  SpanningForest<W> forest{HostVector<vertex_t>(2 * n_edges), HostVector<W>(n_edges),
                           HostVector<edge_t>(n_edges)};
  cuda::CopyOut out;
  out.copy(forest.ends.data(), ends.data(), 2 * n_edges, stream);
  out.copy(forest.weights.data(), weights.data(), n_edges, stream);
  out.copy(forest.positions.data(), positions, n_edges, stream);
  out.finish();
  return forest;
}

}  // namespace warpgraph::mst
