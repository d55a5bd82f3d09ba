// Pairs of vertices to unite, which a warp collects until every lane has one: uniting a pair takes
// about ten reads, one after the other, and few lanes find a pair at a time.
#pragma once

#include "core/containers/union_find.hpp"
#include "core/cuda/warp.cuh"
#include "core/cuda/worklist.cuh"

namespace warpgraph::afforest {

/// Two vertices whose sets are to be united.
struct Pair {
  vertex_t a, b;
};
using PairBuffer = Pair[2 * cuda::warp_lanes];
using PairList = cuda::WorklistView<Pair>;

/// The pairs that a warp has collected. All its lanes call these functions.
class PendingPairs {
 public:
  /// `buffer` is shared memory for this warp, not used before the first add().
  __device__ PendingPairs(UnionFind sets, PairBuffer& buffer) : sets_(sets), buffer_(buffer) {}

  /// Collects a and b, unless they are the same or the lane before has the same two.
  __device__ void add(vertex_t a, vertex_t b) {
    const vertex_t a_before = __shfl_up_sync(cuda::all_lanes, a, 1);
    const vertex_t b_before = __shfl_up_sync(cuda::all_lanes, b, 1);
    const bool repeats = cuda::lane() > 0 && a == a_before && b == b_before;
    const bool is_pair = a != b && !repeats;
    const unsigned pairs = __ballot_sync(cuda::all_lanes, is_pair);
    if (is_pair) {
      buffer_[n_ + __popc(pairs & cuda::lanemask_lt())] = {a, b};
    }
    n_ += __popc(pairs);
    if (n_ >= cuda::warp_lanes) unite(cuda::warp_lanes);
  }

  __device__ void unite_rest() { unite(n_); }

  /// Lists from now on the pairs that have joined two sets.
  __device__ void list_joins(const PairList& joins) { joins_ = joins; }

 private:
  /// Unites the last n of the pairs, at most one per lane.
  __device__ void unite(int n) {
    __syncwarp();
    n_ -= n;
    if (cuda::lane() < n) {
      const Pair pair = buffer_[n_ + cuda::lane()];
      const bool joins = sets_.unite_cached(pair.a, pair.b);
      if (joins && joins_.items != nullptr) joins_.push(pair);
    }
    __syncwarp();
  }

  const UnionFind sets_;
  Pair* const buffer_;
  int n_ = 0;
  PairList joins_;
};

}  // namespace warpgraph::afforest
