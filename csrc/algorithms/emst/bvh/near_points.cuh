// The few nearest points of every point, in the order of pairs, by a warp a leaf.
//
// Boruvka's rounds ask every point for its nearest point outside its component. Components only
// grow, so the answer moves along the point's list and seldom beyond its end; beyond it, the last
// distance seen is a lower bound that tells most points not to ask at all.
#pragma once

#include "algorithms/emst/bvh/box_tree.cuh"

namespace warpgraph::emst {

/// Points of a list. Most edges of a tree lead to one of these; measured: fewer cost later searches
/// more than the lists save, more cost the lists.
template <int D>
inline constexpr int near_points = D <= 4 ? 5 : 6;

/// The i-th nearest point of a point is at [i * stride + its position]; at: no_vertex if none.
template <class T>
struct NearLists {
  T* key;
  vertex_t* at;
  std::int64_t stride;
};

namespace detail {

/// What a lane finds for its point, nearest first.
template <class T, int D, int length>
struct ListSearch {
  const BoxTree<T, D>& tree;
  const Searchers<T, D>& searchers;
  const vertex_t* ids;
  vertex_t own;  // position
  bool active;
  T reach = infinity<T>();  // of the farthest searcher
  T key[length];
  vertex_t at[length];

  __device__ ListSearch(const BoxTree<T, D>& t, const Searchers<T, D>& s, const vertex_t* i,
                        vertex_t position)
      : tree(t), searchers(s), ids(i), own(position), active(position < t.n_points) {
#pragma unroll
    for (int j = 0; j < length; ++j) {
      key[j] = infinity<T>();
      at[j] = no_vertex;
    }
  }

  __device__ void refresh() { reach = warp_max(active ? key[length - 1] : T(-1)); }
  __device__ T farthest() const { return reach; }
  __device__ bool skip(int, vertex_t) const { return false; }
  /// Ids decide between equal keys. To a point far from all others, all are equally far.
  __device__ bool wants(int level, vertex_t node, T bound) const {
    if (!active || !(bound <= key[length - 1])) return false;
    const vertex_t last = at[length - 1];
    return bound < key[length - 1] || last == no_vertex || tree.least_id[level][node] < ids[last];
  }
  __device__ __forceinline__ void visit(vertex_t leaf, unsigned wanted) {
    if (__popc(wanted) <= few_searchers) {
      visit_for_few(leaf, wanted);
      return;
    }
    constexpr int step = distances_at_once<T>;
    const T* from = tree.leaf(leaf);
    for (int first = 0; first < fan; first += step) {
      const SomeDistances<T, D, step> distances(searchers, from, first);
      if (!distances.any_within(key[length - 1])) continue;
#pragma unroll
      for (int i = 0; i < step; ++i) consider(distances.key[i], leaf * fan + first + i);
    }
  }
  __device__ __forceinline__ void visit_for_few(vertex_t leaf, unsigned wanted) {
    const LeafPoint<T, D> point(tree.leaf(leaf));
    for (; wanted != 0; wanted &= wanted - 1) {
      const int who = __ffs(static_cast<int>(wanted)) - 1;
      const T distance = point.distance(searchers, who);
      const T limit = __shfl_sync(cuda::all_lanes, key[length - 1], who);
      unsigned hits = __ballot_sync(cuda::all_lanes, distance <= limit);
      for (; hits != 0; hits &= hits - 1) {
        const int hit = __ffs(static_cast<int>(hits)) - 1;
        const T found = __shfl_sync(cuda::all_lanes, distance, hit);
        if (cuda::lane() == who) consider(found, leaf * fan + hit);
      }
    }
  }
  __device__ __forceinline__ bool before(int j, T other, vertex_t position) const {
    return key[j] < other || (key[j] == other && at[j] != no_vertex && ids[at[j]] < ids[position]);
  }
  __device__ __forceinline__ void consider(T found, vertex_t position) {
    if (!(found <= key[length - 1]) || position == own) return;
    if (before(length - 1, found, position)) return;
    bool placed = false;
#pragma unroll
    for (int j = length - 1; j > 0; --j) {
      if (placed) continue;
      placed = before(j - 1, found, position);
      key[j] = placed ? found : key[j - 1];
      at[j] = placed ? position : at[j - 1];
    }
    if (!placed) {
      key[0] = found;
      at[0] = position;
    }
  }
};

}  // namespace detail

/// From `first_leaf` on.
template <class T, int D, int length>
__global__ void __launch_bounds__(cuda::threads_per_block)
    find_near_points(const __grid_constant__ BoxTree<T, D> tree, const vertex_t* ids,
                     NearLists<T> lists, std::int64_t first_leaf) {
  const std::int64_t home = first_leaf + cuda::global_index() / cuda::warp_lanes;
  if (home >= tree.n_leaves()) return;  // the whole warp
  const auto leaf = static_cast<vertex_t>(home);
  const vertex_t position = leaf * fan + cuda::lane();
  Searchers<T, D> searchers;
#pragma unroll
  for (int k = 0; k < D; ++k) searchers.point[k] = tree.coordinate(position, k);
  searchers.fit_box(position < tree.n_points);
  detail::ListSearch<T, D, length> search(tree, searchers, ids, position);
  walk(tree, searchers, leaf, search);
  if (!search.active) return;
#pragma unroll
  for (int j = 0; j < length; ++j) {
    lists.key[j * lists.stride + position] = search.key[j];
    lists.at[j * lists.stride + position] = search.at[j];
  }
}

}  // namespace warpgraph::emst
