// Farthest-first traversal. A new centre can only be nearer to a point than its nearest centre so
// far if the distance between the two centres is less than twice the distance from the point to the
// old one. This rules out most points.
#include "algorithms/kmeans/distance_bounds.hpp"
#include "algorithms/kmeans/lloyd.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"

namespace warpgraph {
namespace {

using namespace kmeans_detail;

template <class T>
std::vector<T> mean_of(const WeightedPoints<T>& points) {
  CentreSums<T> sums(points, 1);
  const std::vector<vertex_t> labels(static_cast<std::size_t>(points.n_points), 0);
  sums.update(labels, std::vector<std::uint8_t>(static_cast<std::size_t>(sums.n_blocks()), 1));
  std::vector<T> mean;
  for (const double sum : sums.sums()) {
    mean.push_back(static_cast<T>(sum / sums.mass(0)));
  }
  return mean;
}

}  // namespace

template <class T>
std::vector<vertex_t> farthest_points(const WeightedPoints<T>& points, vertex_t k) {
  const DistanceBounds<T> rounding(points.dimension);
  // These are the nearest centre so far of every point, and its squared distance.
  HostVector<T> distances(static_cast<std::size_t>(points.n_points));
  HostVector<vertex_t> nearest(distances.size());
  const auto farthest_after = [&](const auto& update) {
    return parallel_reduce(
        points.n_points, FarthestCandidate<T>{},
        [&](std::int64_t p) {
          const auto i = static_cast<std::size_t>(p);
          update(i, points.row(p));
          return points.counts(p) ? FarthestCandidate<T>{distances[i], p} : FarthestCandidate<T>{};
        },
        [](FarthestCandidate<T> a, FarthestCandidate<T> b) { return a.farther(b); },
        distance_grain(points.dimension, 1));
  };
  const auto farthest_from = [&](const T* centre) {
    return farthest_after([&](std::size_t i, const T* point) {
      distances[i] = squared_distance(point, centre, points.dimension);
      nearest[i] = 0;
    });
  };
  std::vector<vertex_t> chosen;
  FarthestCandidate<T> next = farthest_from(mean_of(points).data());
  for (vertex_t c = 0; c < k; ++c) {
    const T* centre = points.row(next.point);
    std::vector<T> thresholds;  // per old centre: points nearer than this stay with it
    for (const vertex_t old : chosen) {
      const T separation = squared_distance(points.row(old), centre, points.dimension);
      thresholds.push_back(rounding.usable() ? rounding.triangle_threshold(separation) : T(0));
    }
    chosen.push_back(static_cast<vertex_t>(next.point));
    if (c + 1 == k) break;
    next = c == 0 ? farthest_from(centre) : farthest_after([&](std::size_t i, const T* point) {
      if (distances[i] < thresholds[static_cast<std::size_t>(nearest[i])]) return;
      const T distance = squared_distance(point, centre, points.dimension);
      if (distance < distances[i]) {
        distances[i] = distance;
        nearest[i] = c;
      }
    });
  }
  return chosen;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(farthest_points)

}  // namespace warpgraph
