// Sums of the points of every centre, on a GPU: the sums of CentreSums bit for bit.
//
// A stable sort by label brings each centre's points together in their order, hence also each
// block's points of a centre: a piece. A warp adds up a piece point by point, a lane a coordinate;
// the pieces of a centre are added block by block.
#pragma once

#include "algorithms/kmeans/steps.hpp"
#include "core/cuda/for_each.cuh"
#include "core/cuda/memory/scratch.cuh"
#include "core/cuda/warp.cuh"

#include <cub/device/device_radix_sort.cuh>

#include <bit>

namespace warpgraph::kmeans_steps {

/// The points sorted by label, and where the pieces begin.
struct Pieces {
  const std::uint32_t* points;
  std::uint32_t* begins;  // of piece label * n_blocks + block, and the end
  std::uint32_t n_blocks;
  std::uint32_t block_size;
};

struct MarkPieces {
  Pieces pieces;
  const std::uint32_t* labels;  // sorted
  std::int64_t n_points;
  std::int64_t n_pieces;
  __device__ std::int64_t piece(std::int64_t i) const {
    return static_cast<std::int64_t>(labels[i]) * pieces.n_blocks +
           pieces.points[i] / pieces.block_size;
  }
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t here = i < n_points ? piece(i) : n_pieces;
    for (std::int64_t s = i > 0 ? piece(i - 1) + 1 : 0; s <= here; ++s) {
      pieces.begins[s] = static_cast<std::uint32_t>(i);  // pieces without points begin there, too
    }
  }
};

/// Loads that a thread has on their way while it adds.
inline constexpr int loads_ahead = 8;

/// Every piece's sum, by a warp each, coordinate by coordinate. The lanes load as many points as
/// fit at a time, `width` >= dimension lanes each, and then all follow the same additions: point by
/// point. With more coordinates than lanes, a warp has a slice of them, and width is that of all.
template <class T>
__global__ void add_pieces(PointsView<T> points, Pieces pieces, int width, std::int64_t n_slices,
                           std::int64_t n_pieces, double* sums, std::int64_t n_centres) {
  const std::int64_t warp = cuda::global_index() / cuda::warp_lanes;
  const std::int64_t piece = warp / n_slices;
  if (piece >= n_pieces) return;
  const int at_once = cuda::warp_lanes / width;
  const int own = cuda::lane() / width;  // which of the points loaded at a time
  const int j = cuda::lane() % width;
  const std::int64_t coordinate = (warp - piece * n_slices) * cuda::warp_lanes + j;
  const bool there = coordinate < points.dimension;
  const std::uint32_t end = pieces.begins[piece + 1];
  double sum = 0;
  for (std::uint32_t i = pieces.begins[piece]; i < end;
       i += static_cast<std::uint32_t>(loads_ahead * at_once)) {
    T ahead[loads_ahead];
#pragma unroll
    for (int k = 0; k < loads_ahead; ++k) {
      const std::uint32_t at = i + static_cast<std::uint32_t>(k * at_once + own);
      ahead[k] = there && at < end ? points.row(pieces.points[at])[coordinate] : T(0);
    }
#pragma unroll
    for (int k = 0; k < loads_ahead; ++k) {
      const double x = static_cast<double>(ahead[k]);
      for (int from = 0; from < at_once; ++from) {
        const double of_point = __shfl_sync(cuda::all_lanes, x, from * width + j);
        sum += of_point;  // 0 behind the end: adds nothing to a sum that began with 0
      }
    }
  }
  if (own > 0 || !there) return;
  const std::int64_t centre = piece / pieces.n_blocks;
  const std::int64_t block = piece % pieces.n_blocks;
  sums[(block * n_centres + centre) * points.dimension + coordinate] = sum;
}

struct AddBlocks {
  const double* block_sums;
  std::int64_t width;  // numbers that a block sums to
  std::int64_t n_blocks;
  double* sums;
  __device__ void operator()(std::int64_t i) const {
    double sum = 0;
#pragma unroll 16
    for (std::int64_t b = 0; b < n_blocks; ++b) sum += block_sums[b * width + i];
    sums[i] = sum;
  }
};

struct CountPoints {
  Pieces pieces;
  std::int64_t* counts;
  __device__ void operator()(std::int64_t c) const {
    const std::int64_t n = pieces.n_blocks;
    counts[c] = pieces.begins[(c + 1) * n] - pieces.begins[c * n];
  }
};

template <class T>
class DeviceSums {
 public:
  DeviceSums(PointsView<T> points, std::int64_t n_centres, const cuda::Stream& stream)
      : points_(points),
        n_centres_(n_centres),
        stream_(stream),
        block_(block_size(points.n_points, n_centres)),
        n_blocks_((points.n_points + block_ - 1) / block_),
        numbers_(n_points(), stream),
        order_(n_points(), stream),
        sorted_labels_(n_points(), stream),
        begins_(static_cast<std::size_t>(n_centres * n_blocks_ + 1), stream),
        block_sums_(static_cast<std::size_t>(n_centres * n_blocks_ * points.dimension), stream),
        device_sums_(static_cast<std::size_t>(n_centres * points.dimension), stream),
        device_counts_(static_cast<std::size_t>(n_centres), stream),
        sums_(device_sums_.size()),
        counts_(device_counts_.size()) {
    cuda::iota(numbers_.data(), points.n_points, stream);
  }

  static std::size_t bytes(PointsView<T> points, std::int64_t n_centres) {
    // Numbers, labels and the sort's own copies of both.
    const std::size_t sorting = static_cast<std::size_t>(points.n_points) * 5 * sizeof(vertex_t);
    return CentreSums<T>::bytes(points, n_centres) + sorting;
  }

  /// Sums up the points of each label; waits for the device.
  void update(const vertex_t* labels) {
    sort(labels);
    const Pieces pieces{order_.data(), begins_.data(), static_cast<std::uint32_t>(n_blocks_),
                        static_cast<std::uint32_t>(block_)};
    const std::int64_t n_pieces = n_centres_ * n_blocks_;
    const std::int64_t d = points_.dimension;
    cuda::for_each(stream_, points_.n_points + 1,
                   MarkPieces{pieces, sorted_labels_.data(), points_.n_points, n_pieces});
    const int width = d < cuda::warp_lanes
                          ? static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(d)))
                          : cuda::warp_lanes;
    const std::int64_t n_slices = (d + cuda::warp_lanes - 1) / cuda::warp_lanes;
    cuda::launch_for(stream_, n_pieces * n_slices * cuda::warp_lanes, add_pieces<T>, points_,
                     pieces, width, n_slices, n_pieces, block_sums_.data(), n_centres_);
    cuda::for_each(stream_, n_centres_ * d,
                   AddBlocks{block_sums_.data(), n_centres_ * d, n_blocks_, device_sums_.data()});
    cuda::for_each(stream_, n_centres_, CountPoints{pieces, device_counts_.data()});
    cuda::copy(sums_.data(), device_sums_.data(), sums_.size(), stream_);
    cuda::copy(counts_.data(), device_counts_.data(), counts_.size(), stream_);
    stream_.synchronize();
  }
  [[nodiscard]] const std::vector<double>& sums() const noexcept { return sums_; }
  [[nodiscard]] const std::vector<std::int64_t>& counts() const noexcept { return counts_; }

 private:
  [[nodiscard]] std::size_t n_points() const { return static_cast<std::size_t>(points_.n_points); }

  void sort(const vertex_t* labels) {
    const auto* keys = reinterpret_cast<const std::uint32_t*>(labels);
    // One bit at least: no bits are no sort.
    const int bits =
        std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n_centres_ - 1))));
    cuda::with_scratch(stream_, [&](void* scratch, std::size_t& size) {
      return cub::DeviceRadixSort::SortPairs(
          scratch, size, keys, sorted_labels_.data(), numbers_.data(), order_.data(),
          std::int64_t{points_.n_points}, 0, bits, stream_.get());
    });
  }

  PointsView<T> points_;
  std::int64_t n_centres_;
  const cuda::Stream& stream_;
  std::int64_t block_;
  std::int64_t n_blocks_;
  cuda::DeviceBuffer<std::uint32_t> numbers_;
  cuda::DeviceBuffer<std::uint32_t> order_;
  cuda::DeviceBuffer<std::uint32_t> sorted_labels_;
  cuda::DeviceBuffer<std::uint32_t> begins_;
  cuda::DeviceBuffer<double> block_sums_;
  cuda::DeviceBuffer<double> device_sums_;
  cuda::DeviceBuffer<std::int64_t> device_counts_;
  std::vector<double> sums_;
  std::vector<std::int64_t> counts_;
};

}  // namespace warpgraph::kmeans_steps
