// The barrier of the blocks of one worker. The block that arrives last makes a round plan before
// the others continue: half as many barriers as with a round plan between two of them.
//
// cooperative_groups' grid barrier has no such step, and is for a whole grid; a grid has the blocks
// of all workers of a device. For meet() all blocks must be resident, which a cooperative launch
// makes sure.
#pragma once

#include "core/atomics.hpp"

#include <cstdint>

namespace warpgraph::runtime {

/// Barrier of a worker's blocks, in device memory, zeroed before the launch. One kernel of the
/// worker uses it at a time.
struct WorkerBarrier {
  unsigned arrived;
  unsigned generation;

  /// Waits until all threads of n_blocks blocks have called it. All threads of the last block call
  /// plan(). Their writes, and those of all threads before, are visible to all threads afterwards.
  template <class Plan>
  __device__ void meet(unsigned n_blocks, Plan&& plan) {
    // Read before arriving, since the generation may change afterwards.
    const unsigned seen = threadIdx.x == 0 ? relaxed_load(generation) : 0;
    if (arrives_last(n_blocks)) {
      plan();
      __syncthreads();
      if (threadIdx.x == 0) {
        relaxed_store(arrived, 0u);
        __threadfence();
        relaxed_store(generation, seen + 1);
      }
    } else if (threadIdx.x == 0) {
      while (relaxed_load(generation) == seen) __nanosleep(poll_ns);
      __threadfence();
    }
    __syncthreads();
  }

  /// Counts the blocks that arrive without waiting: only the last block calls finish(), and sees
  /// the writes of all.
  template <class Finish>
  __device__ void finish(unsigned n_blocks, Finish&& finish) {
    if (!arrives_last(n_blocks)) return;
    finish();
    if (threadIdx.x == 0) relaxed_store(arrived, 0u);
  }

 private:
  __device__ bool arrives_last(unsigned n_blocks) {
    __shared__ bool is_last;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      is_last = atomicAdd(&arrived, 1u) + 1 == n_blocks;
      __threadfence();
    }
    __syncthreads();
    return is_last;
  }

  /// Pause between polls, about the latency of a load from the second-level cache.
  static constexpr unsigned poll_ns = 100;
};

}  // namespace warpgraph::runtime
