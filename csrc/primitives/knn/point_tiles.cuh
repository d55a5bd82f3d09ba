// Distances from every thread's query to points in tiles, for many dimensions and all metrics.
//
// A block loads points into shared memory tile by tile, a few coordinates at a time. A thread
// accumulates the sums of a whole tile in registers, each in the order of the coordinates.
//
// `MetricOf` is a metric of primitives/metric/metrics.hpp, or SquaredDistances. Coordinates are
// converted to its type where they are read, as on cores.
#pragma once

#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "graph/points/device_points.hpp"

#include <utility>

namespace warpgraph::knn {

/// Number of threads of a search block, and points of a tile: as many sums as registers hold.
inline constexpr unsigned search_threads = 128;
template <class T>
inline constexpr int tile_size = sizeof(T) == 4 ? 32 : 16;

/// The metric whose distances are squares of Euclidean ones, in the type of the points.
template <class T>
struct SquaredDistances {
  using Item = T;
  using Sum = T;
  static __device__ void add(Sum& sum, Item a, Item b) {
    const T difference = a - b;
    sum += difference * difference;
  }
  static __device__ T distance(Sum sum) { return sum; }
};

/// The type of the distances by a metric.
template <class MetricOf>
using distance_t = decltype(std::declval<const MetricOf&>().distance(typename MetricOf::Sum{}));

/// Number of coordinates (pairs times dimension) that a launch compares: about a hundredth of a
/// second.
inline constexpr std::int64_t coordinates_per_launch = std::int64_t{1} << 37;

/// Returns the number of queries of a launch.
inline std::int64_t queries_per_launch(std::int64_t n, std::int64_t dimension) {
  return std::max(coordinates_per_launch / (n * std::max<std::int64_t>(dimension, 4)),
                  std::int64_t{search_threads});
}

/// Points as a structure of arrays: coordinate k of point p is at k * n + p.
template <class T>
struct PointColumns {
  const T* coordinates;
  vertex_t n;
  std::int64_t dimension;

  __device__ T at(std::int64_t axis, std::int64_t point) const {
    return coordinates[axis * n + point];
  }
};

/// Points in rows, for searches that are too short to transpose them.
template <class T>
struct PointRows {
  const T* coordinates;
  vertex_t n;
  std::int64_t dimension;

  __device__ T at(std::int64_t axis, std::int64_t point) const {
    return coordinates[point * dimension + axis];
  }
};

template <class T>
__global__ void transpose_points(DevicePoints<T> rows, T* columns) {
  const std::int64_t i = cuda::global_index();
  const std::int64_t n = rows.n;
  if (i < n * rows.dimension) columns[i] = rows.coordinates[(i % n) * rows.dimension + i / n];
}

template <class T>
class OwnedColumns {
 public:
  OwnedColumns(const DevicePoints<T>& points, const cuda::Stream& stream)
      : coordinates_(
            static_cast<std::size_t>(points.n) * static_cast<std::size_t>(points.dimension),
            stream),
        view_{coordinates_.data(), points.n, points.dimension} {
    cuda::launch_for(stream, std::int64_t{points.n} * points.dimension, transpose_points<T>, points,
                     coordinates_.data());
  }
  [[nodiscard]] const PointColumns<T>& view() const noexcept { return view_; }

 private:
  cuda::DeviceBuffer<T> coordinates_;
  PointColumns<T> view_;
};

/// Loads the coordinates from `axis` on of the points from `first` to before `end` into shared
/// memory; with the first coordinates, load_more(i, point) loads more data of the i-th point. All
/// threads of the block call it.
template <class Points, class Item, int axes, int tile, class LoadMore>
__device__ __forceinline__ void load_tile(const Points& points, std::int64_t axis,
                                          std::int64_t first, std::int64_t end,
                                          Item (&shared_coordinates)[axes][tile],
                                          LoadMore&& load_more) {
  __syncthreads();  // all threads are done with the previous tile
  for (int i = static_cast<int>(threadIdx.x); i < axes * tile; i += search_threads) {
    const std::int64_t k = axis + i / tile;
    const std::int64_t p = first + i % tile;
    shared_coordinates[i / tile][i % tile] =
        k < points.dimension && p < end ? static_cast<Item>(points.at(k, p)) : Item(0);
  }
  if (axis == 0 && threadIdx.x < tile) load_more(threadIdx.x, first + threadIdx.x);
  __syncthreads();
}

/// Adds the coordinates of a query, one of `queries`, and of the points of a tile to `sums`. All
/// threads of the block call it.
template <class Points, class MetricOf, int axes, int tile, class LoadMore>
__device__ __forceinline__ void add_distances(
    const Points& queries, const Points& points, const MetricOf& metric, std::int64_t query,
    std::int64_t first, std::int64_t end, typename MetricOf::Item (&shared_coordinates)[axes][tile],
    typename MetricOf::Sum (&sums)[tile], LoadMore&& load_more) {
  using Item = typename MetricOf::Item;
  for (std::int64_t axis = 0; axis < points.dimension; axis += axes) {
    load_tile(points, axis, first, end, shared_coordinates, load_more);
#pragma unroll
    for (int k = 0; k < axes; ++k) {
      // Beyond the last axis both sides are 0, which adds nothing.
      const auto coordinate =
          axis + k < points.dimension ? static_cast<Item>(queries.at(axis + k, query)) : Item(0);
#pragma unroll
      for (int i = 0; i < tile; ++i) metric.add(sums[i], coordinate, shared_coordinates[k][i]);
    }
  }
}

}  // namespace warpgraph::knn
