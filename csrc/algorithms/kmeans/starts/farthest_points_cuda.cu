#include "algorithms/kmeans/device/device_centre_sums.cuh"
#include "algorithms/kmeans/device/device_farthest.cuh"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/memory/buffer.hpp"

namespace warpgraph {
namespace {

using namespace kmeans_detail;

/// A loop body that lowers the squared distance of a point to its nearest centre by a new centre.
template <class T>
struct LowerDistance {
  WeightedPoints<T> points;
  const T* mean;  // the new centre; null: the point `chosen`
  const FarthestCandidate<T>* chosen;
  bool first;  // whether this is the first centre
  T* distances;
  __device__ T operator()(std::int64_t p) const {
    const T* centre = mean != nullptr ? mean : points.row(chosen->point);
    const T distance = squared_distance(points.row(p), centre, points.dimension);
    if (first || distance < distances[p]) distances[p] = distance;
    return points.counts(p) ? distances[p] : T(-1);
  }
};

template <class T>
std::vector<T> mean_of(const WeightedPoints<T>& points, const cuda::Stream& stream) {
  DeviceCentreSums<T> sums(points, 1, stream);
  const cuda::DeviceBuffer<vertex_t> labels(static_cast<std::size_t>(points.n_points), stream);
  cuda::fill(labels.data(), vertex_t{0}, points.n_points, stream);
  sums.update(labels.data());
  std::vector<T> mean;
  for (const double sum : sums.sums()) {
    mean.push_back(static_cast<T>(sum / sums.mass(0)));
  }
  return mean;
}

}  // namespace

template <class T>
std::vector<vertex_t> farthest_points_cuda(const WeightedPoints<T>& points, vertex_t k,
                                           const cuda::Stream& stream) {
  const std::vector<T> mean = mean_of(points, stream);
  const cuda::DeviceBuffer<T> centre = cuda::to_device(std::span<const T>(mean), stream);
  const cuda::DeviceBuffer<T> distances(static_cast<std::size_t>(points.n_points), stream);
  const cuda::DeviceBuffer<FarthestCandidate<T>> chosen(static_cast<std::size_t>(k), stream);
  for (vertex_t i = 0; i < k; ++i) {
    poll();
    const bool from_mean = i == 0;
    find_farthest(
        LowerDistance<T>{points, from_mean ? centre.data() : nullptr,
                         from_mean ? nullptr : chosen.data() + i - 1, i <= 1, distances.data()},
        points.n_points, chosen.data() + i, stream);
  }
  const auto found = cuda::to_host<std::vector<FarthestCandidate<T>>>(
      chosen.data(), static_cast<std::size_t>(k), stream);
  std::vector<vertex_t> rows;
  for (const FarthestCandidate<T>& farthest : found) {
    rows.push_back(static_cast<vertex_t>(farthest.point));
  }
  return rows;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(farthest_points_cuda)

}  // namespace warpgraph
