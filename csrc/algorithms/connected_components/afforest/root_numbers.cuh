// Canonical numbers of components: the roots of sets, which are their smallest vertices, are
// counted, numbered in their order, and the numbers written to all vertices. Grid barriers lie in
// between. A device of a team does so for a slice of the vertices.
#pragma once

#include "algorithms/connected_components/afforest/view.cuh"
#include "core/containers/union_find.hpp"

namespace warpgraph::afforest {

/// The vertices of a range of words of a bitmap.
struct WordSlice {
  std::int64_t first;
  std::int64_t end;
};

class RootNumbers {
 public:
  /// `warp_roots` is shared memory of the block with an item per warp. `giant` is the root of the
  /// vertices whose bits are set, or no_vertex if none are.
  __device__ RootNumbers(const View& view, WordSlice slice, vertex_t* warp_roots, vertex_t giant)
      : view_(view), slice_(slice), sets_{view.labels}, warp_roots_(warp_roots), giant_(giant) {}

  /// Returns the number of roots in the share of this warp. The giant component's vertices keep
  /// parents that are not their roots, but nobody follows these any more.
  __device__ vertex_t count_roots() const {
    vertex_t n_roots = 0;
    for_each_word(view_.giant, [&](std::int64_t v, std::uint32_t inside) {
      bool is_root = v == giant_;
      if (!has_own_bit(inside)) {
        const vertex_t parent = cached_load(sets_.parent[v]);
        const vertex_t root = sets_.root<CachedReads>(parent);
        if (root != parent) relaxed_store(sets_.parent[v], root);
        is_root = root == v;
      }
      const unsigned roots = __ballot_sync(cuda::all_lanes, is_root);
      if (cuda::lane() == 0) view_.roots[v / cuda::warp_lanes] = roots;
      n_roots += __popc(roots);
    });
    if (cuda::lane() == 0) warp_roots_[warp_in_block()] = n_roots;
    __syncthreads();
    if (threadIdx.x == 0) {
      vertex_t sum = 0;
      for (int i = 0; i < warps_per_block; ++i) sum += warp_roots_[i];
      view_.block_roots[blockIdx.x] = sum;
    }
    return n_roots;
  }

  /// Replaces the parent of each root by ~number, which is negative; numbers begin at 0 in each
  /// slice. `n_roots` is the result of count_roots().
  __device__ void number_roots(vertex_t n_roots) const {
    vertex_t number = 0;  // of roots before this warp's share
    for (unsigned block = cuda::lane(); block < blockIdx.x; block += cuda::warp_lanes) {
      number += view_.block_roots[block];
    }
    number = cuda::warp_sum(number);
    for (int before = 0; before < warp_in_block(); ++before) number += warp_roots_[before];
    const bool is_last = blockIdx.x + 1 == gridDim.x && warp_in_block() + 1 == warps_per_block;
    if (is_last && cuda::lane() == 0) *view_.n_components = number + n_roots;
    for_each_word(view_.roots, [&](std::int64_t v, std::uint32_t roots) {
      if (has_own_bit(roots)) sets_.parent[v] = ~(number + __popc(roots & cuda::lanemask_lt()));
      number += __popc(roots);
    });
  }

  /// Writes each vertex's label, number_of(its root): see below. A vertex that is no root has its
  /// parent until its own thread writes its label.
  template <class NumberOf>
  __device__ void write_labels(const NumberOf& number_of) const {
    const vertex_t giant_number = giant_ == no_vertex ? no_vertex : number_of(giant_);
    for_each_word(view_.giant, [&](std::int64_t v, std::uint32_t inside) {
      if (v >= view_.graph.n_vertices) return;
      vertex_t label = giant_number;
      if (!has_own_bit(inside)) {
        const vertex_t above = cached_load(sets_.parent[v]);
        label = number_of(above < 0 ? static_cast<vertex_t>(v) : above);
      }
      relaxed_store(view_.labels[v], label);
    });
  }

  /// Returns the number of a root, `n_before` more than in its slice. Its label is ~(number in the
  /// slice) or, after another thread has written it, the number.
  __device__ static vertex_t number_at(const vertex_t& label, vertex_t n_before) {
    const vertex_t number = cached_load(label);
    return number < 0 ? ~number + n_before : number;
  }

 private:
  /// Calls visit(v, bits) for the 32 vertices of each word in this warp's share of the slice, where
  /// `bits` is the word. The shares of all warps follow one another.
  template <class Visit>
  __device__ void for_each_word(const std::uint32_t* bitmap, Visit&& visit) const {
    const std::int64_t words = slice_.end - slice_.first;
    const std::int64_t share = (words + cuda::n_global_warps() - 1) / cuda::n_global_warps();
    const std::int64_t begin = slice_.first + cuda::global_warp() * share;
    const std::int64_t end = min(begin + share, slice_.end);
    for (std::int64_t first = begin; first < end; first += cuda::warp_lanes) {
      const std::int64_t left = end - first;
      const int n = left < cuda::warp_lanes ? static_cast<int>(left) : cuda::warp_lanes;
      const std::uint32_t own = cuda::lane() < n ? bitmap[first + cuda::lane()] : 0;
      for (int i = 0; i < n; ++i) {
        visit((first + i) * cuda::warp_lanes + cuda::lane(), __shfl_sync(cuda::all_lanes, own, i));
      }
    }
  }

  __device__ static bool has_own_bit(std::uint32_t word) {
    return (word >> cuda::lane() & 1u) != 0;
  }

  const View& view_;
  const WordSlice slice_;
  const UnionFind sets_;
  vertex_t* const warp_roots_;
  const vertex_t giant_;
};

}  // namespace warpgraph::afforest
