// Transposes the distances of a batch, 32 for each vertex, to rows. Not for use outside this
// folder.
#pragma once

#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "core/types.hpp"

#include <cstdint>

namespace warpgraph::many_to_many_detail {

/// Transposes distances, given as bits; a block takes 32 columns at a time in shared memory, so
/// that reads and writes are coalesced. Row i is that of source i.
template <class Bits>
__global__ void transpose_rows(const Bits* distances, const vertex_t* targets,
                               std::int64_t n_columns, Bits* rows, std::int64_t stride,
                               int n_sources) {
  constexpr std::int64_t side = cuda::warp_lanes;
  __shared__ Bits tile[side][side + 1];
  const int x = cuda::lane();
  const int y = static_cast<int>(threadIdx.x) / cuda::warp_lanes;
  const int step = static_cast<int>(blockDim.x) / cuda::warp_lanes;
  const std::int64_t first = blockIdx.x * side;
  for (int i = y; i < side && first + i < n_columns; i += step) {
    const std::int64_t vertex = targets != nullptr ? targets[first + i] : first + i;
    tile[i][x] = distances[vertex * side + x];
  }
  __syncthreads();
  if (first + x >= n_columns) return;
  for (int source = y; source < n_sources; source += step) {
    rows[source * stride + first + x] = tile[x][source];
  }
}

}  // namespace warpgraph::many_to_many_detail
