#include "algorithms/metric_points/all_pairs.hpp"
#include "algorithms/metric_points/metric_points.hpp"
#include "core/containers/at.hpp"

#include <array>
#include <cmath>

namespace warpgraph {
namespace {

/// Sums powers of each query's distances, relative to the least of them so far.
class PowerSums {
 public:
  PowerSums(double exponent, std::int64_t n, std::span<double> cores)
      : exponent_(exponent), n_others_(static_cast<double>(n - 1)), cores_(cores) {}

  void begin(std::int64_t first, std::int64_t last) {
    first_ = first;
    count_ = last - first;
    least_.fill(infinity<double>());
    sums_.fill(0);
  }
  [[nodiscard]] static double limit(std::int64_t) { return infinity<double>(); }
  void visit(std::int64_t q, vertex_t, double distance) {
    if (distance == 0 || distance == infinity<double>()) return;
    double& least = least_[at(q)];
    double& sum = sums_[at(q)];
    if (distance < least) {
      sum = sum * std::pow(distance / least, exponent_) + 1;
      least = distance;
    } else {
      sum += std::pow(least / distance, exponent_);
    }
  }
  void end() {
    for (std::int64_t q = 0; q < count_; ++q) {
      const bool is_alone = sums_[at(q)] == 0;
      const double mean = sums_[at(q)] / n_others_;
      cores_[at(first_ + q)] = is_alone ? 0 : least_[at(q)] * std::pow(mean, -1 / exponent_);
    }
  }

 private:
  double exponent_;
  double n_others_;
  std::span<double> cores_;
  std::int64_t first_ = 0;
  std::int64_t count_ = 0;
  std::array<double, queries_of_tile> least_{};
  std::array<double, queries_of_tile> sums_{};
};

/// Finds the least mutual-reachability distance of each query to another label.
class Separations {
 public:
  Separations(std::span<const double> cores, std::span<const vertex_t> labels,
              std::span<double> separations)
      : cores_(cores), labels_(labels), separations_(separations) {}

  void begin(std::int64_t first, std::int64_t last) {
    first_ = first;
    for (std::int64_t i = first; i < last; ++i) separations_[at(i)] = infinity<double>();
  }
  [[nodiscard]] double limit(std::int64_t q) const { return separations_[at(first_ + q)]; }
  void visit(std::int64_t q, vertex_t id, double distance) {
    const std::size_t query = at(first_ + q);
    if (labels_[query] == labels_[at(id)]) return;
    const double reach = std::max({distance, cores_[query], cores_[at(id)]});
    separations_[query] = std::min(separations_[query], reach);
  }
  void end() {}

 private:
  std::span<const double> cores_;
  std::span<const vertex_t> labels_;
  std::span<double> separations_;
  std::int64_t first_ = 0;
};

template <class Coordinate, class State>
void run_over(const PairsByMetric<Coordinate>& pairs, const State& state, MemoryBudget budget) {
  with_metric<Coordinate>(pairs.metric, [&]<class MetricOf>(MetricOf of) {
    using Pairs = AllPairs<MetricOf, Coordinate>;
    const PointsView<Coordinate>& points = pairs.points;
    budget.require("comparing " + std::to_string(points.n_points) + " points", Pairs::bytes(points),
                   "pass fewer points");
    Pairs(points, points, of).run(state, 0, points.n_points);
  });
}

/// Takes no memory: the matrix is read where it is.
template <class T, class State>
void run_over(const GivenPairs<T>& pairs, const State& state, MemoryBudget) {
  const std::int64_t n = std::ssize(pairs.rows);
  const auto visit_row = [&](State& of_tile, std::int64_t q, std::int64_t i) {
    const T* const row = pairs.distances.row(pairs.rows[at(i)]);
    for (std::int64_t j = 0; j < n; ++j) {
      const auto distance = static_cast<double>(row[pairs.rows[at(j)]]);
      if (j != i && distance <= of_tile.limit(q)) {
        of_tile.visit(q, static_cast<vertex_t>(j), distance);
      }
    }
  };
  for_each_tile(n, state, 0, n, [&](State& of_tile, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      poll();
      visit_row(of_tile, i - first, i);
    }
  });
}

}  // namespace

template <class Pairs>
void density_cores(const Pairs& pairs, double exponent, std::span<double> cores,
                   MemoryBudget budget) {
  run_over(pairs, PowerSums(exponent, std::ssize(cores), cores), budget);
}

template <class Pairs>
void find_separations(const Pairs& pairs, std::span<const double> cores,
                      std::span<const vertex_t> labels, std::span<double> separations,
                      MemoryBudget budget) {
  run_over(pairs, Separations(cores, labels, separations), budget);
}

#define WARPGRAPH_INSTANTIATE_DENSITY(Pairs)                                                 \
  template void density_cores<Pairs>(const Pairs&, double, std::span<double>, MemoryBudget); \
  template void find_separations<Pairs>(const Pairs&, std::span<const double>,               \
                                        std::span<const vertex_t>, std::span<double>,        \
                                        MemoryBudget);
WARPGRAPH_FOR_EACH_KIND_OF_PAIRS(WARPGRAPH_INSTANTIATE_DENSITY)
#undef WARPGRAPH_INSTANTIATE_DENSITY

}  // namespace warpgraph
