#include "algorithms/hdbscan/centres.hpp"

#include "core/containers/at.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warpgraph {
namespace {

/// The points of a cluster per block of its sums.
constexpr std::int64_t block_points = 1 << 12;
/// The blocks of a cluster from which on all threads share one pass; others take one thread each.
constexpr std::int64_t blocks_of_large_cluster = 8;

/// The points of each cluster, ascending.
struct Members {
  std::vector<std::int64_t> begin;
  HostVector<vertex_t> points;

  explicit Members(const WeightedLabels& clusters) : begin(at(clusters.n_clusters) + 1, 0) {
    for (const vertex_t label : clusters.labels) {
      if (label >= 0) ++begin[at(label) + 1];
    }
    for (std::size_t k = 1; k < begin.size(); ++k) begin[k] += begin[k - 1];
    points.resize(at(begin.back()));
    std::vector<std::int64_t> end(begin.begin(), begin.end() - 1);
    for (std::size_t p = 0; p < clusters.labels.size(); ++p) {
      const vertex_t label = clusters.labels[p];
      if (label >= 0) points[at(end[at(label)]++)] = static_cast<vertex_t>(p);
    }
  }
  [[nodiscard]] std::span<const vertex_t> of(std::int64_t cluster) const noexcept {
    return {points.data() + begin[at(cluster)], points.data() + begin[at(cluster) + 1]};
  }
};

template <class T>
void add_centroid(PointsView<T> points, std::span<const vertex_t> members,
                  std::span<const double> weights, double* centroid) {
  std::fill_n(centroid, points.dimension, 0.0);
  double total = 0;
  for (const vertex_t p : members) {
    const double weight = weights[at(p)];
    const T* x = points.row(p);
    total += weight;
    for (std::int64_t k = 0; k < points.dimension; ++k) centroid[k] += weight * double{x[k]};
  }
  for (std::int64_t k = 0; k < points.dimension; ++k) centroid[k] /= total;
}

/// The search for the medoid of one cluster.
template <class T>
class MedoidSearch {
 public:
  MedoidSearch(PointsView<T> points, std::span<const vertex_t> members,
               std::span<const double> weights)
      : points_(points),
        members_(members),
        weights_(weights),
        scale_(scale_of(points, members)),
        n_blocks_((std::ssize(members) + block_points - 1) / block_points),
        bound_(members.size(), 0),
        gradient_(at(points.dimension)),
        sums_(at(n_blocks_ * (points.dimension + 1))),
        least_(at(n_blocks_)) {}

  vertex_t run() {
    std::int64_t next = nearest_to_centroid();
    double best = std::numeric_limits<double>::infinity();
    std::int64_t medoid = next;
    while (true) {
      const double sum = sum_distances(next);
      const Bound lowest = raise_bounds(next, sum);
      // `first_twin_` is the first of the points that are identical to `next`.
      if (sum < best || (sum == best && first_twin_ < medoid)) {
        best = sum;
        medoid = first_twin_;
      }
      if (!(lowest.value <= best)) return members_[at(medoid)];
      next = lowest.index;
    }
  }

 private:
  struct Bound {
    double value;
    std::int64_t index;
  };
  /// The part of a sum by which bounds are lowered, for rounding.
  static constexpr double rounding = 1e-9;
  static constexpr double visited = std::numeric_limits<double>::infinity();

  /// Returns a power of two that makes the largest coordinate about 1: no square overflows, and
  /// products round only where they vanish beside that one.
  static double scale_of(PointsView<T> points, std::span<const vertex_t> members) {
    constexpr int max_exponent = 1000;
    double largest = 0;
    for (const vertex_t p : members) {
      for (std::int64_t k = 0; k < points.dimension; ++k) {
        largest = std::max(largest, std::abs(double{points.row(p)[k]}));
      }
    }
    return largest > 0 ? std::ldexp(1.0, std::min(-std::ilogb(largest), max_exponent)) : 1;
  }

  [[nodiscard]] const T* point(std::int64_t i) const noexcept {
    return points_.row(members_[at(i)]);
  }
  /// Returns x - y, scaled.
  [[nodiscard]] double difference(double x, double y) const noexcept {
    return x * scale_ - y * scale_;
  }

  template <class Body>
  void for_each_block(const Body& body) {
    parallel_for(
        n_blocks_,
        [&](std::int64_t block) {
          body(block, block * block_points,
               std::min((block + 1) * block_points, std::ssize(members_)));
        },
        1);
  }

  std::int64_t nearest_to_centroid() {
    std::vector<double> centre(at(points_.dimension));
    add_centroid(points_, members_, weights_, centre.data());
    Bound nearest{visited, 0};
    for (std::int64_t i = 0; i < std::ssize(members_); ++i) {
      double square = 0;
      for (std::int64_t k = 0; k < points_.dimension; ++k) {
        const double apart = difference(point(i)[k], centre[at(k)]);
        square += apart * apart;
      }
      if (square < nearest.value) nearest = {square, i};
    }
    return nearest.index;
  }

  /// Returns f at a member; gradient_ becomes a subgradient there.
  double sum_distances(std::int64_t from) {
    const std::int64_t d = points_.dimension;
    const T* const x = point(from);
    for_each_block([&](std::int64_t block, std::int64_t begin, std::int64_t end) {
      double* const sums = sums_.data() + block * (d + 1);
      std::fill_n(sums, d + 1, 0.0);
      for (std::int64_t i = begin; i < end; ++i) {
        const T* const y = point(i);
        double square = 0;
        for (std::int64_t k = 0; k < d; ++k) {
          const double apart = difference(x[k], y[k]);
          square += apart * apart;
        }
        const double distance = std::sqrt(square);
        if (!(distance > 0)) continue;
        const double weight = weights_[at(members_[at(i)])];
        sums[d] += weight * distance;
        const double slope = weight / distance;
        for (std::int64_t k = 0; k < d; ++k) sums[k] += slope * difference(x[k], y[k]);
      }
    });
    double sum = 0;
    std::fill(gradient_.begin(), gradient_.end(), 0.0);
    for (std::int64_t block = 0; block < n_blocks_; ++block) {
      const double* const sums = sums_.data() + block * (d + 1);
      for (std::int64_t k = 0; k < d; ++k) gradient_[at(k)] += sums[k];
      sum += sums[d];
    }
    return sum;
  }

  /// Applies the plane of a member to all bounds. Returns the least one of a member without a sum.
  Bound raise_bounds(std::int64_t from, double sum) {
    const std::int64_t d = points_.dimension;
    const T* const x = point(from);
    std::vector<std::int64_t> twin(at(n_blocks_), std::ssize(members_));
    for_each_block([&](std::int64_t block, std::int64_t begin, std::int64_t end) {
      Bound least{visited, begin};
      for (std::int64_t i = begin; i < end; ++i) {
        const T* const y = point(i);
        double slope = 0;
        bool same = true;
        for (std::int64_t k = 0; k < d; ++k) {
          slope += gradient_[at(k)] * difference(y[k], x[k]);
          same &= x[k] == y[k];
        }
        double& bound = bound_[at(i)];
        bound = same ? visited : std::max(bound, sum + slope - rounding * sum);
        if (same) twin[at(block)] = std::min(twin[at(block)], i);
        if (bound < least.value) least = {bound, i};
      }
      least_[at(block)] = least;
    });
    first_twin_ = *std::min_element(twin.begin(), twin.end());
    return *std::min_element(least_.begin(), least_.end(),
                             [](const Bound& a, const Bound& b) { return a.value < b.value; });
  }

  PointsView<T> points_;
  std::span<const vertex_t> members_;
  std::span<const double> weights_;
  double scale_;
  std::int64_t n_blocks_;
  std::vector<double> bound_;  // of each member; `visited` if its sum is known
  std::vector<double> gradient_;
  std::vector<double> sums_;  // of each block
  std::vector<Bound> least_;  // of each block
  std::int64_t first_twin_ = 0;
};

}  // namespace

template <class T>
std::vector<double> centroids(PointsView<T> points, const WeightedLabels& clusters) {
  const Members members(clusters);
  std::vector<double> centres(at(clusters.n_clusters * points.dimension));
  parallel_for(
      clusters.n_clusters,
      [&](std::int64_t c) {
        add_centroid(points, members.of(c), clusters.weights,
                     centres.data() + c * points.dimension);
      },
      1);
  return centres;
}

template <class T>
std::vector<vertex_t> medoids(PointsView<T> points, const WeightedLabels& clusters) {
  const Members members(clusters);
  std::vector<vertex_t> result(at(clusters.n_clusters));
  const auto find = [&](std::int64_t c) {
    result[at(c)] = MedoidSearch<T>(points, members.of(c), clusters.weights).run();
  };
  const auto is_large = [&](std::int64_t c) {
    return std::ssize(members.of(c)) > blocks_of_large_cluster * block_points;
  };
  for (std::int64_t c = 0; c < clusters.n_clusters; ++c) {
    if (is_large(c)) find(c);
  }
  parallel_for(
      clusters.n_clusters,
      [&](std::int64_t c) {
        if (!is_large(c)) find(c);
      },
      1);
  return result;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(centroids)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(medoids)

}  // namespace warpgraph
