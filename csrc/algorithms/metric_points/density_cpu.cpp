#include "algorithms/metric_points/all_pairs.hpp"
#include "algorithms/metric_points/metric_points.hpp"
#include "core/containers/at.hpp"
#include "core/fixed_point_sum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace warpgraph {
namespace {

/// Writes the least distance of each query to another place; inf if there is none.
class LeastDistances {
 public:
  explicit LeastDistances(std::span<double> least) : least_(least) {}

  void begin(std::int64_t first, std::int64_t last) {
    first_ = first;
    for (std::int64_t i = first; i < last; ++i) least_[at(i)] = infinity<double>();
  }
  [[nodiscard]] double limit(std::int64_t q) const { return least_[at(first_ + q)]; }
  void visit(std::int64_t q, vertex_t, double distance) {
    if (distance > 0) least_[at(first_ + q)] = std::min(least_[at(first_ + q)], distance);
  }
  void end() {}

 private:
  std::span<double> least_;
  std::int64_t first_ = 0;
};

/// Raises numbers in 0..1 to a power, by multiplications if that is a small whole number, as it is
/// by default: the number of columns.
class Power {
 public:
  explicit Power(double exponent) : exponent_(exponent) {
    if (exponent <= most && exponent == std::floor(exponent)) whole_ = static_cast<int>(exponent);
  }
  [[nodiscard]] double operator()(double x) const noexcept {
    if (whole_ == 0) return std::pow(x, exponent_);
    double result = 1;
    for (int left = whole_; left > 0; left >>= 1, x *= x) {
      if ((left & 1) != 0) result *= x;
    }
    return result;
  }

 private:
  static constexpr double most = 1024;

  double exponent_;
  int whole_ = 0;  // the exponent, or 0
};

/// Replaces the least distance of each query by its core distance. Sums are exact, so that points
/// with equal distances have equal cores, whatever the order of these distances.
class PowerSums {
 public:
  PowerSums(double exponent, std::int64_t n, std::span<double> cores)
      : exponent_(exponent),
        power_(exponent),
        n_others_(static_cast<double>(n - 1)),
        cores_(cores) {}

  void begin(std::int64_t first, std::int64_t last) {
    first_ = first;
    count_ = last - first;
    std::copy_n(cores_.begin() + first, count_, least_.begin());
    sums_.fill({});
  }
  [[nodiscard]] static double limit(std::int64_t) { return std::numeric_limits<double>::max(); }
  void visit(std::int64_t q, vertex_t, double distance) {
    if (distance > 0) sums_[at(q)].add(power_(least_[at(q)] / distance));
  }
  void end() {
    for (std::int64_t q = 0; q < count_; ++q) {
      const bool is_alone = least_[at(q)] == infinity<double>();
      const double mean = sums_[at(q)].value() / n_others_;
      cores_[at(first_ + q)] = is_alone ? 0 : least_[at(q)] * std::pow(mean, -1 / exponent_);
    }
  }

 private:
  double exponent_;
  Power power_;
  double n_others_;
  std::span<double> cores_;
  std::int64_t first_ = 0;
  std::int64_t count_ = 0;
  std::array<double, queries_of_tile> least_{};
  std::array<FixedPointSum, queries_of_tile> sums_{};
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

/// Calls f(run), where run(state) compares all pairs.
template <class Coordinate, class F>
void with_runs(const PairsByMetric<Coordinate>& pairs, MemoryBudget budget, const F& f) {
  using Pairs = AllPairs<RowsOf<Coordinate>>;
  const RowsOf<Coordinate> points(pairs.points);
  budget.require("comparing " + std::to_string(points.n_points) + " points", Pairs::bytes(points),
                 "pass fewer points");
  const Pairs all(points, points, pairs.metric);
  f([&](const auto& state) { all.run(state, 0, points.n_points); });
}

/// Takes no memory: the matrix is read where it is.
template <class T, class F>
void with_runs(const GivenPairs<T>& pairs, MemoryBudget, const F& f) {
  const std::int64_t n = std::ssize(pairs.rows);
  const auto visit_row = [&](auto& of_tile, std::int64_t q, std::int64_t i) {
    const T* const row = pairs.distances.row(pairs.rows[at(i)]);
    for (std::int64_t j = 0; j < n; ++j) {
      const auto distance = static_cast<double>(row[pairs.rows[at(j)]]);
      if (j != i && distance <= of_tile.limit(q)) {
        of_tile.visit(q, static_cast<vertex_t>(j), distance);
      }
    }
  };
  f([&]<class State>(const State& state) {
    for_each_tile(n, state, 0, n, [&](State& of_tile, std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        poll();
        visit_row(of_tile, i - first, i);
      }
    });
  });
}

}  // namespace

template <class Pairs>
void density_cores(const Pairs& pairs, double exponent, std::span<double> cores,
                   MemoryBudget budget) {
  with_runs(pairs, budget, [&](const auto& run) {
    run(LeastDistances(cores));
    run(PowerSums(exponent, std::ssize(cores), cores));
  });
}

template <class Pairs>
void find_separations(const Pairs& pairs, std::span<const double> cores,
                      std::span<const vertex_t> labels, std::span<double> separations,
                      MemoryBudget budget) {
  with_runs(pairs, budget, [&](const auto& run) { run(Separations(cores, labels, separations)); });
}

#define WARPGRAPH_INSTANTIATE_DENSITY(Pairs)                                                 \
  template void density_cores<Pairs>(const Pairs&, double, std::span<double>, MemoryBudget); \
  template void find_separations<Pairs>(const Pairs&, std::span<const double>,               \
                                        std::span<const vertex_t>, std::span<double>,        \
                                        MemoryBudget);
WARPGRAPH_FOR_EACH_KIND_OF_PAIRS(WARPGRAPH_INSTANTIATE_DENSITY)
#undef WARPGRAPH_INSTANTIATE_DENSITY

}  // namespace warpgraph
