// Points far apart. A new centre can only be nearer to a point than its nearest one so far if the
// two centres are less than twice as far apart as the point is from the old one; most points are
// passed by for that.
#include "algorithms/kmeans/distance_bounds.hpp"
#include "algorithms/kmeans/steps.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"

namespace warpgraph {
namespace {

using namespace kmeans_steps;

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

/// What is known of every point: its nearest centre so far.
template <class T>
class Spread {
 public:
  explicit Spread(PointsView<T> points)
      : points_(points),
        rounding_(points.dimension),
        keys_(static_cast<std::size_t>(points.n_points)),
        nearest_(keys_.size()) {}

  /// The point farthest from `centre`, which is then every point's nearest.
  Far<T> farthest_from(const T* centre) {
    return reduce([&](std::int64_t, std::size_t i, const T* point) {
      keys_[i] = squared_distance(point, centre, points_.dimension);
      nearest_[i] = 0;
    });
  }

  /// Takes the points in `chosen` for centres, of which the last is new; the point farthest from
  /// all of them.
  Far<T> farthest_with(const std::vector<vertex_t>& chosen) {
    const auto added = static_cast<vertex_t>(chosen.size() - 1);
    const T* centre = points_.row(chosen.back());
    std::vector<T> within(chosen.size());  // of an old centre: its points this near stay with it
    for (std::size_t c = 0; c + 1 < chosen.size(); ++c) {
      const T apart = squared_distance(points_.row(chosen[c]), centre, points_.dimension);
      within[c] = rounding_.usable() ? rounding_.square_below_half(apart) : T(0);
    }
    return reduce([&](std::int64_t, std::size_t i, const T* point) {
      if (keys_[i] < within[static_cast<std::size_t>(nearest_[i])]) return;
      const T key = squared_distance(point, centre, points_.dimension);
      if (key < keys_[i]) {
        keys_[i] = key;
        nearest_[i] = added;
      }
    });
  }

 private:
  template <class Look>
  Far<T> reduce(Look&& look) {
    return parallel_reduce(
        points_.n_points, Far<T>{},
        [&](std::int64_t p) {
          const auto i = static_cast<std::size_t>(p);
          look(p, i, points_.row(p));
          return Far<T>{keys_[i], p};
        },
        [](Far<T> a, Far<T> b) { return a.or_farther(b); }, points_per_fetch(points_.dimension, 1));
  }

  PointsView<T> points_;
  DistanceBounds<T> rounding_;
  HostVector<T> keys_;  // squared distance to the nearest centre
  HostVector<vertex_t> nearest_;
};

}  // namespace

template <class T>
std::vector<vertex_t> farthest_points(PointsView<T> points, vertex_t k) {
  std::vector<vertex_t> chosen;
  const std::vector<T> mean = mean_of(points);
  Spread<T> spread(points);
  Far<T> next = spread.farthest_from(mean.data());
  for (vertex_t i = 0; i < k; ++i) {
    chosen.push_back(static_cast<vertex_t>(next.point));
    if (i + 1 == k) break;
    next = i == 0 ? spread.farthest_from(points.row(next.point)) : spread.farthest_with(chosen);
  }
  return chosen;
}

template std::vector<vertex_t> farthest_points(PointsView<float>, vertex_t);
template std::vector<vertex_t> farthest_points(PointsView<double>, vertex_t);

}  // namespace warpgraph
