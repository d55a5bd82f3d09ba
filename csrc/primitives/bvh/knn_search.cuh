// The search for the k nearest neighbours of points, in the order of (squared distance, id). A warp
// finds the neighbours of the points of a leaf, which are its queries; each lane keeps the list of
// its own point.
//
// Short lists are in registers (RegisterList). Longer ones are heaps in device memory
// (knn/neighbour_heap.cuh).
#pragma once

#include "primitives/bvh/bvh.cuh"
#include "primitives/knn/device_lists.cuh"
#include "primitives/knn/neighbour_heap.cuh"

namespace warpgraph::bvh {

namespace detail {

/// The nearest points so far, nearest first. Neighbours are positions.
template <class T, int length>
struct RegisterList {
  const vertex_t* ids;
  T key[length];
  vertex_t neighbour[length];

  __device__ explicit RegisterList(const vertex_t* i) : ids(i) {
#pragma unroll
    for (int j = 0; j < length; ++j) {
      key[j] = infinity<T>();
      neighbour[j] = no_vertex;
    }
  }
  __device__ T radius() const { return key[length - 1]; }
  /// Returns whether an id comes before that of the last neighbour.
  __device__ bool is_before_last(vertex_t id) const {
    const vertex_t last = neighbour[length - 1];
    return last == no_vertex || id < ids[last];
  }
  /// Returns whether neighbour j comes before the point at a position, which has the key `other`.
  __device__ __forceinline__ bool before(int j, T other, vertex_t position) const {
    return key[j] < other ||
           (key[j] == other && neighbour[j] != no_vertex && ids[neighbour[j]] < ids[position]);
  }
  /// Inserts the point at a position, whose key `found` is at most radius(), in place of the last
  /// neighbour; does nothing if that comes before it, which at the same key it may.
  __device__ __forceinline__ void insert(T found, vertex_t position) {
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

/// The nearest points so far, as a heap in device memory. Neighbours are ids.
template <class T>
struct HeapOfIds : knn::HeapList<T> {
  const vertex_t* ids;

  __device__ __forceinline__ void insert(T found, vertex_t position) {
    knn::HeapList<T>::insert(found, ids[position]);
  }
};

/// The search of a lane for the neighbours of its point.
template <class T, int D, class List>
struct KnnSearch {
  const Bvh<T, D>& bvh;
  const WarpQueries<T, D>& queries;
  vertex_t self;  // position of the query point
  bool active;
  List list;
  T warp_radius = infinity<T>();  // largest radius of the warp

  __device__ KnnSearch(const Bvh<T, D>& t, const WarpQueries<T, D>& s, vertex_t position, List l)
      : bvh(t), queries(s), self(position), active(position < t.n_points), list(l) {}

  __device__ void update_radius() { warp_radius = cuda::warp_max(active ? list.radius() : T(-1)); }
  __device__ bool reaches(int, vertex_t, T bound) const { return bound <= warp_radius; }
  /// Returns whether this lane's query needs a node. Ids break ties of keys: to a point very far
  /// from all others, the rounded distances are all equal, and without ids it would need all nodes.
  __device__ bool accepts(int level, vertex_t node, T bound) const {
    if (!active || !(bound <= list.radius())) return false;
    return bound < list.radius() || list.is_before_last(bvh.least_id[level][node]);
  }
  __device__ __forceinline__ void visit(vertex_t leaf, unsigned accepting) {
    if (__popc(accepting) <= max_cooperative_queries) {
      visit_cooperatively(
          bvh, queries, leaf, accepting, list.radius(), [](int, T squared) { return squared; },
          [](int) { return true; }, [&](T found, vertex_t position) { consider(found, position); });
      return;
    }
    constexpr int step = distances_per_load<T>;
    const T* from = bvh.leaf(leaf);
    for (int first = 0; first < branching_factor; first += step) {
      const DistanceChunk<T, D, step> distances(queries, from, first);
      if (!distances.any_within(list.radius())) continue;
#pragma unroll
      for (int i = 0; i < step; ++i) {
        consider(distances.key[i], leaf * branching_factor + first + i);
      }
    }
  }
  __device__ __forceinline__ void consider(T found, vertex_t position) {
    if (!(found <= list.radius()) || position == self) return;
    list.insert(found, position);
  }
};

/// Finds the neighbours of the points of a leaf. All lanes of a warp call it. list_of(position) is
/// the empty list of this lane's point; store(position, list) is called with the full one.
template <class T, int D, class ListOf, class Store>
__device__ __forceinline__ void search_leaf(const Bvh<T, D>& bvh, vertex_t leaf, ListOf&& list_of,
                                            Store&& store) {
  const vertex_t position = leaf * branching_factor + cuda::lane();
  WarpQueries<T, D> queries;
#pragma unroll
  for (int k = 0; k < D; ++k) queries.point[k] = bvh.coordinate(position, k);
  queries.fit_box(position < bvh.n_points);
  KnnSearch<T, D, decltype(list_of(position))> search(bvh, queries, position, list_of(position));
  traverse(bvh, queries, leaf, search);
  if (search.active) store(position, search.list);
}

}  // namespace detail

/// Finds the neighbours of the points of the leaves from `first_leaf` on, in lists of `length`,
/// nearest first. Neighbours are positions.
template <class T, int D, int length>
__global__ void __launch_bounds__(cuda::threads_per_block)
    find_knn(const __grid_constant__ Bvh<T, D> bvh, const vertex_t* ids, knn::DeviceLists<T> lists,
             std::int64_t first_leaf) {
  const std::int64_t leaf = first_leaf + cuda::global_index() / cuda::warp_lanes;
  if (leaf >= bvh.n_leaves()) return;  // the whole warp
  detail::search_leaf(
      bvh, static_cast<vertex_t>(leaf),
      [&](vertex_t) { return detail::RegisterList<T, length>(ids); },
      [&](vertex_t position, const detail::RegisterList<T, length>& found) {
#pragma unroll
        for (int j = 0; j < length; ++j) {
          const std::int64_t at = j * lists.stride + position - lists.first_position;
          lists.key[at] = found.key[j];
          lists.neighbour[at] = found.neighbour[j];
        }
      });
}

/// Finds the same in lists of any length. Neighbours are ids. If not `sorted`, lists stay heaps,
/// whose first place has the last neighbour.
template <class T, int D>
__global__ void __launch_bounds__(cuda::threads_per_block)
    find_knn_by_heaps(const __grid_constant__ Bvh<T, D> bvh, const vertex_t* ids,
                      knn::DeviceLists<T> lists, int length, bool sorted, std::int64_t first_leaf) {
  const std::int64_t leaf = first_leaf + cuda::global_index() / cuda::warp_lanes;
  if (leaf >= bvh.n_leaves()) return;  // the whole warp
  detail::search_leaf(
      bvh, static_cast<vertex_t>(leaf),
      [&](vertex_t position) {
        // Lanes without a point have the list of the last point, for an address that exists. They
        // do not touch it: their coordinates are NaN, so no point is within their radius.
        const std::int64_t at = min(position, bvh.n_points - 1) - lists.first_position;
        detail::HeapOfIds<T> list{
            {{lists.key + at, lists.neighbour + at, lists.stride, length}, {}}, ids};
        if (position < bvh.n_points) list.clear();
        return list;
      },
      [&](vertex_t, detail::HeapOfIds<T>& found) {
        if (sorted) found.heap.sort();
      });
}

}  // namespace warpgraph::bvh
