// Bitmaps whose words of 32 bits are shared by the lanes of a warp.
#pragma once

#include "core/cuda/warp.cuh"

#include <cstdint>

namespace warpgraph::cuda {

/// Returns a mask of the lanes from `begin` up to `end`; none if `end` is not larger. Both may be
/// outside 0 .. 32.
__device__ inline unsigned lanes_between(int begin, int end) {
  const auto lanes_before = [](int i) {
    return i < warp_lanes ? (1u << (i < 0 ? 0 : i)) - 1 : all_lanes;
  };
  return lanes_before(end) & ~lanes_before(begin);
}

/// Divides the words from `begin` up to `end` of bitmaps among the warps of a grid, which read 32
/// at a time. A lane calls read(i) for each of its words, and all lanes of a warp call visit(i,
/// bits) where read() returns bits.
template <class Read, class Visit>
__device__ void visit_words(std::int64_t begin, std::int64_t end, Read&& read, Visit&& visit) {
  const std::int64_t n_warps = n_global_warps();
  for (std::int64_t first = begin + global_warp(); first < end; first += n_warps * warp_lanes) {
    const std::int64_t own = first + lane() * n_warps;
    const std::uint32_t bits = own < end ? read(own) : 0;
    __syncwarp();  // visit() may write what read() has written
    unsigned lanes = __ballot_sync(all_lanes, bits != 0);
    for (; lanes != 0; lanes &= lanes - 1) {
      const int owner = first_lane(lanes);
      visit(first + owner * n_warps, __shfl_sync(all_lanes, bits, owner));
    }
  }
}

/// Calls visit(i) with the index of each set bit of the words from `begin` up to `end`, one lane
/// per bit; lanes without one get -1. Where few bits of a word are set, lanes have those of several
/// words.
template <class Read, class Visit>
__device__ void visit_bits(std::int64_t begin, std::int64_t end, Read&& read, Visit&& visit) {
  const std::int64_t n_warps = n_global_warps();
  for (std::int64_t first = begin + global_warp(); first < end; first += n_warps * warp_lanes) {
    const std::int64_t own = first + lane() * n_warps;
    const std::uint32_t bits = own < end ? read(own) : 0;
    __syncwarp();  // visit() may write what read() has read
    const int start = warp_exclusive_sum(__popc(bits));
    const int total = __shfl_sync(all_lanes, start + __popc(bits), warp_lanes - 1);
    for (int i = lane(); i - lane() < total; i += warp_lanes) {
      const int owner = owner_of(i, start);
      std::uint32_t left = __shfl_sync(all_lanes, bits, owner);
      const int before = i - __shfl_sync(all_lanes, start, owner);
      for (int k = 0; k < before; ++k) left &= left - 1;
      visit(i < total ? (first + owner * n_warps) * warp_lanes + first_lane(left) : -1);
    }
  }
}

}  // namespace warpgraph::cuda
