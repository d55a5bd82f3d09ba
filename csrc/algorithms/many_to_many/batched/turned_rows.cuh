// From 32 distances a vertex to rows of distances. Not for use outside this folder.
#pragma once

#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "core/types.hpp"

#include <cstdint>

namespace warpgraph::many_to_many_steps {

/// Rows of one source each. Source i goes to row i, or to row order[i] if there is an order.
template <class W>
struct TurnedRows {
  W* to;
  std::int64_t stride;
  const std::int64_t* order;
  int n_sources;

  __device__ W* row(int i) const { return to + (order == nullptr ? i : order[i]) * stride; }
};

/// From 32 distances a vertex to rows. A block turns 32 columns at a time in shared memory, so that
/// both sides are read and written in whole lines.
template <class W>
__global__ void turn_rows(const W* rows, const vertex_t* targets, std::int64_t n_columns,
                          TurnedRows<W> turned) {
  constexpr std::int64_t lanes = cuda::warp_lanes;
  __shared__ W tile[lanes][lanes + 1];
  const int x = static_cast<int>(threadIdx.x) % cuda::warp_lanes;
  const int y = static_cast<int>(threadIdx.x) / cuda::warp_lanes;
  const int step = static_cast<int>(blockDim.x) / cuda::warp_lanes;
  const std::int64_t first = blockIdx.x * lanes;
  for (int i = y; i < lanes && first + i < n_columns; i += step) {
    const std::int64_t vertex = targets != nullptr ? targets[first + i] : first + i;
    tile[i][x] = rows[vertex * lanes + x];
  }
  __syncthreads();
  if (first + x >= n_columns) return;
  for (int source = y; source < turned.n_sources; source += step) {
    turned.row(source)[first + x] = tile[x][source];
  }
}

}  // namespace warpgraph::many_to_many_steps
