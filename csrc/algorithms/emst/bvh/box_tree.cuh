// A tree of bounding boxes over points in the order of a curve: a leaf is 32 consecutive points, a
// node 32 consecutive nodes of the level below. Nothing but the boxes is stored; who is whose
// child follows from the numbers.
//
// A warp searches for 32 points at once, one a lane. Lanes first look at the 32 children of a node
// together, a child each, for those that any of the points could reach; then at each of those with
// one point each. So a warp never diverges, and reads nothing but whole lines.
#pragma once

#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "core/types.hpp"

#include <array>

namespace warpgraph::emst {

inline constexpr int fan = cuda::warp_lanes;  // points in a leaf, and children of a node
/// 32^7 points are more than there are.
inline constexpr int most_levels = 6;

template <class T>
__device__ T square(T x) {
  return x * x;
}

/// Level 0 are the leaves; the highest level has at most `fan` nodes.
template <class T, int D>
struct BoxTree {
  // Coordinate k of a leaf's i-th point is at (leaf * D + k) * fan + i; NaN beyond the last point,
  // so that every comparison with its distance is false.
  T* coordinates;
  // The boxes of 32 siblings lie together, axis by axis, lowest corners first.
  T* boxes[most_levels];
  // The smallest id of a node's points: it decides ties.
  vertex_t* least_id[most_levels];
  vertex_t n_nodes[most_levels];
  int n_levels;
  vertex_t n_points;

  [[nodiscard]] __host__ __device__ vertex_t n_leaves() const { return n_nodes[0]; }
  __device__ const T* leaf(vertex_t number) const {
    return coordinates + static_cast<std::int64_t>(number) * (D * fan);
  }
  __device__ T coordinate(vertex_t position, int axis) const {
    return leaf(position / fan)[axis * fan + position % fan];
  }
  /// Where the lowest corners' axis k of a node is at [k * fan], the highest's at [(D + k) * fan].
  __device__ T* box(int level, vertex_t node) const {
    return boxes[level] + static_cast<std::int64_t>(node / fan) * (2 * D * fan) + node % fan;
  }
};

/// The points that the lanes of a warp search for, with their box.
template <class T, int D>
struct Searchers {
  T point[D];
  T low[D];
  T high[D];

  /// Lanes that are not `active` have no part in the box; all lanes must call.
  __device__ void fit_box(bool active) {
#pragma unroll
    for (int k = 0; k < D; ++k) {
      low[k] = cuda::warp_min(active ? point[k] : infinity<T>());
      high[k] = -cuda::warp_min(active ? -point[k] : infinity<T>());
    }
  }
  // Lower bounds of the computed squared distances to points in a box: sums of the same shape, of
  // gaps that are no larger. Rounding is monotone, so no bound exceeds a computed distance.
  __device__ __forceinline__ T bound_of_point(const T* box) const {
    T sum = 0;
#pragma unroll
    for (int k = 0; k < D; ++k) {
      const T gap = max(max(box[k * fan] - point[k], point[k] - box[(D + k) * fan]), T(0));
      sum += square(gap);
    }
    return sum;
  }
  __device__ __forceinline__ T bound_of_all(const T* box) const {
    T sum = 0;
#pragma unroll
    for (int k = 0; k < D; ++k) {
      const T gap = max(max(box[k * fan] - high[k], low[k] - box[(D + k) * fan]), T(0));
      sum += square(gap);
    }
    return sum;
  }
};

template <class T>
__device__ T warp_max(T value) {
  return -cuda::warp_min(-value);
}

/// Visits the leaves that a warp's searchers may reach, those around leaf `home` first. The policy:
///   T farthest()                       no searcher reaches farther; in all lanes
///   bool skip(level, node)             whether no searcher wants this node; asked by one lane
///   bool wants(level, node, bound)     whether this lane's searcher, at that distance, does
///   void visit(leaf, wanted)           by all lanes; `wanted` has a bit for each lane that wants
///   it
template <class T, int D, class Policy>
__device__ __forceinline__ void walk(const BoxTree<T, D>& tree, const Searchers<T, D>& searchers,
                                     vertex_t home, Policy& policy) {
  int top = 0;  // the levels below are done with, but for the ancestors of `home`
  int level = 0;
  vertex_t done = home;  // at level `top`
  vertex_t group = home / fan;
  unsigned open = 1u << (home % fan);  // siblings of the group that are still to be seen
  unsigned waiting = 0;                // lane l: of those at level l, after a descent
  bool at_home = true;
  for (;;) {
    vertex_t leave_out = no_vertex;
    if (open != 0) {
      const vertex_t node = group * fan + (__ffs(static_cast<int>(open)) - 1);
      open &= open - 1;
      const T bound = searchers.bound_of_point(tree.box(level, node));
      const unsigned wanted = __ballot_sync(cuda::all_lanes, policy.wants(level, node, bound));
      if (wanted == 0) continue;
      if (level == 0) {
        policy.visit(node, wanted);
        continue;
      }
      if (cuda::lane() == level) waiting = open;
      --level;
      group = node;
    } else if (level < top) {
      ++level;
      group /= fan;
      open = __shfl_sync(cuda::all_lanes, waiting, level);
      continue;
    } else {
      if (!at_home) {
        if (++top == tree.n_levels) return;
        level = top;
        done /= fan;
        group = done / fan;
      }
      at_home = false;
      leave_out = done;
    }
    policy.refresh();
    const vertex_t node = group * fan + cuda::lane();
    bool reached = node < tree.n_nodes[level] && node != leave_out;
    if (reached) {
      reached = searchers.bound_of_all(tree.box(level, node)) <= policy.farthest() &&
                !policy.skip(level, node);
    }
    open = __ballot_sync(cuda::all_lanes, reached);
  }
}

/// Squared distances from a lane's point to `step` points of a leaf, read by all lanes at once.
template <class T, int D, int step>
struct SomeDistances {
  T key[step];

  __device__ __forceinline__ SomeDistances(const Searchers<T, D>& searchers, const T* leaf,
                                           int first) {
    struct alignas(sizeof(T) * step) Line {
      T item[step];
    };
#pragma unroll
    for (int k = 0; k < D; ++k) {
      const Line line = *reinterpret_cast<const Line*>(leaf + k * fan + first);
#pragma unroll
      for (int i = 0; i < step; ++i) {
        const T squared = square(searchers.point[k] - line.item[i]);
        key[i] = k == 0 ? squared : key[i] + squared;
      }
    }
  }
  __device__ __forceinline__ bool any_within(T reach) const {
    bool any = false;
#pragma unroll
    for (int i = 0; i < step; ++i) any = any || key[i] <= reach;
    return any;
  }
};

/// With so few searchers that want a leaf, its points are looked at side by side, for one searcher
/// after the other; with more, one after the other, for all searchers side by side. Half of all
/// visits are of at most 4 searchers; measured: 4 and 14 are as good within some per cent.
inline constexpr int few_searchers = 8;

/// The squared distances of one searcher, number `who`, to all points of a leaf, a point a lane.
template <class T, int D>
struct LeafPoint {
  T coordinate[D];

  __device__ __forceinline__ LeafPoint(const T* leaf) {
#pragma unroll
    for (int k = 0; k < D; ++k) coordinate[k] = leaf[k * fan + cuda::lane()];
  }
  __device__ __forceinline__ T distance(const Searchers<T, D>& searchers, int who) const {
    T sum = 0;
#pragma unroll
    for (int k = 0; k < D; ++k) {
      const T searcher = __shfl_sync(cuda::all_lanes, searchers.point[k], who);
      sum += square(searcher - coordinate[k]);
    }
    return sum;
  }
};

/// As many as 16 bytes hold, which is what a lane reads at once.
template <class T>
inline constexpr int distances_at_once = 16 / sizeof(T);

}  // namespace warpgraph::emst
