// The edges of one member of a team, divided into ranges of ranks.
#pragma once

#include "algorithms/mst/multi/team/edge_arrays.cuh"
#include "core/containers/at.hpp"
#include "graph/partition/partition.hpp"

#include <bit>

namespace warpgraph::mst {

/// The ranks that divide edges into ranges: range i ends before ranks[i]; the last one has no end.
template <class Key>
struct Splitters {
  int n;
  Rank<Key> ranks[max_parts - 1];
};

/// Samples the ranks of the edges i * n / n_samples.
template <class Bits>
__global__ void sample_ranks(KeyedBits<Bits> edges, const edge_t* positions, std::int64_t n,
                             Rank<Bits>* samples, std::int64_t n_samples) {
  const std::int64_t i = cuda::global_index();
  if (i >= n_samples) return;
  const std::int64_t edge = i * n / n_samples;
  samples[i] = {edges.key(edge), positions[edge]};
}

template <class Bits>
__global__ void find_ranges(KeyedBits<Bits> edges, const edge_t* positions, std::int64_t n,
                            const __grid_constant__ Splitters<Bits> splitters,
                            std::uint32_t* ranges) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  const Rank<Bits> rank{edges.key(i), positions[i]};
  std::uint32_t range = 0;
  for (int k = 0; k < splitters.n; ++k) range += rank < splitters.ranks[k] ? 0 : 1;
  ranges[i] = range;
}

/// Makes begins[r] the index of the first of the ascending ranges that is r or larger.
static __global__ void find_begins(const std::uint32_t* ranges, std::int64_t n,
                                   std::int64_t n_ranges, std::int64_t* begins) {
  const std::int64_t i = cuda::global_index();
  if (i > n) return;
  const std::int64_t before = i == 0 ? std::int64_t{-1} : std::int64_t{ranges[i - 1]};
  const std::int64_t here = i == n ? n_ranges : std::int64_t{ranges[i]};
  for (std::int64_t r = before + 1; r <= here; ++r) begins[r] = i;
}

/// Returns the edges by range. `begins`, which is page-locked, gets the begin of each range and the
/// end. Asynchronous.
template <class Bits>
EdgeArrays<Bits> in_ranges(const EdgeArrays<Bits>& edges, const Splitters<Bits>& splitters,
                           const BitOrder<Bits>& weights, std::int64_t* begins,
                           const cuda::Stream& stream) {
  const std::size_t n = edges.positions.size();
  const cuda::DeviceBuffer<std::uint32_t> ranges(n, stream);
  const cuda::DeviceBuffer<std::uint32_t> sorted(n, stream);
  const cuda::DeviceBuffer<edge_t> indices(n, stream);
  const cuda::DeviceBuffer<edge_t> order(n, stream);
  const cuda::DeviceBuffer<std::int64_t> found(at(splitters.n) + 2, stream);
  cuda::launch_for(stream, edges.size(), find_ranges<Bits>, edges.keyed(weights),
                   edges.positions.data(), edges.size(), splitters, ranges.data());
  cuda::iota(indices.data(), edges.size(), stream);
  if (n != 0) {
    cuda::sort_pairs(ranges.data(), sorted.data(), indices.data(), order.data(), edges.size(),
                     std::bit_width(static_cast<unsigned>(splitters.n) | 1U), stream);
  }
  cuda::launch_for(stream, edges.size() + 1, find_begins, sorted.data(), edges.size(),
                   std::int64_t{splitters.n} + 1, found.data());
  cuda::copy(begins, found.data(), found.size(), stream);
  return gathered(edges, order.data(), stream);
}

}  // namespace warpgraph::mst
