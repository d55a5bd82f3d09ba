// Common parts of the kernels that find nearest centres: points in registers, centres in shared
// memory, writing of labels.
#pragma once

#include "algorithms/kmeans/lloyd.hpp"
#include "core/cuda/launch.cuh"

namespace warpgraph::kmeans_detail {

inline constexpr unsigned assign_threads = 128;
/// The bytes of coordinates that a thread keeps in registers: a quarter of all.
inline constexpr int register_bytes = 256;
template <class T>
inline constexpr int max_register_dimension = register_bytes / static_cast<int>(sizeof(T));
inline constexpr int max_points_per_thread = 4;
/// The bytes of shared memory for a tile of centres. A larger tile would reduce occupancy.
inline constexpr std::size_t centre_tile_bytes = 16 << 10;
/// The centres whose distances a thread accumulates together for a high-dimensional point.
inline constexpr int centres_per_group = 8;

/// The numbers of points that changed their centre, and of points whose nearest centre the filter
/// could not determine.
struct AssignCounts {
  unsigned long long changed;
  unsigned long long ambiguous;
};

/// The items of one 16-byte load.
template <class T>
struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(T);
  T items[size];
};

/// Loads the coordinates of a point, padded with zeros, which add nothing to a squared distance.
template <class T, int padded>
__device__ void load_row(const PointsView<T>& points, std::int64_t p, T (&row)[padded]) {
  const T* from = points.row(p);
  const bool in_packs =
      points.dimension == padded && reinterpret_cast<std::uintptr_t>(from) % sizeof(Pack<T>) == 0;
  if (in_packs) {
#pragma unroll
    for (int j = 0; j < padded; j += Pack<T>::size) {
      const Pack<T> pack = *reinterpret_cast<const Pack<T>*>(from + j);
#pragma unroll
      for (int i = 0; i < Pack<T>::size; ++i) row[j + i] = pack.items[i];
    }
  } else {
#pragma unroll
    for (int j = 0; j < padded; ++j) row[j] = j < points.dimension ? from[j] : T(0);
  }
}

/// The n points of a thread, blockDim.x apart, in registers. Indices past the last point load point
/// 0 instead.
template <class T, int padded, int n>
struct RegisterPoints {
  std::int64_t first;
  T row[n][padded];

  __device__ __forceinline__ explicit RegisterPoints(const PointsView<T>& points)
      : first(static_cast<std::int64_t>(blockIdx.x) * n * blockDim.x + threadIdx.x) {
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const std::int64_t p = point(i);
      load_row(points, p < points.n_points ? p : 0, row[i]);
    }
  }
  [[nodiscard]] __device__ std::int64_t point(int i) const {
    return first + static_cast<std::int64_t>(i) * blockDim.x;
  }
};

/// Writes the labels of a thread's n points and counts those that change.
template <int n>
__device__ void write_labels(const vertex_t (&nearest)[n], std::int64_t first,
                             std::int64_t n_points, vertex_t* labels, unsigned long long* changed) {
  int count = 0;
#pragma unroll
  for (int i = 0; i < n; ++i) {
    const std::int64_t p = first + static_cast<std::int64_t>(i) * blockDim.x;
    const bool changes = p < n_points && labels[p] != nearest[i];
    if (changes) labels[p] = nearest[i];
    count += __syncthreads_count(changes);
  }
  if (threadIdx.x == 0 && count > 0) atomicAdd(changed, static_cast<unsigned long long>(count));
}

/// The centres as the kernels read them: `padded` coordinates each; for the expanded form also the
/// coordinates times -2 and the squared norms.
template <class T>
struct Centres {
  const T* coordinates;
  const T* times_minus_2;
  const T* squared_norms;
  T max_squared_norm;
  vertex_t n;
};

/// Loads `count` centres from `begin` on into shared memory. For the expanded form, their squared
/// norms follow.
template <bool expanded, class T, int padded>
__device__ void load_centre_tile(const Centres<T>& centres, vertex_t begin, vertex_t count,
                                 T* tile) {
  __syncthreads();
  const T* const coordinates = expanded ? centres.times_minus_2 : centres.coordinates;
  const auto threads = static_cast<int>(blockDim.x);
  for (int i = static_cast<int>(threadIdx.x); i < count * padded; i += threads) {
    tile[i] = coordinates[static_cast<std::int64_t>(begin) * padded + i];
  }
  if constexpr (expanded) {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += threads) {
      tile[count * padded + i] = centres.squared_norms[begin + i];
    }
  }
  __syncthreads();
}

/// Calls consume(centre, sums) for every centre with a sum for each of the thread's points. A sum
/// starts with 0; add(sum, x, y) adds the contribution of a coordinate x of the point and y of the
/// centre. For the expanded form a sum starts with the squared norm of the centre, and y is
/// multiplied by -2. Centres are tiled through dynamic shared memory, `tile_size` at a time. All
/// threads of the block must call this.
template <bool expanded, class T, int padded, int n, class Add, class Consume>
__device__ __forceinline__ void sum_over_centres(const RegisterPoints<T, padded, n>& local,
                                                 const Centres<T>& centres, vertex_t tile_size,
                                                 Add&& add, Consume&& consume) {
  T* const tile = cuda::dynamic_shared<T>();
  for (vertex_t begin = 0; begin < centres.n; begin += tile_size) {
    const vertex_t count = min(tile_size, centres.n - begin);
    load_centre_tile<expanded, T, padded>(centres, begin, count, tile);
    for (vertex_t c = 0; c < count; ++c) {
      T sums[n];
#pragma unroll
      for (int i = 0; i < n; ++i) sums[i] = expanded ? tile[count * padded + c] : T(0);
#pragma unroll
      for (int j = 0; j < padded; j += Pack<T>::size) {
        const Pack<T> pack = *reinterpret_cast<const Pack<T>*>(tile + c * padded + j);
#pragma unroll
        for (int k = 0; k < Pack<T>::size; ++k) {
#pragma unroll
          for (int i = 0; i < n; ++i) add(sums[i], local.row[i][j + k], pack.items[k]);
        }
      }
      consume(begin + c, sums);
    }
  }
}

}  // namespace warpgraph::kmeans_detail
