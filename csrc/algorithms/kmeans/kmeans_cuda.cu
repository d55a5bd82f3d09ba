// Lloyd's algorithm on a GPU. There are few centres, so the host moves them; the device does the
// rest.
#include "algorithms/kmeans/device/device_assign.cuh"
#include "algorithms/kmeans/device/device_centre_sums.cuh"
#include "algorithms/kmeans/device/device_farthest.cuh"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/memory/buffer.hpp"

#include <algorithm>
#include <string>

namespace warpgraph {
namespace {

using namespace kmeans_detail;

template <class T>
struct DistanceToCentre {
  PointsView<T> points;
  const T* centres;
  const vertex_t* labels;
  T* distances;
  __device__ void operator()(std::int64_t p) const {
    distances[p] =
        squared_distance(points.row(p), centres + labels[p] * points.dimension, points.dimension);
  }
};

template <class T>
struct SumDistances {
  const T* distances;
  WeightedPoints<T> points;
  double* sums;
  __device__ void operator()(std::int64_t block) const {
    const std::int64_t first = block * inertia_block_size;
    const std::int64_t last =
        min(first + inertia_block_size, static_cast<std::int64_t>(points.n_points));
    double sum = 0;
    for (std::int64_t p = first; p < last; ++p) {
      sum += points.weight(p) * static_cast<double>(distances[p]);
    }
    sums[block] = sum;
  }
};

/// A function that returns the squared distance of a point to its centre, or -1 if the point cannot
/// be relocated.
template <class T>
struct RelocatableDistance {
  WeightedPoints<T> points;
  const T* distances;
  const vertex_t* labels;
  const std::int64_t* counts;
  __device__ T operator()(std::int64_t p) const {
    const bool can_move = distances[p] > T(0) && points.counts(p) && counts[labels[p]] > 1;
    return can_move ? distances[p] : T(-1);
  }
};

/// Computes the squared distance of every point to its centre, in device memory.
template <class T>
cuda::DeviceBuffer<T> distances_to_centres(const PointsView<T>& points, std::span<const T> centres,
                                           const vertex_t* labels, const cuda::Stream& stream) {
  const cuda::DeviceBuffer<T> on_device = cuda::to_device(centres, stream);
  cuda::DeviceBuffer<T> distances(static_cast<std::size_t>(points.n_points), stream);
  cuda::for_each(stream, points.n_points,
                 DistanceToCentre<T>{points, on_device.data(), labels, distances.data()});
  return distances;
}

template <class T>
double inertia_of(const WeightedPoints<T>& points, std::span<const T> centres,
                  const vertex_t* labels, const cuda::Stream& stream) {
  const cuda::DeviceBuffer<T> distances = distances_to_centres<T>(points, centres, labels, stream);
  const std::int64_t n_blocks = (points.n_points + inertia_block_size - 1) / inertia_block_size;
  const cuda::DeviceBuffer<double> on_device(static_cast<std::size_t>(n_blocks), stream);
  cuda::for_each(stream, n_blocks, SumDistances<T>{distances.data(), points, on_device.data()});
  const auto sums = cuda::to_host<std::vector<double>>(on_device.data(), on_device.size(), stream);
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

template <class T>
class DeviceLloyd {
 public:
  DeviceLloyd(const WeightedPoints<T>& points, std::span<const T> start, const cuda::Stream& stream)
      : points_(points),
        n_centres_(
            static_cast<vertex_t>(static_cast<std::int64_t>(start.size()) / points.dimension)),
        stream_(stream),
        centres_(start.begin(), start.end()),
        labels_(static_cast<std::size_t>(points.n_points), stream),
        assigner_(points, n_centres_, stream),
        sums_(points, n_centres_, stream) {
    cuda::fill(labels_.data(), no_vertex, points.n_points, stream);
  }

  static std::size_t bytes(const WeightedPoints<T>& points, std::int64_t n_centres) {
    return DeviceCentreSums<T>::bytes(points, n_centres) +
           static_cast<std::size_t>(points.n_points) * (sizeof(vertex_t) + sizeof(T));
  }

  KMeansResult<T> run(const KMeansOptions& options) {
    KMeansResult<T> result;
    result.iterations = iterate(*this, options);
    result.labels.resize(labels_.size());
    cuda::copy_out(result.labels.data(), labels_.data(), labels_.size(), stream_);
    result.inertia = inertia_of(points_, centres(), labels_.data(), stream_);
    result.centres = std::move(centres_);
    return result;
  }

  std::int64_t assign() { return assigner_.assign(centres(), labels_.data()); }

  void fill_empty_centres() {
    sums_.update(labels_.data());
    if (std::find(sums_.counts().begin(), sums_.counts().end(), 0) == sums_.counts().end()) return;
    if (relocate_farthest_points()) sums_.update(labels_.data());
  }

  double move_centres() {
    const std::int64_t d = points_.dimension;
    double total = 0;
    for (vertex_t c = 0; c < n_centres_; ++c) {
      total += move_centre(centres_.data() + c * d, sums_.sums().data() + c * d, sums_.mass(c), d);
    }
    return total;
  }

 private:
  [[nodiscard]] std::span<const T> centres() const { return centres_; }

  /// Relocates points as relocate_points_to_empty does. Returns false if there was no point to
  /// relocate.
  bool relocate_farthest_points() {
    const cuda::DeviceBuffer<T> distances =
        distances_to_centres<T>(points_, centres(), labels_.data(), stream_);
    std::vector<std::int64_t> counts = sums_.counts();
    const cuda::DeviceBuffer<std::int64_t> device_counts(counts.size(), stream_);
    const cuda::DeviceBuffer<FarthestCandidate<T>> found(1, stream_);
    bool relocated_any = false;
    for (std::size_t empty = 0; empty < counts.size(); ++empty) {
      if (counts[empty] > 0) continue;
      poll();
      cuda::copy(device_counts.data(), counts.data(), counts.size(), stream_);
      find_farthest(
          RelocatableDistance<T>{points_, distances.data(), labels_.data(), device_counts.data()},
          points_.n_points, found.data(), stream_);
      const FarthestCandidate<T> farthest = cuda::read_back(found.data(), stream_);
      if (farthest.point < 0) break;
      vertex_t* const label = labels_.data() + farthest.point;
      --counts[static_cast<std::size_t>(cuda::read_back(label, stream_))];
      cuda::fill(label, static_cast<vertex_t>(empty), 1, stream_);
      counts[empty] = 1;
      relocated_any = true;
    }
    return relocated_any;
  }

  WeightedPoints<T> points_;
  vertex_t n_centres_;
  const cuda::Stream& stream_;
  std::vector<T> centres_;
  cuda::DeviceBuffer<vertex_t> labels_;
  Assigner<T> assigner_;
  DeviceCentreSums<T> sums_;
};

}  // namespace

template <class T>
KMeansResult<T> kmeans_cuda(const WeightedPoints<T>& points, std::span<const T> start,
                            const KMeansOptions& options, MemoryBudget budget,
                            const cuda::Stream& stream) {
  const std::int64_t n_centres = static_cast<std::int64_t>(start.size()) / points.dimension;
  budget.require("k-means of " + std::to_string(points.n_points) + " points and " +
                     std::to_string(n_centres) + " centres",
                 DeviceLloyd<T>::bytes(points, n_centres),
                 "pass fewer points or ask for fewer clusters");
  return DeviceLloyd<T>(points, start, stream).run(options);
}

template <class T>
double nearest_centres_cuda(const WeightedPoints<T>& points, std::span<const T> centres,
                            std::span<vertex_t> labels, const cuda::Stream& stream) {
  const auto n_centres =
      static_cast<vertex_t>(static_cast<std::int64_t>(centres.size()) / points.dimension);
  const cuda::DeviceBuffer<vertex_t> on_device(labels.size(), stream);
  cuda::fill(on_device.data(), no_vertex, points.n_points, stream);
  Assigner<T>(points, n_centres, stream).assign(centres, on_device.data());
  cuda::copy_out(labels.data(), on_device.data(), labels.size(), stream);
  return inertia_of(points, centres, on_device.data(), stream);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(kmeans_cuda)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(nearest_centres_cuda)

}  // namespace warpgraph
