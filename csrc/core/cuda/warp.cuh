// What the 32 lanes of a warp do together. All of them must call these, in blocks of one dimension.
//
// A shuffle or a ballot lets the lanes meet but orders no memory: where one lane reads what another
// wrote, there is a __syncwarp() between.
#pragma once

#include "core/types.hpp"

namespace warpgraph::cuda {

inline constexpr int warp_lanes = 32;
inline constexpr unsigned all_lanes = 0xffffffffu;

__device__ inline int lane() { return static_cast<int>(threadIdx.x) % warp_lanes; }

/// A bit for each lane before this one: __popc(ballot & lanes_below()) is a lane's place among
/// those that voted.
__device__ inline unsigned lanes_below() { return (1u << lane()) - 1; }

/// The least of the lanes' values, in every lane.
template <class T>
__device__ T warp_min(T value) {
  for (int step = warp_lanes / 2; step > 0; step /= 2) {
    const T other = __shfl_xor_sync(all_lanes, value, step);
    if (other < value) value = other;
  }
  return value;
}

/// The sum of the values of the lanes before this one.
__device__ inline int sum_below(int value) {
  int sum = value;
  for (int step = 1; step < warp_lanes; step *= 2) {
    const int before = __shfl_up_sync(all_lanes, sum, step);
    if (lane() >= step) sum += before;
  }
  return sum - value;
}

/// Sorts (key, item) pairs so that keys rise from lane to lane: Batcher's bitonic network, 15 steps
/// of one exchange each. Equal keys stay where they are, so no pair is doubled or lost.
template <class Key, class Item>
__device__ void sort_lanes(Key& key, Item& item) {
#pragma unroll
  for (int size = 2; size <= warp_lanes; size *= 2) {
#pragma unroll
    for (int step = size / 2; step > 0; step /= 2) {
      const Key other = __shfl_xor_sync(all_lanes, key, step);
      const Item others_item = __shfl_xor_sync(all_lanes, item, step);
      const bool keeps_smaller = ((lane() & size) == 0) == ((lane() & step) == 0);
      if (keeps_smaller ? other < key : key < other) {
        key = other;
        item = others_item;
      }
    }
  }
}

}  // namespace warpgraph::cuda
