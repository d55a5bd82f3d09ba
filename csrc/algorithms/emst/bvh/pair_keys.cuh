// The computation of the keys of pairs, and of lower bounds of keys, in the kernels of Boruvka's
// algorithm.
//
// Bounds are computed as keys are, from squared distances that are no larger. Rounding is monotone,
// so no bound exceeds a key.
#pragma once

#include "primitives/bvh/bvh.cuh"

namespace warpgraph::emst {

using bvh::Bvh;

// Entries of a list of neighbours are positions, or no_vertex, which is -1. If the list may lack a
// point that comes before an entry in the order of pairs, the entry is unsure: it is -2 - position,
// which toggle_unsure() makes of a position and back.
WARPGRAPH_HOST_DEVICE inline vertex_t toggle_unsure(vertex_t position) { return -2 - position; }
/// Returns whether an entry is surely the next neighbour in the order of pairs.
WARPGRAPH_HOST_DEVICE inline bool is_next(vertex_t entry) { return entry >= 0; }

/// The keys of the plain tree: squared distances. ReachabilityKeys has the same functions, with
/// what they return.
template <class T>
struct EuclideanKeys {
  /// States that a list has the nearest neighbours in the order of pairs, so no entry is unsure.
  static constexpr bool has_whole_lists = true;
  struct Query {};

  __device__ Query query(vertex_t) const { return {}; }
  __device__ T of_pair(Query, T squared, vertex_t) const { return squared; }
  __device__ T of_node(T squared, int, vertex_t) const { return squared; }
  __device__ T of_node(Query, T squared, int, vertex_t) const { return squared; }
  __device__ auto of_lane(Query, vertex_t) const {
    return [](int, T squared) { return squared; };
  }
  template <int n>
  __device__ void replace(Query, vertex_t, T (&)[n]) const {}
  __device__ T bound_beyond_list(std::int64_t, T last_key) const { return last_key; }
};

/// The keys of the tree of mutual-reachability distances.
template <class T>
struct ReachabilityKeys {
  static constexpr bool has_whole_lists = false;
  struct Query {
    T core;
  };

  T factor;                        // of squared distances
  const T* core;                   // of positions; inf beyond the last one, up to the leaf's end
  const T* list_bound;             // of positions: no pair that the list lacks has a smaller key
  T* least_core[bvh::max_levels];  // of the points below each node of a level

  /// Returns the largest of three. Unlike max(), the last comparison keeps a squared distance that
  /// is NaN.
  __device__ static T largest(T core_u, T core_v, T squared) {
    const T least = core_u < core_v ? core_v : core_u;
    return squared < least ? least : squared;
  }

  /// Returns what the keys of a point's pairs depend on besides distances.
  __device__ Query query(vertex_t position) const { return {core[position]}; }
  /// Returns the key of the pair of the query and the point at a position.
  __device__ T of_pair(Query query, T squared, vertex_t position) const {
    return largest(query.core, core[position], squared * factor);
  }
  /// Returns a lower bound of the keys of any query and the points below a node, whose box is at
  /// this squared distance.
  __device__ T of_node(T squared, int level, vertex_t node) const {
    return max(least_core[level][node], squared * factor);
  }
  /// Returns a lower bound of the keys of this query and the points below a node.
  __device__ T of_node(Query query, T squared, int level, vertex_t node) const {
    return max(query.core, of_node(squared, level, node));
  }
  /// Returns the function of visit_cooperatively for this lane's point of the leaf.
  __device__ auto of_lane(Query query, vertex_t at_lane) const {
    const T own_core = query.core;
    const T lane_core = core[at_lane];
    return [own_core, lane_core, this](int other, T squared) {
      const T other_core = __shfl_sync(cuda::all_lanes, own_core, other);
      return largest(other_core, lane_core, squared * factor);
    };
  }
  /// Replaces squared distances to n consecutive points of a leaf by keys.
  template <int n>
  __device__ __forceinline__ void replace(Query query, vertex_t first, T (&keys)[n]) const {
    struct alignas(sizeof(T) * n) Cores {
      T item[n];
    };
    const Cores cores = *reinterpret_cast<const Cores*>(core + first);  // one wide load
#pragma unroll
    for (int i = 0; i < n; ++i) keys[i] = largest(query.core, cores.item[i], keys[i] * factor);
  }
  /// Returns a lower bound of the keys of the pairs that a point's list lacks. `last_key` is that
  /// of the list's last entry.
  __device__ T bound_beyond_list(std::int64_t position, T last_key) const {
    return max(list_bound[position], last_key);
  }
};

}  // namespace warpgraph::emst
