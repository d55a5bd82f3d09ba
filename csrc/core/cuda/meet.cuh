// Barriers for some warps of a block.
#pragma once

#include "core/cuda/warp.cuh"

namespace warpgraph::cuda {

/// Returns when `threads` of a block's threads, in whole warps, have called this; what they wrote
/// before can then be read by all of them.
///
/// Other warps of the block go on meanwhile, and those that meet may come from different places of
/// the kernel: __syncthreads() allows neither. A block has 16 barriers; number 0 is that of
/// __syncthreads().
template <unsigned number, unsigned threads>
__device__ __forceinline__ void meet() {
  static_assert(number > 0 && number < 16 && threads % warp_lanes == 0);
  __barrier_sync_count(number, threads);
}

}  // namespace warpgraph::cuda
