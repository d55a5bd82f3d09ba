// What kernels that look for nearest centres have in common: rows in registers, centres in shared
// memory, labels.
#pragma once

#include "algorithms/kmeans/steps.hpp"
#include "core/cuda/launch.cuh"

namespace warpgraph::kmeans_steps {

inline constexpr unsigned assign_threads = 128;
/// Bytes of coordinates that a thread keeps: a quarter of its registers.
inline constexpr int coordinate_bytes = 256;
template <class T>
inline constexpr int most_in_registers = coordinate_bytes / static_cast<int>(sizeof(T));
inline constexpr int most_points_a_thread = 4;
/// Shared memory that the centres pass by in; more of a block would keep others away.
inline constexpr std::size_t centre_bytes = 16 << 10;
/// Sums that a thread keeps of a point with many coordinates.
inline constexpr int sums_at_once = 8;

/// Points that changed their centre, and points whose nearest centre the sieve left open.
struct Tally {
  unsigned long long changed;
  unsigned long long unclear;
};

/// What one instruction loads.
template <class T>
struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(T);
  T items[size];
};

/// The coordinates of a point, and zeros: they add nothing to a squared distance.
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

/// The points of a thread, n of them a block's threads apart, in its registers. Beyond the last
/// point there is the first one.
template <class T, int padded, int n>
struct OwnPoints {
  std::int64_t first;
  T row[n][padded];

  __device__ __forceinline__ explicit OwnPoints(const PointsView<T>& points)
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

/// Writes the labels of n points a thread and counts those that change.
template <int n>
__device__ void write_labels(const vertex_t (&nearest)[n], std::int64_t first,
                             std::int64_t n_points, vertex_t* labels, unsigned long long* changed) {
  int here = 0;
#pragma unroll
  for (int i = 0; i < n; ++i) {
    const std::int64_t p = first + static_cast<std::int64_t>(i) * blockDim.x;
    const bool changes = p < n_points && labels[p] != nearest[i];
    if (changes) labels[p] = nearest[i];
    here += __syncthreads_count(changes);
  }
  if (threadIdx.x == 0 && here > 0) atomicAdd(changed, static_cast<unsigned long long>(here));
}

/// What the kernels read of centres: `padded` coordinates each, and for sieving these times -2 and
/// the squares' sums.
template <class T>
struct Centres {
  const T* coordinates;
  const T* times_minus_2;
  const T* squares;
  T most_square;  // the largest of these
  vertex_t n;
};

/// Keeps `here` centres from `begin` on in shared memory, and their squares behind them if these
/// are for sieving.
template <bool sieving, class T, int padded>
__device__ void keep_passing(const Centres<T>& centres, vertex_t begin, vertex_t here, T* passing) {
  __syncthreads();
  const T* const coordinates = sieving ? centres.times_minus_2 : centres.coordinates;
  const auto threads = static_cast<int>(blockDim.x);
  for (int i = static_cast<int>(threadIdx.x); i < here * padded; i += threads) {
    passing[i] = coordinates[static_cast<std::int64_t>(begin) * padded + i];
  }
  if constexpr (sieving) {
    for (int i = static_cast<int>(threadIdx.x); i < here; i += threads) {
      passing[here * padded + i] = centres.squares[begin + i];
    }
  }
  __syncthreads();
}

/// For every centre in turn: a sum for each of the thread's points, which begins with 0 and to
/// which add(sum, x, y) adds a coordinate of the point and one of the centre; then use(centre,
/// sums). For sieving, it begins with the centre's square, and y is a coordinate times -2. Centres
/// pass by in dynamic shared memory, `at_once` at a time. All threads of the block call this.
template <bool sieving, class T, int padded, int n, class Add, class Use>
__device__ __forceinline__ void sum_over_centres(const OwnPoints<T, padded, n>& own,
                                                 const Centres<T>& centres, vertex_t at_once,
                                                 Add&& add, Use&& use) {
  T* const passing = cuda::dynamic_shared<T>();
  for (vertex_t begin = 0; begin < centres.n; begin += at_once) {
    const vertex_t here = min(at_once, centres.n - begin);
    keep_passing<sieving, T, padded>(centres, begin, here, passing);
    for (vertex_t c = 0; c < here; ++c) {
      T sums[n];
#pragma unroll
      for (int i = 0; i < n; ++i) sums[i] = sieving ? passing[here * padded + c] : T(0);
#pragma unroll
      for (int j = 0; j < padded; j += Pack<T>::size) {
        const Pack<T> pack = *reinterpret_cast<const Pack<T>*>(passing + c * padded + j);
#pragma unroll
        for (int k = 0; k < Pack<T>::size; ++k) {
#pragma unroll
          for (int i = 0; i < n; ++i) add(sums[i], own.row[i][j + k], pack.items[k]);
        }
      }
      use(begin + c, sums);
    }
  }
}

}  // namespace warpgraph::kmeans_steps
