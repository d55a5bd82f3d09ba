// Warp-wide primitives. All 32 lanes must call them, in one-dimensional blocks.
//
// A shuffle or a ballot synchronises the lanes but orders no memory accesses: a lane that reads
// what another lane wrote needs a __syncwarp() in between.
#pragma once

#include "core/types.hpp"

namespace warpgraph::cuda {

inline constexpr int warp_lanes = 32;
inline constexpr unsigned all_lanes = 0xffffffffu;

__device__ inline int lane() { return static_cast<int>(threadIdx.x) % warp_lanes; }

/// Returns lane() as an unsigned number, for kernels that were measured with it: the compiler
/// generates other code for them from lane(), with other numbers of registers.
__device__ inline unsigned lane_without_sign() { return threadIdx.x % warp_lanes; }

/// Returns the index of this warp in a one-dimensional grid.
__device__ inline std::int64_t global_warp() {
  return (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / warp_lanes;
}
/// Returns the number of warps of a one-dimensional grid.
__device__ inline std::int64_t n_global_warps() {
  return std::int64_t{gridDim.x} * blockDim.x / warp_lanes;
}

/// Returns a bit for each lane before this one (%lanemask_lt): __popc(ballot & lanemask_lt()) is a
/// lane's rank among the lanes that voted.
__device__ inline unsigned lanemask_lt() { return (1u << lane()) - 1; }

/// Returns the minimum of the lanes' values, in every lane.
template <class T>
__device__ T warp_min(T value) {
  for (int step = warp_lanes / 2; step > 0; step /= 2) {
    const T other = __shfl_xor_sync(all_lanes, value, step);
    if (other < value) value = other;
  }
  return value;
}

/// Returns the maximum of the lanes' values, in every lane; the smallest integer must not be among
/// them.
template <class T>
__device__ T warp_max(T value) {
  return -warp_min(-value);
}

/// Returns the sum of the lanes' values, in every lane. Floats are always added in the same order.
template <class T>
__device__ T warp_sum(T value) {
  for (int step = warp_lanes / 2; step > 0; step /= 2) {
    value += __shfl_xor_sync(all_lanes, value, step);
  }
  return value;
}

/// Does the work of warp_max() for unsigned numbers, which one instruction does from Ampere on.
__device__ inline unsigned warp_max_unsigned(unsigned number) {
#if __CUDA_ARCH__ < 800 && defined(__CUDA_ARCH__)
  for (int step = warp_lanes / 2; step > 0; step /= 2) {
    number = max(number, __shfl_xor_sync(all_lanes, number, step));
  }
  return number;
#else
  return __reduce_max_sync(all_lanes, number);
#endif
}
/// Does the work of warp_sum() for unsigned numbers, which one instruction does from Ampere on.
__device__ inline unsigned warp_sum_unsigned(unsigned number) {
#if __CUDA_ARCH__ < 800 && defined(__CUDA_ARCH__)
  return warp_sum(number);
#else
  return __reduce_add_sync(all_lanes, number);
#endif
}

/// Returns the sum of the values of the lanes before this one.
__device__ inline int warp_exclusive_sum(int value) {
  int sum = value;
  for (int step = 1; step < warp_lanes; step *= 2) {
    const int before = __shfl_up_sync(all_lanes, sum, step);
    if (lane() >= step) sum += before;
  }
  return sum - value;
}

/// Returns the last lane whose `start` is at most `i`, by binary search. Starts ascend from 0 in
/// lane 0. If they are a warp_exclusive_sum() of numbers of items, item i belongs to that lane.
__device__ inline int owner_of(int i, int start) {
  int owner = 0;
  for (int step = warp_lanes / 2; step > 0; step /= 2) {
    if (__shfl_sync(all_lanes, start, owner + step) <= i) owner += step;
  }
  return owner;
}

/// Returns the first lane of a ballot that is not empty.
__device__ inline int first_lane(unsigned ballot) { return __ffs(static_cast<int>(ballot)) - 1; }

/// Returns the bit of a vertex in a bitmap whose words are ballots of warps.
__device__ inline bool has_bit(const std::uint32_t* bitmap, vertex_t v) {
  return (bitmap[v / warp_lanes] >> (v % warp_lanes) & 1u) != 0;
}

/// Adds n, which is the same in all lanes, to the counter once for the warp. Returns what the
/// counter held before, in every lane.
template <class Counter>
__device__ Counter warp_fetch_add(Counter& counter, Counter n) {
  Counter before = 0;
  if (lane() == 0) before = atomicAdd(&counter, n);
  return __shfl_sync(all_lanes, before, 0);
}

/// Sorts (key, item) pairs by ascending key across the lanes: Batcher's bitonic network, 15 steps
/// of one exchange each. Equal keys are not exchanged, so no pair is duplicated or lost.
template <class Key, class Item>
__device__ void warp_sort(Key& key, Item& item) {
#pragma unroll
  for (int size = 2; size <= warp_lanes; size *= 2) {
#pragma unroll
    for (int step = size / 2; step > 0; step /= 2) {
      const Key other = __shfl_xor_sync(all_lanes, key, step);
      const Item other_item = __shfl_xor_sync(all_lanes, item, step);
      const bool keeps_smaller = ((lane() & size) == 0) == ((lane() & step) == 0);
      if (keeps_smaller ? other < key : key < other) {
        key = other;
        item = other_item;
      }
    }
  }
}

}  // namespace warpgraph::cuda
