// The steps of an iteration that decide what the result is: distances, sums, and what becomes of
// centres without points.
#pragma once

#include "algorithms/kmeans/kmeans.hpp"
#include "core/interrupt.hpp"

namespace warpgraph::kmeans_steps {

/// Distances take so many multiplications between two looks for Ctrl-C: some milliseconds.
inline constexpr std::int64_t work_per_fetch = 1 << 22;

/// Points of which a thread computes the distances to `n_centres` centres at a time.
inline std::int64_t points_per_fetch(std::int64_t dimension, std::int64_t n_centres) noexcept {
  const std::int64_t per_point = dimension * n_centres > 0 ? dimension * n_centres : 1;
  return work_per_fetch / per_point + 1;
}

template <class T>
[[nodiscard]] WARPGRAPH_HOST_DEVICE T squared_distance(const T* a, const T* b,
                                                       std::int64_t dimension) noexcept {
  T sum = 0;
  for (std::int64_t j = 0; j < dimension; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

/// A point, and how far it is; none at first.
template <class T>
struct Far {
  T key = -1;
  std::int64_t point = -1;
  /// The farther one, of equally far ones the first.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE Far or_farther(Far other) const noexcept {
    if (other.key != key) return other.key > key ? other : *this;
    return other.point < point ? other : *this;
  }
};

/// Sums of the points of every centre, block by block.
template <class T>
class CentreSums {
 public:
  CentreSums(PointsView<T> points, std::int64_t n_centres);
  static std::size_t bytes(PointsView<T> points, std::int64_t n_centres);

  /// The block that a point is in.
  [[nodiscard]] std::int64_t block_of(std::int64_t point) const noexcept { return point / block_; }
  [[nodiscard]] std::int64_t n_blocks() const noexcept { return n_blocks_; }

  /// Sums the blocks b with stale[b] anew, and all of them to `sums` and `counts`.
  void update(std::span<const vertex_t> labels, std::span<const std::uint8_t> stale);
  [[nodiscard]] const std::vector<double>& sums() const noexcept { return sums_; }
  [[nodiscard]] const std::vector<std::int64_t>& counts() const noexcept { return counts_; }

 private:
  void sum_block(std::int64_t block, std::span<const vertex_t> labels);

  PointsView<T> points_;
  std::int64_t n_centres_;
  std::int64_t block_;
  std::int64_t n_blocks_;
  std::vector<double> block_sums_;  // of block b: n_centres * dimension numbers
  std::vector<std::int64_t> block_counts_;
  std::vector<double> sums_;
  std::vector<std::int64_t> counts_;
};

/// Moves centre c to the mean of its points; returns its squared move. Without points it stays.
template <class T>
double move_centre(T* centre, const double* sums, std::int64_t count, std::int64_t dimension) {
  double squared = 0;
  for (std::int64_t j = 0; count > 0 && j < dimension; ++j) {
    const auto mean = static_cast<T>(sums[j] / static_cast<double>(count));
    const double move = static_cast<double>(mean) - static_cast<double>(centre[j]);
    squared += move * move;
    centre[j] = mean;
  }
  return squared;
}

/// Lloyd's iterations; returns how many. The engine's assign() gives all points to their nearest
/// centres and returns how many had another, refill() cares for centres without points, and
/// move_centres() returns the sum of the squared moves.
template <class Engine>
int iterate(Engine& engine, const KMeansOptions& options) {
  bool settled = false;
  int iteration = 0;
  while (!settled && iteration < options.max_iterations) {
    ++iteration;
    settled = engine.assign() == 0;
    if (settled) break;
    engine.refill();
    const double moved = engine.move_centres();
    report_progress(iteration, options.max_iterations);
    if (moved <= options.tolerance) break;
  }
  if (!settled) engine.assign();
  report_progress(options.max_iterations, options.max_iterations);
  return iteration;
}

/// inertia_of sums the squared distances of so many points, then these sums.
inline constexpr std::int64_t inertia_block = 1 << 12;

/// Gives points to centres that have none, as kmeans.hpp says, and returns these points. `counts`
/// are the numbers of points of each centre.
template <class T>
std::vector<std::int64_t> refill_empty(PointsView<T> points, std::span<const T> centres,
                                       std::span<vertex_t> labels,
                                       std::vector<std::int64_t> counts);

}  // namespace warpgraph::kmeans_steps
