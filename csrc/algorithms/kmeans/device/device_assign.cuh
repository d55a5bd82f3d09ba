// The nearest centre of every point on a GPU.
//
// Up to 64 coordinates (32 of double) of a few points stay in a thread's registers while tiles of
// centres are loaded into shared memory: each centre that is read serves all of these points. With
// more coordinates, the sums for a group of centres stay in registers while the thread reads the
// coordinates.
#pragma once

#include "algorithms/kmeans/device/device_filtered_assign.cuh"
#include "core/cuda/memory/buffer.hpp"

namespace warpgraph::kmeans_detail {

/// The filter is used while fewer than n_points / ambiguous_divisor points are ambiguous.
inline constexpr std::int64_t ambiguous_divisor = 16;

/// Assigns n points per thread by distances by definition.
template <class T, int padded, int n>
__global__ void __launch_bounds__(assign_threads)
    assign_points(PointsView<T> points, Centres<T> centres, vertex_t tile_size, vertex_t* labels,
                  AssignCounts* counts) {
  const RegisterPoints<T, padded, n> local(points);
  T best[n];
  vertex_t nearest[n] = {};
#pragma unroll
  for (int i = 0; i < n; ++i) best[i] = infinity<T>();
  const auto add = [](T& sum, T x, T y) {
    const T difference = x - y;
    sum += difference * difference;
  };
  const auto compare = [&](vertex_t c, const T(&sums)[n]) {
#pragma unroll
    for (int i = 0; i < n; ++i) {
      if (sums[i] < best[i]) {
        best[i] = sums[i];
        nearest[i] = c;
      }
    }
  };
  sum_over_centres<false>(local, centres, tile_size, add, compare);
  write_labels(nearest, local.first, points.n_points, labels, &counts->changed);
}

/// Assigns points of many coordinates. `centres` has groups of centres_per_group centres, each
/// stored coordinate by coordinate.
template <class T>
__global__ void __launch_bounds__(assign_threads)
    assign_high_dimensional(PointsView<T> points, const T* centres, vertex_t n_centres,
                            vertex_t* labels, AssignCounts* counts) {
  const std::int64_t p = cuda::global_index();
  const T* row = points.row(p < points.n_points ? p : 0);
  T best = infinity<T>();
  vertex_t nearest[1] = {0};
  for (vertex_t begin = 0; begin < n_centres; begin += centres_per_group) {
    const T* group = centres + begin * points.dimension;
    T sum[centres_per_group] = {};
    for (std::int64_t j = 0; j < points.dimension; ++j) {
      const T x = row[j];
#pragma unroll
      for (int c = 0; c < centres_per_group; c += Pack<T>::size) {
        const Pack<T> centre = *reinterpret_cast<const Pack<T>*>(group + j * centres_per_group + c);
#pragma unroll
        for (int k = 0; k < Pack<T>::size; ++k) {
          const T difference = x - centre.items[k];
          sum[c + k] += difference * difference;
        }
      }
    }
#pragma unroll
    for (int c = 0; c < centres_per_group; ++c) {
      if (begin + c < n_centres && sum[c] < best) {
        best = sum[c];
        nearest[0] = begin + c;
      }
    }
  }
  write_labels(nearest, p, points.n_points, labels, &counts->changed);
}

/// Stages the centres in the layout that the kernels read, and launches the kernels.
template <class T>
class Assigner {
 public:
  Assigner(PointsView<T> points, vertex_t n_centres, const cuda::Stream& stream)
      : points_(points),
        n_centres_(n_centres),
        stream_(stream),
        padded_(pad(points.dimension)),
        filters_(padded_ > 0),
        staged_(staged_size()),
        centres_(staged_.size(), stream),
        counts_(1, stream) {}

  /// Assigns points, and returns how many labels changed. Centres are in host memory, labels in
  /// device memory.
  std::int64_t assign(std::span<const T> centres, vertex_t* labels) {
    std::fill(staged_.begin(), staged_.end(), T(0));
    const T max_squared_norm =
        padded_ > 0 ? stage_low_dimensional(centres) : stage_high_dimensional(centres);
    cuda::copy(centres_.data(), staged_.data(), staged_.size(), stream_);
    cuda::fill_bytes(counts_.data(), 0, 1, stream_);
    switch (padded_) {
      case 4:
        launch<4>(max_squared_norm, labels);
        break;
      case 8:
        launch<8>(max_squared_norm, labels);
        break;
      case 16:
        launch<16>(max_squared_norm, labels);
        break;
      case 32:
        launch<32>(max_squared_norm, labels);
        break;
      case 64:
        if constexpr (max_register_dimension<T> >= 64) launch<64>(max_squared_norm, labels);
        break;
      default:
        cuda::launch(stream_, (points_.n_points + assign_threads - 1) / assign_threads,
                     assign_threads, 0, assign_high_dimensional<T>, points_, centres_.data(),
                     n_centres_, labels, counts_.data());
    }
    const AssignCounts counts = cuda::read_back(counts_.data(), stream_);
    filters_ = filters_ &&
               static_cast<std::int64_t>(counts.ambiguous) * ambiguous_divisor < points_.n_points;
    return static_cast<std::int64_t>(counts.changed);
  }

 private:
  /// Returns the padded number of coordinates in registers; 0: too many coordinates.
  static int pad(std::int64_t dimension) {
    for (int padded = 4; padded <= max_register_dimension<T>; padded *= 2) {
      if (dimension <= padded) return padded;
    }
    return 0;
  }
  [[nodiscard]] std::size_t staged_size() const {
    const std::int64_t whole_groups =
        (n_centres_ + centres_per_group - 1) / centres_per_group * centres_per_group;
    return static_cast<std::size_t>(padded_ > 0 ? n_centres_ * (2 * padded_ + 1)
                                                : whole_groups * points_.dimension);
  }

  /// Stages coordinates, coordinates times -2, and squared norms. Returns the largest squared norm.
  T stage_low_dimensional(std::span<const T> centres) {
    const auto d = static_cast<std::size_t>(points_.dimension);
    const auto padded = static_cast<std::size_t>(padded_);
    const auto n = static_cast<std::size_t>(n_centres_);
    T max_square = 0;
    for (std::size_t c = 0; c < n; ++c) {
      double square = 0;
      for (std::size_t j = 0; j < d; ++j) {
        const T x = centres[c * d + j];
        staged_[c * padded + j] = x;
        staged_[(n + c) * padded + j] = -2 * x;
        square += static_cast<double>(x) * static_cast<double>(x);
      }
      staged_[2 * n * padded + c] = static_cast<T>(square);
      max_square = std::max(max_square, static_cast<T>(square));
    }
    return max_square;
  }

  /// Stages groups of centres, coordinate by coordinate.
  T stage_high_dimensional(std::span<const T> centres) {
    const std::int64_t d = points_.dimension;
    for (std::int64_t c = 0; c < n_centres_; ++c) {
      T* const group = staged_.data() + c / centres_per_group * centres_per_group * d;
      for (std::int64_t j = 0; j < d; ++j) {
        group[j * centres_per_group + c % centres_per_group] =
            centres[static_cast<std::size_t>(c * d + j)];
      }
    }
    return 0;
  }

  template <int padded>
  void launch(T max_squared_norm, vertex_t* labels) {
    constexpr int row_bytes = padded * static_cast<int>(sizeof(T));
    constexpr int n = std::min(register_bytes / row_bytes, max_points_per_thread);
    constexpr auto tile_size = static_cast<vertex_t>(centre_tile_bytes / row_bytes);
    const std::int64_t points_per_block = std::int64_t{n} * assign_threads;
    const auto count = static_cast<std::size_t>(std::min(tile_size, n_centres_));
    const std::int64_t width = std::int64_t{n_centres_} * padded;
    const Centres<T> centres{centres_.data(), centres_.data() + width, centres_.data() + 2 * width,
                             max_squared_norm, n_centres_};
    const auto kernel =
        filters_ ? assign_points_filtered<T, padded, n> : assign_points<T, padded, n>;
    cuda::launch(stream_, (points_.n_points + points_per_block - 1) / points_per_block,
                 assign_threads, count * (row_bytes + sizeof(T)), kernel, points_, centres,
                 tile_size, labels, counts_.data());
  }

  PointsView<T> points_;
  vertex_t n_centres_;
  const cuda::Stream& stream_;
  int padded_;
  bool filters_;
  std::vector<T> staged_;
  cuda::DeviceBuffer<T> centres_;
  cuda::DeviceBuffer<AssignCounts> counts_;
};

}  // namespace warpgraph::kmeans_detail
