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
std::vector<T> mean_of(PointsView<T> points) {
  CentreSums<T> sums(points, 1);
  const std::vector<vertex_t> labels(static_cast<std::size_t>(points.n_points), 0);
  sums.update(labels, std::vector<std::uint8_t>(static_cast<std::size_t>(sums.n_blocks()), 1));
  std::vector<T> mean;
  for (const double sum : sums.sums()) {
    mean.push_back(static_cast<T>(sum / static_cast<double>(points.n_points)));
  }
  return mean;
}

/// The nearest centre so far of every point, and its squared distance.
template <class T>
class FarthestFirstTraversal {
 public:
  explicit FarthestFirstTraversal(PointsView<T> points)
      : points_(points),
        rounding_(points.dimension),
        distances_(static_cast<std::size_t>(points.n_points)),
        nearest_(distances_.size()) {}

  /// Makes `centre` the nearest centre of every point and returns the farthest point.
  FarthestCandidate<T> farthest_from(const T* centre) {
    return reduce([&](std::int64_t, std::size_t i, const T* point) {
      distances_[i] = squared_distance(point, centre, points_.dimension);
      nearest_[i] = 0;
    });
  }

  /// Adds the last of the `chosen` points as a centre and returns the point farthest from all
  /// centres.
  FarthestCandidate<T> farthest_after_adding(const std::vector<vertex_t>& chosen) {
    const auto new_centre = static_cast<vertex_t>(chosen.size() - 1);
    const T* centre = points_.row(chosen.back());
    std::vector<T> thresholds(
        chosen.size());  // per old centre: points nearer than this stay with it
    for (std::size_t c = 0; c + 1 < chosen.size(); ++c) {
      const T separation = squared_distance(points_.row(chosen[c]), centre, points_.dimension);
      thresholds[c] = rounding_.usable() ? rounding_.triangle_threshold(separation) : T(0);
    }
    return reduce([&](std::int64_t, std::size_t i, const T* point) {
      if (distances_[i] < thresholds[static_cast<std::size_t>(nearest_[i])]) return;
      const T distance = squared_distance(point, centre, points_.dimension);
      if (distance < distances_[i]) {
        distances_[i] = distance;
        nearest_[i] = new_centre;
      }
    });
  }

 private:
  template <class Update>
  FarthestCandidate<T> reduce(Update&& update) {
    return parallel_reduce(
        points_.n_points, FarthestCandidate<T>{},
        [&](std::int64_t p) {
          const auto i = static_cast<std::size_t>(p);
          update(p, i, points_.row(p));
          return FarthestCandidate<T>{distances_[i], p};
        },
        [](FarthestCandidate<T> a, FarthestCandidate<T> b) { return a.farther(b); },
        distance_grain(points_.dimension, 1));
  }

  PointsView<T> points_;
  DistanceBounds<T> rounding_;
  HostVector<T> distances_;  // squared distance to the nearest centre
  HostVector<vertex_t> nearest_;
};

}  // namespace

template <class T>
std::vector<vertex_t> farthest_points(PointsView<T> points, vertex_t k) {
  std::vector<vertex_t> chosen;
  const std::vector<T> mean = mean_of(points);
  FarthestFirstTraversal<T> traversal(points);
  FarthestCandidate<T> next = traversal.farthest_from(mean.data());
  for (vertex_t i = 0; i < k; ++i) {
    chosen.push_back(static_cast<vertex_t>(next.point));
    if (i + 1 == k) break;
    next = i == 0 ? traversal.farthest_from(points.row(next.point))
                  : traversal.farthest_after_adding(chosen);
  }
  return chosen;
}

template std::vector<vertex_t> farthest_points(PointsView<float>, vertex_t);
template std::vector<vertex_t> farthest_points(PointsView<double>, vertex_t);

}  // namespace warpgraph
