// The k nearest neighbours of every point, in the order of pairs. A warp searches for the points of
// a leaf.
//
// In each round of Boruvka's algorithm, a point needs its nearest neighbour outside its component.
// Components only grow, so the answer moves forward in the point's list, and seldom beyond its end.
// Beyond the end, the last key is a lower bound, which spares most points a search.
#pragma once

#include "algorithms/emst/bvh/bvh.cuh"

namespace warpgraph::emst {

/// Length of a list. Most edges of a tree lead to one of these neighbours. Measured: shorter lists
/// cost more in later searches than they save, longer ones cost more to build.
template <int D>
inline constexpr int knn_length = D <= 4 ? 5 : 6;

/// The i-th nearest neighbour of the point at position p is at [i * stride + p]: its key and its
/// position, or no_vertex.
template <class T>
struct DeviceKnnLists {
  T* key;
  vertex_t* neighbour;
  std::int64_t stride;
};

namespace detail {

/// The search of a lane for the neighbours of its point, nearest first.
template <class T, int D, int length>
struct KnnSearch {
  const Bvh<T, D>& bvh;
  const WarpQueries<T, D>& queries;
  const vertex_t* ids;
  vertex_t self;  // position of the query point
  bool active;
  T warp_radius = infinity<T>();  // the largest radius of the warp
  T key[length];
  vertex_t neighbour[length];

  __device__ KnnSearch(const Bvh<T, D>& t, const WarpQueries<T, D>& s, const vertex_t* i,
                       vertex_t position)
      : bvh(t), queries(s), ids(i), self(position), active(position < t.n_points) {
#pragma unroll
    for (int j = 0; j < length; ++j) {
      key[j] = infinity<T>();
      neighbour[j] = no_vertex;
    }
  }

  __device__ void update_radius() {
    warp_radius = cuda::warp_max(active ? key[length - 1] : T(-1));
  }
  __device__ T max_radius() const { return warp_radius; }
  __device__ bool skip(int, vertex_t) const { return false; }
  /// Ids break ties of keys. For a point far from all others, all of them tie.
  __device__ bool accepts(int level, vertex_t node, T bound) const {
    if (!active || !(bound <= key[length - 1])) return false;
    const vertex_t last = neighbour[length - 1];
    return bound < key[length - 1] || last == no_vertex || bvh.least_id[level][node] < ids[last];
  }
  __device__ __forceinline__ void visit(vertex_t leaf, unsigned accepting) {
    if (__popc(accepting) <= max_cooperative_queries) {
      visit_cooperatively(
          bvh, queries, leaf, accepting, key[length - 1], [](int) { return true; },
          [&](T found, vertex_t position) { consider(found, position); });
      return;
    }
    constexpr int step = distances_per_load<T>;
    const T* from = bvh.leaf(leaf);
    for (int first = 0; first < branching_factor; first += step) {
      const DistanceChunk<T, D, step> distances(queries, from, first);
      if (!distances.any_within(key[length - 1])) continue;
#pragma unroll
      for (int i = 0; i < step; ++i) {
        consider(distances.key[i], leaf * branching_factor + first + i);
      }
    }
  }
  __device__ __forceinline__ bool before(int j, T other, vertex_t position) const {
    return key[j] < other ||
           (key[j] == other && neighbour[j] != no_vertex && ids[neighbour[j]] < ids[position]);
  }
  __device__ __forceinline__ void consider(T found, vertex_t position) {
    if (!(found <= key[length - 1]) || position == self) return;
    if (before(length - 1, found, position)) return;
    bool inserted = false;
#pragma unroll
    for (int j = length - 1; j > 0; --j) {
      if (inserted) continue;
      inserted = before(j - 1, found, position);
      key[j] = inserted ? found : key[j - 1];
      neighbour[j] = inserted ? position : neighbour[j - 1];
    }
    if (!inserted) {
      key[0] = found;
      neighbour[0] = position;
    }
  }
};

}  // namespace detail

/// Searches for the points of the leaves from `first_leaf` on.
template <class T, int D, int length>
__global__ void __launch_bounds__(cuda::threads_per_block)
    find_knn(const __grid_constant__ Bvh<T, D> bvh, const vertex_t* ids, DeviceKnnLists<T> lists,
             std::int64_t first_leaf) {
  const std::int64_t leaf_index = first_leaf + cuda::global_index() / cuda::warp_lanes;
  if (leaf_index >= bvh.n_leaves()) return;  // the whole warp
  const auto leaf = static_cast<vertex_t>(leaf_index);
  const vertex_t position = leaf * branching_factor + cuda::lane();
  WarpQueries<T, D> queries;
#pragma unroll
  for (int k = 0; k < D; ++k) queries.point[k] = bvh.coordinate(position, k);
  queries.fit_box(position < bvh.n_points);
  detail::KnnSearch<T, D, length> search(bvh, queries, ids, position);
  traverse(bvh, queries, leaf, search);
  if (!search.active) return;
#pragma unroll
  for (int j = 0; j < length; ++j) {
    lists.key[j * lists.stride + position] = search.key[j];
    lists.neighbour[j * lists.stride + position] = search.neighbour[j];
  }
}

}  // namespace warpgraph::emst
