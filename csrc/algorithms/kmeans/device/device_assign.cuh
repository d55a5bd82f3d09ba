// Every point's nearest centre, on a GPU.
//
// Up to 64 coordinates (32 of double) of a few points stay in a thread's registers while the
// centres pass by in shared memory: each centre that is read serves all of them. With more
// coordinates, sums to a few centres at a time stay there while the coordinates pass by.
#pragma once

#include "algorithms/kmeans/device/device_sieve.cuh"
#include "core/cuda/memory/buffer.hpp"

namespace warpgraph::kmeans_steps {

/// From this part of all points on, too many are unclear for the sieve to pay.
inline constexpr std::int64_t unclear_part = 16;

/// By defined distances alone; n points a thread.
template <class T, int padded, int n>
__global__ void __launch_bounds__(assign_threads)
    assign_points(PointsView<T> points, Centres<T> centres, vertex_t at_once, vertex_t* labels,
                  Tally* tally) {
  const OwnPoints<T, padded, n> own(points);
  T best[n];
  vertex_t nearest[n] = {};
#pragma unroll
  for (int i = 0; i < n; ++i) best[i] = infinity<T>();
  const auto add = [](T& sum, T x, T y) {
    const T apart = x - y;
    sum += apart * apart;
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
  sum_over_centres<false>(own, centres, at_once, add, compare);
  write_labels(nearest, own.first, points.n_points, labels, &tally->changed);
}

/// centres: groups of sums_at_once, each coordinate by coordinate.
template <class T>
__global__ void __launch_bounds__(assign_threads)
    assign_long_points(PointsView<T> points, const T* centres, vertex_t n_centres, vertex_t* labels,
                       Tally* tally) {
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
  write_labels(nearest, p, points.n_points, labels, &tally->changed);
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
        sieves_(padded_ > 0),
        arranged_(arranged_size()),
        centres_(arranged_.size(), stream),
        tally_(1, stream) {}

  /// Centres are in host memory, labels on the device. Returns how many labels changed.
  std::int64_t assign(std::span<const T> centres, vertex_t* labels) {
    std::fill(arranged_.begin(), arranged_.end(), T(0));
    const T most_square = padded_ > 0 ? arrange_short(centres) : arrange_long(centres);
    cuda::copy(centres_.data(), arranged_.data(), arranged_.size(), stream_);
    cuda::fill_bytes(tally_.data(), 0, 1, stream_);
    switch (padded_) {
      case 4:
        launch<4>(most_square, labels);
        break;
      case 8:
        launch<8>(most_square, labels);
        break;
      case 16:
        launch<16>(most_square, labels);
        break;
      case 32:
        launch<32>(most_square, labels);
        break;
      case 64:
        if constexpr (most_in_registers<T> >= 64) launch<64>(most_square, labels);
        break;
      default:
        cuda::launch(stream_, (points_.n_points + assign_threads - 1) / assign_threads,
                     assign_threads, 0, assign_long_points<T>, points_, centres_.data(), n_centres_,
                     labels, tally_.data());
    }
    const Tally tally = cuda::read_back(tally_.data(), stream_);
    sieves_ = sieves_ && static_cast<std::int64_t>(tally.unclear) * unclear_part < points_.n_points;
    return static_cast<std::int64_t>(tally.changed);
  }

 private:
  /// Coordinates that the registers hold; 0: too many.
  static int pad(std::int64_t dimension) {
    for (int padded = 4; padded <= most_in_registers<T>; padded *= 2) {
      if (dimension <= padded) return padded;
    }
    return 0;
  }
  [[nodiscard]] std::size_t arranged_size() const {
    const std::int64_t whole_groups = (n_centres_ + sums_at_once - 1) / sums_at_once * sums_at_once;
    return static_cast<std::size_t>(padded_ > 0 ? n_centres_ * (2 * padded_ + 1)
                                                : whole_groups * points_.dimension);
  }

  /// Coordinates, the same times -2, and squares; returns the largest of the latter.
  T arrange_short(std::span<const T> centres) {
    const auto d = static_cast<std::size_t>(points_.dimension);
    const auto padded = static_cast<std::size_t>(padded_);
    const auto n = static_cast<std::size_t>(n_centres_);
    T most = 0;
    for (std::size_t c = 0; c < n; ++c) {
      double square = 0;
      for (std::size_t j = 0; j < d; ++j) {
        const T x = centres[c * d + j];
        arranged_[c * padded + j] = x;
        arranged_[(n + c) * padded + j] = -2 * x;
        square += static_cast<double>(x) * static_cast<double>(x);
      }
      arranged_[2 * n * padded + c] = static_cast<T>(square);
      most = std::max(most, static_cast<T>(square));
    }
    return most;
  }

  /// Groups of centres, coordinate by coordinate.
  T arrange_long(std::span<const T> centres) {
    const std::int64_t d = points_.dimension;
    for (std::int64_t c = 0; c < n_centres_; ++c) {
      T* const group = arranged_.data() + c / sums_at_once * sums_at_once * d;
      for (std::int64_t j = 0; j < d; ++j) {
        group[j * sums_at_once + c % sums_at_once] = centres[static_cast<std::size_t>(c * d + j)];
      }
    }
    return 0;
  }

  template <int padded>
  void launch(T most_square, vertex_t* labels) {
    constexpr int row_bytes = padded * static_cast<int>(sizeof(T));
    constexpr int n = std::min(coordinate_bytes / row_bytes, most_points_a_thread);
    constexpr auto at_once = static_cast<vertex_t>(centre_bytes / row_bytes);
    const std::int64_t a_block = std::int64_t{n} * assign_threads;
    const auto here = static_cast<std::size_t>(std::min(at_once, n_centres_));
    const std::int64_t width = std::int64_t{n_centres_} * padded;
    const Centres<T> centres{centres_.data(), centres_.data() + width, centres_.data() + 2 * width,
                             most_square, n_centres_};
    const auto kernel = sieves_ ? sieve_points<T, padded, n> : assign_points<T, padded, n>;
    cuda::launch(stream_, (points_.n_points + a_block - 1) / a_block, assign_threads,
                 here * (row_bytes + sizeof(T)), kernel, points_, centres, at_once, labels,
                 tally_.data());
  }

  PointsView<T> points_;
  vertex_t n_centres_;
  const cuda::Stream& stream_;
  int padded_;
  bool sieves_;
  std::vector<T> arranged_;
  cuda::DeviceBuffer<T> centres_;
  cuda::DeviceBuffer<Tally> tally_;
};

}  // namespace warpgraph::kmeans_steps
