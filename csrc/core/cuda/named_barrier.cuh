// Named barriers: barriers for some warps of a block.
#pragma once

#include "core/cuda/warp.cuh"

namespace warpgraph::cuda {

/// Waits until `threads` threads of the block, in whole warps, have called this. Their earlier
/// writes are then visible to all of them.
///
/// Unlike with __syncthreads(), other warps of the block continue, and the participants may call
/// this at different places of the kernel. A block has 16 barriers; __syncthreads() uses number 0.
template <unsigned number, unsigned threads>
__device__ __forceinline__ void named_barrier_sync() {
  static_assert(number > 0 && number < 16 && threads % warp_lanes == 0);
  __barrier_sync_count(number, threads);
}

}  // namespace warpgraph::cuda
