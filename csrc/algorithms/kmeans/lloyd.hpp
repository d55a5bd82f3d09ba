// The parts of Lloyd's algorithm that the CPU and CUDA versions share and that determine the
// result: distances, sums, the iteration, and the relocation of points to empty centres.
#pragma once

#include "algorithms/kmeans/kmeans.hpp"
#include "core/interrupt.hpp"

namespace warpgraph::kmeans_detail {

/// The multiplications between two polls for Ctrl-C: some milliseconds.
inline constexpr std::int64_t work_per_grain = 1 << 22;

/// Returns the points per block of work of a loop that computes their distances to `n_centres`
/// centres.
inline std::int64_t distance_grain(std::int64_t dimension, std::int64_t n_centres) noexcept {
  const std::int64_t per_point = dimension * n_centres > 0 ? dimension * n_centres : 1;
  return work_per_grain / per_point + 1;
}

/// A candidate for the farthest point and its squared distance; initially none.
template <class T>
struct FarthestCandidate {
  T distance = -1;
  std::int64_t point = -1;
  /// Returns the farther candidate; of equally far ones the one with the smaller index.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE FarthestCandidate
  farther(FarthestCandidate other) const noexcept {
    if (other.distance != distance) return other.distance > distance ? other : *this;
    return other.point < point ? other : *this;
  }
};

/// Runs the search of kmeans_cpu. Tests compare it with the plain algorithm, which has no bounds.
template <class T>
KMeansResult<T> run_lloyd(const WeightedPoints<T>& points, std::span<const T> start,
                          const KMeansOptions& options, bool with_bounds = true);

/// Weighted sums of the points of every centre, block by block.
template <class T>
class CentreSums {
 public:
  CentreSums(const WeightedPoints<T>& points, std::int64_t n_centres);
  static std::size_t bytes(const WeightedPoints<T>& points, std::int64_t n_centres);

  /// Returns the block that contains a point.
  [[nodiscard]] std::int64_t block_of(std::int64_t point) const noexcept {
    return point / block_size_;
  }
  [[nodiscard]] std::int64_t n_blocks() const noexcept { return n_blocks_; }

  /// Recomputes the blocks b with dirty[b] != 0, then adds all blocks to the results below.
  void update(std::span<const vertex_t> labels, std::span<const std::uint8_t> dirty);
  [[nodiscard]] const std::vector<double>& sums() const noexcept { return sums_; }
  /// Returns the numbers of points of positive weight.
  [[nodiscard]] const std::vector<std::int64_t>& counts() const noexcept { return counts_; }
  /// Returns the sum of the weights of a centre's points.
  [[nodiscard]] double mass(std::int64_t centre) const noexcept {
    const auto c = static_cast<std::size_t>(centre);
    return masses_.empty() ? static_cast<double>(counts_[c]) : masses_[c];
  }

 private:
  void sum_block(std::int64_t block, std::span<const vertex_t> labels);

  WeightedPoints<T> points_;
  std::int64_t n_centres_;
  std::int64_t block_size_;
  std::int64_t n_blocks_;
  std::vector<double> block_sums_;  // n_centres * dimension numbers per block
  std::vector<std::int64_t> block_counts_;
  std::vector<double> block_masses_;  // empty without weights: masses are counts then
  std::vector<double> sums_;
  std::vector<std::int64_t> counts_;
  std::vector<double> masses_;
};

/// Moves a centre to the mean of its points and returns the squared move. A centre without points
/// stays.
template <class T>
double move_centre(T* centre, const double* sums, double mass, std::int64_t dimension) {
  double squared = 0;
  for (std::int64_t j = 0; mass > 0 && j < dimension; ++j) {
    const auto mean = static_cast<T>(sums[j] / mass);
    const double move = static_cast<double>(mean) - static_cast<double>(centre[j]);
    squared += move * move;
    centre[j] = mean;
  }
  return squared;
}

/// Runs Lloyd's iterations and returns their number. engine.assign() assigns all points to their
/// nearest centres and returns how many changed, fill_empty_centres() relocates points to centres
/// without points, and move_centres() returns the sum of the squared moves.
template <class Engine>
int iterate(Engine& engine, const KMeansOptions& options) {
  bool converged = false;
  int iteration = 0;
  while (!converged && iteration < options.max_iterations) {
    ++iteration;
    converged = engine.assign() == 0;
    if (converged) break;
    engine.fill_empty_centres();
    const double moved = engine.move_centres();
    report_progress(iteration, options.max_iterations);
    if (moved <= options.tolerance) break;
  }
  if (!converged) engine.assign();
  report_progress(options.max_iterations, options.max_iterations);
  return iteration;
}

/// The number of points whose squared distances inertia_of sums, before it sums these sums.
inline constexpr std::int64_t inertia_block_size = 1 << 12;

/// Relocates points to centres without points as kmeans.hpp describes, and returns these points.
/// `counts` are the numbers of points of positive weight of each centre.
template <class T>
std::vector<std::int64_t> relocate_points_to_empty(const WeightedPoints<T>& points,
                                                   std::span<const T> centres,
                                                   std::span<vertex_t> labels,
                                                   std::vector<std::int64_t> counts);

}  // namespace warpgraph::kmeans_detail
