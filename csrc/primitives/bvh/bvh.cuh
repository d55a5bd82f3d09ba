// A bounding volume hierarchy over points in Hilbert order: a leaf is 32 consecutive points, an
// inner node 32 consecutive nodes of the level below. Only boxes are stored; children follow from
// the numbers of nodes.
//
// A warp searches for 32 query points at once, one per lane. First each lane tests one of the 32
// children of a node against the box of all queries. Then the warp goes through the children that
// passed, and each lane tests the child against its own query. So the warp does not diverge and
// reads whole cache lines only.
#pragma once

#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "core/types.hpp"

#include <array>

namespace warpgraph::bvh {

/// Number of points of a leaf, and of children of a node.
inline constexpr int branching_factor = cuda::warp_lanes;
/// Upper bound on the levels: 32^7 points are more than vertex_t can number.
inline constexpr int max_levels = 6;

template <class T>
__device__ T square(T x) {
  return x * x;
}

/// View of a BVH. Level 0 holds the leaves; the highest level has at most `branching_factor` nodes.
template <class T>
struct BvhNodes {
  // Coordinate k of a leaf's i-th point is at (leaf * D + k) * branching_factor + i. Beyond the
  // last point it is NaN, so that every comparison with such a distance is false.
  T* coordinates;
  // The boxes of 32 siblings are contiguous, axis by axis, lowest corners first.
  T* boxes[max_levels];
  // The smallest id of a node's points, which breaks ties.
  vertex_t* least_id[max_levels];
  vertex_t n_nodes[max_levels];
  int n_levels;
  vertex_t n_points;

  [[nodiscard]] __host__ __device__ vertex_t n_leaves() const { return n_nodes[0]; }

  // As those of Bvh below, for kernels that are too short to be compiled for each dimension.
  __device__ T* leaf(vertex_t number, int dimension) const {
    return coordinates + static_cast<std::int64_t>(number) * (dimension * branching_factor);
  }
  __device__ T coordinate(vertex_t position, int axis, int dimension) const {
    return leaf(position / branching_factor,
                dimension)[axis * branching_factor + position % branching_factor];
  }
  __device__ T* box(int level, vertex_t node, int dimension) const {
    return boxes[level] +
           static_cast<std::int64_t>(node / branching_factor) * (2 * dimension * branching_factor) +
           node % branching_factor;
  }
};

template <class T, int D>
struct Bvh : BvhNodes<T> {
  __device__ const T* leaf(vertex_t number) const { return BvhNodes<T>::leaf(number, D); }
  __device__ T coordinate(vertex_t position, int axis) const {
    return BvhNodes<T>::coordinate(position, axis, D);
  }
  /// Returns the box of a node: its lowest corner has its coordinate k at [k * branching_factor],
  /// the highest corner at [(D + k) * branching_factor].
  __device__ T* box(int level, vertex_t node) const { return BvhNodes<T>::box(level, node, D); }
};

/// The query points of a warp's lanes, with their bounding box.
template <class T, int D>
struct WarpQueries {
  T point[D];
  T low[D];
  T high[D];

  /// Fits the box to the points of `active` lanes. All lanes must call this.
  __device__ void fit_box(bool active) {
#pragma unroll
    for (int k = 0; k < D; ++k) {
      low[k] = cuda::warp_min(active ? point[k] : infinity<T>());
      high[k] = -cuda::warp_min(active ? -point[k] : infinity<T>());
    }
  }
  // Lower bounds of the computed squared distances to points in a box: sums of the same shape, of
  // gaps that are no larger. Rounding is monotone, so no bound exceeds a computed distance.
  __device__ __forceinline__ T point_bound(const T* box) const {
    T sum = 0;
#pragma unroll
    for (int k = 0; k < D; ++k) {
      const T gap =
          max(max(box[k * branching_factor] - point[k], point[k] - box[(D + k) * branching_factor]),
              T(0));
      sum += square(gap);
    }
    return sum;
  }
  __device__ __forceinline__ T box_bound(const T* box) const {
    T sum = 0;
#pragma unroll
    for (int k = 0; k < D; ++k) {
      const T gap = max(
          max(box[k * branching_factor] - high[k], low[k] - box[(D + k) * branching_factor]), T(0));
      sum += square(gap);
    }
    return sum;
  }
};

/// Visits the leaves that a warp's queries may reach, those around leaf `start` first. Radii are
/// squared distances. The policy:
///   void update_radius()               called by all lanes before a group of siblings is tested
///   bool reaches(level, node, bound)   some query may need this node, which is at that bound from
///                                      the box of all queries; asked by one lane
///   bool accepts(level, node, bound)   this lane's query needs this node, which is at that bound
///   void visit(leaf, accepting)        by all lanes; `accepting`: bit mask of lanes that accepted.
template <class T, int D, class Policy>
__device__ __forceinline__ void traverse(const Bvh<T, D>& bvh, const WarpQueries<T, D>& queries,
                                         vertex_t start, Policy& policy) {
  int top = 0;  // levels below are finished, except for the ancestors of `start`
  int level = 0;
  vertex_t searched = start;  // at level `top`
  vertex_t group = start / branching_factor;
  // The siblings of the group that are still to be visited; lane l of `stack` has those at level l
  // of the path down.
  unsigned pending = 1u << (start % branching_factor);
  unsigned stack = 0;
  bool at_start = true;
  for (;;) {
    vertex_t excluded = no_vertex;
    if (pending != 0) {
      const vertex_t node = group * branching_factor + cuda::first_lane(pending);
      pending &= pending - 1;
      const T bound = queries.point_bound(bvh.box(level, node));
      const unsigned accepting = __ballot_sync(cuda::all_lanes, policy.accepts(level, node, bound));
      if (accepting == 0) continue;
      if (level == 0) {
        policy.visit(node, accepting);
        continue;
      }
      if (cuda::lane() == level) stack = pending;
      --level;
      group = node;
    } else if (level < top) {
      ++level;
      group /= branching_factor;
      pending = __shfl_sync(cuda::all_lanes, stack, level);
      continue;
    } else {
      if (!at_start) {
        if (++top == bvh.n_levels) return;
        level = top;
        searched /= branching_factor;
        group = searched / branching_factor;
      }
      at_start = false;
      excluded = searched;
    }
    policy.update_radius();
    const vertex_t node = group * branching_factor + cuda::lane();
    bool reached = node < bvh.n_nodes[level] && node != excluded;
    if (reached) {
      reached = policy.reaches(level, node, queries.box_bound(bvh.box(level, node)));
    }
    pending = __ballot_sync(cuda::all_lanes, reached);
  }
}

/// Computes the squared distances from a lane's query to `step` points of a leaf. All lanes read
/// the same points.
template <class T, int D, int step>
struct DistanceChunk {
  T key[step];

  __device__ __forceinline__ DistanceChunk(const WarpQueries<T, D>& queries, const T* leaf,
                                           int first) {
    struct alignas(sizeof(T) * step) Line {
      T item[step];
    };
#pragma unroll
    for (int k = 0; k < D; ++k) {
      const Line line = *reinterpret_cast<const Line*>(leaf + k * branching_factor + first);
#pragma unroll
      for (int i = 0; i < step; ++i) {
        const T squared = square(queries.point[k] - line.item[i]);
        key[i] = k == 0 ? squared : key[i] + squared;
      }
    }
  }
  __device__ __forceinline__ bool any_within(T radius) const {
    bool any = false;
#pragma unroll
    for (int i = 0; i < step; ++i) any = any || key[i] <= radius;
    return any;
  }
};

/// Number of queries up to which the lanes compute the distances of one query to all points of a
/// leaf, query by query. With more, each lane computes the distances of its own query, point by
/// point. Half of all visits have at most 4 queries; measured: 4 and 14 are as good within a few
/// per cent.
inline constexpr int max_cooperative_queries = 8;

/// Considers the points of a leaf for the queries of all lanes, which call this together.
/// key_of(query, squared) is the key of this lane's point for the query of that lane, at that
/// squared distance; may_take(query) tells whether the query may take it. consider(key, position)
/// is called by each accepting lane, for the points that it may take within its radius.
template <class T, int D, class KeyOf, class MayTake, class Consider>
__device__ __forceinline__ void visit_cooperatively(const Bvh<T, D>& bvh,
                                                    const WarpQueries<T, D>& queries, vertex_t leaf,
                                                    unsigned accepting, T radius, KeyOf&& key_of,
                                                    MayTake&& may_take, Consider&& consider) {
  T coordinate[D];
#pragma unroll
  for (int k = 0; k < D; ++k) {
    coordinate[k] = bvh.leaf(leaf)[k * branching_factor + cuda::lane()];
  }
  for (; accepting != 0; accepting &= accepting - 1) {
    const int query = cuda::first_lane(accepting);
    T key = 0;
#pragma unroll
    for (int k = 0; k < D; ++k) {
      key += square(__shfl_sync(cuda::all_lanes, queries.point[k], query) - coordinate[k]);
    }
    key = key_of(query, key);
    const T limit = __shfl_sync(cuda::all_lanes, radius, query);
    const bool takes = may_take(query);
    unsigned hits = __ballot_sync(cuda::all_lanes, takes && key <= limit);
    for (; hits != 0; hits &= hits - 1) {
      const int hit = cuda::first_lane(hits);
      const T found = __shfl_sync(cuda::all_lanes, key, hit);
      if (cuda::lane() == query) consider(found, leaf * branching_factor + hit);
    }
  }
}

/// The items of a 16-byte load, the longest of a lane.
template <class T>
inline constexpr int distances_per_load = 16 / sizeof(T);

}  // namespace warpgraph::bvh
