// Writes lists of neighbours to the rows of results.
#pragma once

#include "algorithms/knn/knn.hpp"
#include "core/cuda/launch.cuh"
#include "core/interrupt.hpp"
#include "primitives/knn/device_lists.cuh"

namespace warpgraph::knn {

/// The rows of the results, and what they hold.
struct Rows {
  NeighboursView out;
  std::int64_t n_neighbors;
  bool include_self;

  __device__ void put(std::int64_t at, vertex_t neighbour, double distance) const {
    if (out.neighbours != nullptr) out.neighbours[at] = neighbour;
    if (out.distances != nullptr) out.distances[at] = distance;
  }
};

/// The distance whose square a key is.
struct RootOfKey {
  template <class T>
  __device__ double operator()(T key) const {
    return sqrt(static_cast<double>(key));
  }
};
/// The distance that a key is.
struct KeyItself {
  __device__ double operator()(double key) const { return key; }
};

/// Writes the rows of the points of a slice, a thread for each. ids[p] is the id of the point at
/// position p; null if positions are ids.
template <class T, class DistanceOf>
__global__ void write_rows(Slice<T> slice, const vertex_t* ids, Rows rows, DistanceOf distance_of) {
  const std::int64_t i = cuda::global_index();
  if (i >= slice.n_points) return;
  const std::int64_t position = slice.lists.first_position + i;
  const auto id = ids == nullptr ? static_cast<vertex_t>(position) : ids[position];
  const std::int64_t first = id * rows.n_neighbors;
  if (rows.include_self) rows.put(first, id, 0);
  const bool has_rows = rows.out.neighbours != nullptr || rows.out.distances != nullptr;
  for (int j = 0; has_rows && j < slice.length; ++j) {
    const std::int64_t at = j * slice.lists.stride + i;
    const vertex_t neighbour = slice.lists.neighbour[at];
    rows.put(first + j + (rows.include_self ? 1 : 0), slice.has_ids ? neighbour : ids[neighbour],
             distance_of(slice.lists.key[at]));
  }
  if (rows.out.farthest != nullptr) {
    const std::int64_t at = slice.last * slice.lists.stride + i;
    rows.out.farthest[id] = slice.length == 0 ? 0 : distance_of(slice.lists.key[at]);
  }
}

/// Writes the rows of `out`. find(length, sorted, use) searches for lists of `length` neighbours,
/// nearest first if `sorted`, and calls use(slice) for each slice of them; it is not called if
/// `length` is 0. DistanceOf is the function that returns the distance of a key.
template <class T, class DistanceOf = RootOfKey, class Find>
void write_all_rows(const KnnOptions& options, const NeighboursView& out, vertex_t n,
                    const vertex_t* ids, const cuda::Stream& stream, Find&& find) {
  const Rows rows{out, options.n_neighbors, options.include_self};
  const int length = options.n_neighbors - (options.include_self ? 1 : 0);
  const auto use = [&](const Slice<T>& slice) {
    report_progress(slice.lists.first_position, n);
    cuda::launch_for(stream, slice.n_points, write_rows<T, DistanceOf>, slice, ids, rows,
                     DistanceOf{});
  };
  if (length == 0) {
    use(Slice<T>{{nullptr, nullptr, n, 0}, n, 0, false, 0});
  } else {
    find(length, out.neighbours != nullptr || out.distances != nullptr, use);
  }
}

}  // namespace warpgraph::knn
