// Sums of the points of every centre on a GPU: equal to those of CentreSums bit for bit. The
// weights are summed like a coordinate, and points of weight 0 are sorted after all centres.
//
// A block is a range of points, as in CentreSums, not of threads. A stable sort by label makes the
// points of a centre contiguous and keeps their order. So the points of a centre within one block
// form a segment. A warp sums a segment point by point, with one lane per coordinate. Then the
// segments of a centre are added block by block.
#pragma once

#include "algorithms/kmeans/lloyd.hpp"
#include "core/cuda/cub/sort_pairs.hpp"
#include "core/cuda/for_each.cuh"
#include "core/cuda/warp.cuh"

#include <bit>

namespace warpgraph::kmeans_detail {

/// The points sorted by label, and the starts of the segments.
struct Segments {
  const std::uint32_t* points;
  std::uint32_t* begins;  // start of segment label * n_blocks + block; one more item for the end
  std::uint32_t n_blocks;
  std::uint32_t block_size;
};

/// A function that finds where the i-th of the sorted points begins a segment, and also begins all
/// empty segments before that one there.
struct MarkSegmentStarts {
  Segments segments;
  const std::uint32_t* labels;  // sorted
  std::int64_t n_points;
  std::int64_t n_segments;
  /// Returns the segment of the i-th point; n_segments if its weight is 0.
  __device__ std::int64_t segment(std::int64_t i) const {
    const std::int64_t of_label = static_cast<std::int64_t>(labels[i]) * segments.n_blocks;
    return min(of_label + segments.points[i] / segments.block_size, n_segments);
  }
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t this_segment = i < n_points ? segment(i) : n_segments;
    for (std::int64_t s = i > 0 ? segment(i - 1) + 1 : 0; s <= this_segment; ++s) {
      segments.begins[s] = static_cast<std::uint32_t>(i);
    }
  }
};

/// A function that returns the keys of the sort where points have weights.
struct LabelIfCounted {
  const double* weights;
  const vertex_t* labels;
  std::uint32_t behind;  // the key of points of weight 0: more than all labels
  std::uint32_t* keys;
  __device__ void operator()(std::int64_t p) const {
    keys[p] = weights[p] > 0 ? static_cast<std::uint32_t>(labels[p]) : behind;
  }
};

/// The number of independent loads that a thread issues before it adds.
inline constexpr int loads_in_flight = 8;

/// Sums each segment by one warp, or by one for each slice of 32 coordinates if there are more than
/// 32. A point takes `width` lanes, a power of two that is at least its number of coordinates in
/// the slice, so a warp loads 32 / width points at a time. Then each lane adds its coordinate of
/// all these points, one by one: lanes with the same coordinate compute the same sum. `weights` are
/// those of the points, if `weighted`.
template <class T, bool weighted>
__global__ void sum_segments(PointsView<T> points, const double* weights, Segments segments,
                             int width, std::int64_t n_slices, std::int64_t n_segments,
                             double* sums, std::int64_t n_centres) {
  const std::int64_t warp = cuda::global_index() / cuda::warp_lanes;
  const std::int64_t segment = warp / n_slices;
  if (segment >= n_segments) return;
  const int points_per_step = cuda::warp_lanes / width;
  const int own_point = cuda::lane() / width;  // index among the points of a step
  const int j = cuda::lane() % width;
  const std::int64_t coordinate = (warp - segment * n_slices) * cuda::warp_lanes + j;
  const bool in_range = coordinate < points.dimension;
  const std::uint32_t end = segments.begins[segment + 1];
  double sum = 0;
  for (std::uint32_t i = segments.begins[segment]; i < end;
       i += static_cast<std::uint32_t>(loads_in_flight * points_per_step)) {
    T loaded[loads_in_flight];
    [[maybe_unused]] double factors[loads_in_flight];
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k) {
      const std::uint32_t position =
          i + static_cast<std::uint32_t>(k * points_per_step + own_point);
      const bool is_there = in_range && position < end;
      loaded[k] = is_there ? points.row(segments.points[position])[coordinate] : T(0);
      if constexpr (weighted) factors[k] = is_there ? weights[segments.points[position]] : 0.0;
    }
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k) {
      double x = static_cast<double>(loaded[k]);
      if constexpr (weighted) x *= factors[k];
      for (int step_point = 0; step_point < points_per_step; ++step_point) {
        const double value = __shfl_sync(cuda::all_lanes, x, step_point * width + j);
        sum += value;  // 0 past the end: adds nothing to a sum that began with 0
      }
    }
  }
  if (own_point > 0 || !in_range) return;
  const std::int64_t centre = segment / segments.n_blocks;
  const std::int64_t block = segment % segments.n_blocks;
  sums[(block * n_centres + centre) * points.dimension + coordinate] = sum;
}

/// A function that adds the i-th numbers of all blocks, in order.
struct SumBlocks {
  const double* block_sums;
  std::int64_t width;  // numbers per block
  std::int64_t n_blocks;
  double* sums;
  __device__ void operator()(std::int64_t i) const {
    double sum = 0;
#pragma unroll 16
    for (std::int64_t b = 0; b < n_blocks; ++b) sum += block_sums[b * width + i];
    sums[i] = sum;
  }
};

/// A function that counts the points of a centre.
struct CountPoints {
  Segments segments;
  std::int64_t* counts;
  __device__ void operator()(std::int64_t c) const {
    const std::int64_t n = segments.n_blocks;
    counts[c] = segments.begins[(c + 1) * n] - segments.begins[c * n];
  }
};

template <class T>
class DeviceCentreSums {
 public:
  DeviceCentreSums(const WeightedPoints<T>& points, std::int64_t n_centres,
                   const cuda::Stream& stream)
      : points_(points),
        n_centres_(n_centres),
        stream_(stream),
        block_size_(block_size(points.n_points, n_centres)),
        n_blocks_((points.n_points + block_size_ - 1) / block_size_),
        indices_(n_points(), stream),
        order_(n_points(), stream),
        keys_(points.weights == nullptr ? 0 : n_points(), stream),
        sorted_labels_(n_points(), stream),
        begins_(static_cast<std::size_t>(n_centres * n_blocks_ + 1), stream),
        block_sums_(static_cast<std::size_t>(n_centres * n_blocks_ * points.dimension), stream),
        device_sums_(static_cast<std::size_t>(n_centres * points.dimension), stream),
        device_counts_(static_cast<std::size_t>(n_centres), stream),
        block_masses_(points.weights == nullptr ? 0 : begins_.size() - 1, stream),
        device_masses_(points.weights == nullptr ? 0 : device_counts_.size(), stream),
        sums_(device_sums_.size()),
        counts_(device_counts_.size()),
        masses_(device_masses_.size()) {
    cuda::iota(indices_.data(), points.n_points, stream);
  }

  static std::size_t bytes(const WeightedPoints<T>& points, std::int64_t n_centres) {
    // Indices, labels and the sort's own copies of both; keys where there are weights.
    const std::size_t words = points.weights == nullptr ? 5 : 6;
    const std::size_t sorting =
        static_cast<std::size_t>(points.n_points) * words * sizeof(vertex_t);
    return CentreSums<T>::bytes(points, n_centres) + sorting;
  }

  /// Sums the points of each label. Waits for the device.
  void update(const vertex_t* labels) {
    sort(labels);
    const Segments segments{order_.data(), begins_.data(), static_cast<std::uint32_t>(n_blocks_),
                            static_cast<std::uint32_t>(block_size_)};
    const std::int64_t n_segments = n_centres_ * n_blocks_;
    cuda::for_each(
        stream_, points_.n_points + 1,
        MarkSegmentStarts{segments, sorted_labels_.data(), points_.n_points, n_segments});
    if (points_.weights == nullptr) {
      sum<T, false>(points_, segments, block_sums_, device_sums_);
    } else {
      const PointsView<double> weights{points_.weights, points_.n_points, 1};
      sum<T, true>(points_, segments, block_sums_, device_sums_);
      sum<double, false>(weights, segments, block_masses_, device_masses_);
      cuda::copy(masses_.data(), device_masses_.data(), masses_.size(), stream_);
    }
    cuda::for_each(stream_, n_centres_, CountPoints{segments, device_counts_.data()});
    cuda::copy(sums_.data(), device_sums_.data(), sums_.size(), stream_);
    cuda::copy(counts_.data(), device_counts_.data(), counts_.size(), stream_);
    stream_.synchronize();
  }
  [[nodiscard]] const std::vector<double>& sums() const noexcept { return sums_; }
  /// Returns the numbers of points of positive weight.
  [[nodiscard]] const std::vector<std::int64_t>& counts() const noexcept { return counts_; }
  /// Returns the sum of the weights of a centre's points, as CentreSums::mass does.
  [[nodiscard]] double mass(std::int64_t centre) const noexcept {
    const auto c = static_cast<std::size_t>(centre);
    return masses_.empty() ? static_cast<double>(counts_[c]) : masses_[c];
  }

 private:
  /// Sums the coordinates of `points`, times the weights if `weighted`.
  template <class U, bool weighted>
  void sum(const PointsView<U>& points, const Segments& segments,
           const cuda::DeviceBuffer<double>& block_sums, const cuda::DeviceBuffer<double>& sums) {
    const std::int64_t n_segments = n_centres_ * n_blocks_;
    const std::int64_t d = points.dimension;
    const int width = d < cuda::warp_lanes
                          ? static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(d)))
                          : cuda::warp_lanes;
    const std::int64_t n_slices = (d + cuda::warp_lanes - 1) / cuda::warp_lanes;
    cuda::launch_for(stream_, n_segments * n_slices * cuda::warp_lanes, sum_segments<U, weighted>,
                     points, points_.weights, segments, width, n_slices, n_segments,
                     block_sums.data(), n_centres_);
    cuda::for_each(stream_, n_centres_ * d,
                   SumBlocks{block_sums.data(), n_centres_ * d, n_blocks_, sums.data()});
  }
  [[nodiscard]] std::size_t n_points() const { return static_cast<std::size_t>(points_.n_points); }

  void sort(const vertex_t* labels) {
    const auto* keys = reinterpret_cast<const std::uint32_t*>(labels);
    auto largest = static_cast<std::uint64_t>(n_centres_ - 1);
    if (points_.weights != nullptr) {
      cuda::for_each(stream_, points_.n_points,
                     LabelIfCounted{points_.weights, labels, static_cast<std::uint32_t>(++largest),
                                    keys_.data()});
      keys = keys_.data();
    }
    // There is at least one bit: the sort needs a nonempty range of bits.
    const int bits = std::max(1, static_cast<int>(std::bit_width(largest)));
    cuda::sort_pairs(keys, sorted_labels_.data(), indices_.data(), order_.data(),
                     std::int64_t{points_.n_points}, bits, stream_);
  }

  WeightedPoints<T> points_;
  std::int64_t n_centres_;
  const cuda::Stream& stream_;
  std::int64_t block_size_;
  std::int64_t n_blocks_;
  cuda::DeviceBuffer<std::uint32_t> indices_;
  cuda::DeviceBuffer<std::uint32_t> order_;
  cuda::DeviceBuffer<std::uint32_t> keys_;
  cuda::DeviceBuffer<std::uint32_t> sorted_labels_;
  cuda::DeviceBuffer<std::uint32_t> begins_;
  cuda::DeviceBuffer<double> block_sums_;
  cuda::DeviceBuffer<double> device_sums_;
  cuda::DeviceBuffer<std::int64_t> device_counts_;
  cuda::DeviceBuffer<double> block_masses_;
  cuda::DeviceBuffer<double> device_masses_;
  std::vector<double> sums_;
  std::vector<std::int64_t> counts_;
  std::vector<double> masses_;
};

}  // namespace warpgraph::kmeans_detail
