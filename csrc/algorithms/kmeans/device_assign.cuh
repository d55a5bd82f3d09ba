// Every point's nearest centre, on a GPU.
//
// Up to 32 coordinates of a few points stay in a thread's registers while the centres pass by in
// shared memory: each centre that is read serves all of them. With more coordinates, sums to a few
// centres at a time stay there while the coordinates pass by.
#pragma once

#include "algorithms/kmeans/steps.hpp"
#include "core/cuda/buffer.hpp"
#include "core/cuda/launch.cuh"

namespace warpgraph::kmeans_steps {

inline constexpr unsigned assign_threads = 128;
inline constexpr int most_in_registers = 32;
/// Bytes of coordinates that a thread keeps: a quarter of its registers.
inline constexpr int coordinate_bytes = 256;
inline constexpr int most_points_a_thread = 4;
/// Shared memory that the centres pass by in; more of a block would keep others away.
inline constexpr std::size_t centre_bytes = 16 << 10;
/// Sums that a thread keeps of a point with many coordinates.
inline constexpr int sums_at_once = 8;

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

/// centres: `padded` coordinates each.
template <class T, int padded, int n>
__global__ void __launch_bounds__(assign_threads)
    assign_points(PointsView<T> points, const T* centres, vertex_t n_centres, vertex_t at_once,
                  vertex_t* labels, unsigned long long* changed) {
  T* const passing = cuda::dynamic_shared<T>();
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * n * blockDim.x + threadIdx.x;
  T row[n][padded];
  T best[n];
  vertex_t nearest[n];
#pragma unroll
  for (int i = 0; i < n; ++i) {
    const std::int64_t p = first + static_cast<std::int64_t>(i) * blockDim.x;
    load_row(points, p < points.n_points ? p : 0, row[i]);
    best[i] = infinity<T>();
    nearest[i] = 0;
  }
  for (vertex_t begin = 0; begin < n_centres; begin += at_once) {
    const vertex_t here = min(at_once, n_centres - begin);
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < here * padded;
         i += static_cast<int>(blockDim.x)) {
      passing[i] = centres[static_cast<std::int64_t>(begin) * padded + i];
    }
    __syncthreads();
    for (vertex_t c = 0; c < here; ++c) {
      T sum[n] = {};
#pragma unroll
      for (int j = 0; j < padded; j += Pack<T>::size) {
        const Pack<T> centre = *reinterpret_cast<const Pack<T>*>(passing + c * padded + j);
#pragma unroll
        for (int k = 0; k < Pack<T>::size; ++k) {
#pragma unroll
          for (int i = 0; i < n; ++i) {
            const T apart = row[i][j + k] - centre.items[k];
            sum[i] += apart * apart;
          }
        }
      }
#pragma unroll
      for (int i = 0; i < n; ++i) {
        if (sum[i] < best[i]) {
          best[i] = sum[i];
          nearest[i] = begin + c;
        }
      }
    }
  }
  write_labels(nearest, first, points.n_points, labels, changed);
}

/// centres: groups of sums_at_once, each coordinate by coordinate.
template <class T>
__global__ void __launch_bounds__(assign_threads)
    assign_long_points(PointsView<T> points, const T* centres, vertex_t n_centres, vertex_t* labels,
                       unsigned long long* changed) {
  const std::int64_t p = cuda::global_index();
  const T* row = points.row(p < points.n_points ? p : 0);
  T best = infinity<T>();
  vertex_t nearest[1] = {0};
  for (vertex_t begin = 0; begin < n_centres; begin += sums_at_once) {
    const T* group = centres + begin * points.dimension;
    T sum[sums_at_once] = {};
    for (std::int64_t j = 0; j < points.dimension; ++j) {
      const T x = row[j];
#pragma unroll
      for (int c = 0; c < sums_at_once; c += Pack<T>::size) {
        const Pack<T> centre = *reinterpret_cast<const Pack<T>*>(group + j * sums_at_once + c);
#pragma unroll
        for (int k = 0; k < Pack<T>::size; ++k) {
          const T apart = x - centre.items[k];
          sum[c + k] += apart * apart;
        }
      }
    }
#pragma unroll
    for (int c = 0; c < sums_at_once; ++c) {
      if (begin + c < n_centres && sum[c] < best) {
        best = sum[c];
        nearest[0] = begin + c;
      }
    }
  }
  write_labels(nearest, p, points.n_points, labels, changed);
}

/// Centres as the kernels above read them, and the launches.
template <class T>
class Assigner {
 public:
  Assigner(PointsView<T> points, vertex_t n_centres, const cuda::Stream& stream)
      : points_(points),
        n_centres_(n_centres),
        stream_(stream),
        padded_(pad(points.dimension)),
        arranged_(static_cast<std::size_t>(padded_ > 0
                                               ? n_centres * padded_
                                               : (n_centres + sums_at_once - 1) / sums_at_once *
                                                     sums_at_once * points.dimension)),
        centres_(arranged_.size(), stream),
        changed_(1, stream) {}

  /// Centres are in host memory, labels on the device. Returns how many labels changed.
  std::int64_t assign(std::span<const T> centres, vertex_t* labels) {
    arrange(centres);
    cuda::copy(centres_.data(), arranged_.data(), arranged_.size(), stream_);
    cuda::fill(changed_.data(), 0ull, 1, stream_);
    switch (padded_) {
      case 4:
        launch<4>(labels);
        break;
      case 8:
        launch<8>(labels);
        break;
      case 16:
        launch<16>(labels);
        break;
      case 32:
        launch<32>(labels);
        break;
      default:
        cuda::launch(stream_, (points_.n_points + assign_threads - 1) / assign_threads,
                     assign_threads, 0, assign_long_points<T>, points_, centres_.data(), n_centres_,
                     labels, changed_.data());
    }
    return static_cast<std::int64_t>(cuda::read_back(changed_.data(), stream_));
  }

 private:
  /// Coordinates that the registers hold; 0: too many.
  static int pad(std::int64_t dimension) {
    for (int padded = 4; padded <= most_in_registers; padded *= 2) {
      if (dimension <= padded) return padded;
    }
    return 0;
  }

  void arrange(std::span<const T> centres) {
    const std::int64_t d = points_.dimension;
    for (std::int64_t c = 0; c < n_centres_; ++c) {
      for (std::int64_t j = 0; j < d; ++j) {
        const std::int64_t to = padded_ > 0
                                    ? c * padded_ + j
                                    : (c / sums_at_once * d + j) * sums_at_once + c % sums_at_once;
        arranged_[static_cast<std::size_t>(to)] = centres[static_cast<std::size_t>(c * d + j)];
      }
    }
  }

  template <int padded>
  void launch(vertex_t* labels) {
    constexpr int row_bytes = padded * static_cast<int>(sizeof(T));
    constexpr int n = std::min(coordinate_bytes / row_bytes, most_points_a_thread);
    constexpr auto at_once = static_cast<vertex_t>(centre_bytes / row_bytes);
    const std::int64_t a_block = std::int64_t{n} * assign_threads;
    const auto here = static_cast<std::size_t>(std::min(at_once, n_centres_));
    cuda::launch(stream_, (points_.n_points + a_block - 1) / a_block, assign_threads,
                 here * row_bytes, assign_points<T, padded, n>, points_, centres_.data(),
                 n_centres_, at_once, labels, changed_.data());
  }

  PointsView<T> points_;
  vertex_t n_centres_;
  const cuda::Stream& stream_;
  int padded_;
  std::vector<T> arranged_;
  cuda::DeviceBuffer<T> centres_;
  cuda::DeviceBuffer<unsigned long long> changed_;
};

}  // namespace warpgraph::kmeans_steps
