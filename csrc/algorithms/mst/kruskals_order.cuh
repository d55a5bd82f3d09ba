// Edges of a graph on a device, given by their positions, in Kruskal's order.
#pragma once

#include "algorithms/mst/edge_order.hpp"
#include "core/cuda/cub/sort_pairs.hpp"
#include "core/cuda/launch.cuh"

namespace warpgraph::mst {

template <class Bits>
__global__ void gather_keys(KeyedBits<Bits> graph, const edge_t* positions, std::int64_t n,
                            Bits* keys) {
  if (const std::int64_t i = cuda::global_index(); i < n) keys[i] = graph.key(positions[i]);
}

/// Returns the n ascending positions in Kruskal's order: sorted stably by key.
template <class Bits>
cuda::DeviceBuffer<edge_t> in_kruskals_order(const KeyedBits<Bits>& graph, const edge_t* positions,
                                             std::int64_t n, const cuda::Stream& stream) {
  using Key = Bits;
  const auto size = static_cast<std::size_t>(n);
  cuda::DeviceBuffer<edge_t> sorted(size, stream);
  if (n == 0) return sorted;
  const cuda::DeviceBuffer<Key> keys(size, stream);
  const cuda::DeviceBuffer<Key> sorted_keys(size, stream);
  cuda::launch_for(stream, n, gather_keys<Bits>, graph, positions, n, keys.data());
  cuda::sort_pairs(keys.data(), sorted_keys.data(), positions, sorted.data(), n,
                   static_cast<int>(8 * sizeof(Key)), stream);
  return sorted;
}

}  // namespace warpgraph::mst
