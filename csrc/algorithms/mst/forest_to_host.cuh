// Edges of a graph on a device, given by their positions, as a forest there or on the host.
#pragma once

#include "algorithms/mst/forest/device_forest.hpp"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/cub/as_bits.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/stream_pool.hpp"
#include "core/error.hpp"
#include "core/memory/lazy_array.hpp"
#include "graph/device_tail.cuh"
#include "graph/weight_bits.hpp"

namespace warpgraph::mst {

/// Looks up the ends and the weights of edges; these are moved as bits.
template <class Bits>
__global__ void look_up_edges(CsrView<Bits> graph, const edge_t* positions, std::int64_t n,
                              vertex_t* ends, Bits* weights) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  const edge_t e = positions[i];
  ends[2 * i] = tail_on_device(graph, e);
  ends[2 * i + 1] = graph.heads[e];
  weights[i] = graph.weights[e];
}

/// Returns the edges at `positions`, which are on the stream's device, in the order that the
/// forest's edges should have. Waits.
template <class W>
SpanningForest<W> forest_to_host(const CsrView<W>& graph, const edge_t* positions, std::int64_t n,
                                 const cuda::Stream& stream) {
  const auto n_edges = static_cast<std::size_t>(n);
  const cuda::DeviceBuffer<vertex_t> ends(2 * n_edges, stream);
  const cuda::DeviceBuffer<W> weights(n_edges, stream);
  cuda::launch_for(stream, n, look_up_edges<order_key_t<W>>, bits_of(graph), positions, n,
                   ends.data(), cuda::as_bits(weights.data()));
  SpanningForest<W> forest{HostVector<vertex_t>(2 * n_edges), HostVector<W>(n_edges),
                           HostVector<edge_t>(n_edges)};
  cuda::CopyOut out;
  out.copy(forest.ends.data(), ends.data(), 2 * n_edges, stream);
  out.copy(forest.weights.data(), weights.data(), n_edges, stream);
  out.copy(forest.positions.data(), positions, n_edges, stream);
  out.finish();
  return forest;
}

/// Returns the same edges on the device. Waits.
template <class W>
DeviceForest<W> forest_on_device(const CsrView<W>& graph, const edge_t* positions, std::int64_t n,
                                 const cuda::Stream& stream) {
  const auto n_edges = static_cast<std::size_t>(n);
  const cuda::BorrowedStream kept(stream.device(), cuda::Lifetime::kept);
  DeviceForest<W> forest{cuda::DeviceBuffer<vertex_t>(2 * n_edges, *kept),
                         cuda::DeviceBuffer<W>(n_edges, *kept),
                         cuda::DeviceBuffer<edge_t>(n_edges, *kept)};
  (*kept).synchronize();
  cuda::launch_for(stream, n, look_up_edges<order_key_t<W>>, bits_of(graph), positions, n,
                   forest.ends.data(), cuda::as_bits(forest.weights.data()));
  cuda::copy(forest.positions.data(), positions, n_edges, stream);
  stream.synchronize();
  return forest;
}

/// Returns the same edges on the device if they may stay there, else on the host. Waits.
template <class W>
FoundForest<W> found_forest(const CsrView<W>& graph, const MstOptions& options,
                            const edge_t* positions, std::int64_t n, const cuda::Stream& stream) {
  const std::size_t bytes = static_cast<std::size_t>(n) * DeviceForest<W>::bytes_per_edge;
  if (!options.budget.is_limited() && may_stay_on(stream.device(), bytes)) {
    try {
      return forest_on_device(graph, positions, n, stream);
    } catch (const OutOfMemory&) {  // the memory is fragmented, or another thread has taken it
    }
  }
  return forest_to_host(graph, positions, n, stream);
}

}  // namespace warpgraph::mst
