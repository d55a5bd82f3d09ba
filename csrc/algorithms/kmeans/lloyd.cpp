#include "algorithms/kmeans/lloyd.hpp"

#include "core/threads/parallel.hpp"

#include <algorithm>

namespace warpgraph {

std::int64_t block_size(std::int64_t n_points, std::int64_t n_centres) noexcept {
  // Smaller blocks cost more than parallelism saves.
  constexpr std::int64_t min_block_size = 1 << 12;
  constexpr std::int64_t max_blocks = 256;  // enough to balance 64 threads
  // A block has at least four points for each centre, so its sums are at most a quarter as many
  // numbers as the coordinates of its points.
  return std::max({min_block_size, (n_points + max_blocks - 1) / max_blocks, 4 * n_centres});
}

namespace kmeans_detail {

template <class T>
CentreSums<T>::CentreSums(const WeightedPoints<T>& points, std::int64_t n_centres)
    : points_(points),
      n_centres_(n_centres),
      block_size_(block_size(points.n_points, n_centres)),
      n_blocks_((points.n_points + block_size_ - 1) / block_size_),
      block_sums_(static_cast<std::size_t>(n_blocks_ * n_centres * points.dimension)),
      block_counts_(static_cast<std::size_t>(n_blocks_ * n_centres)),
      block_masses_(points.weights == nullptr ? 0 : block_counts_.size()),
      sums_(static_cast<std::size_t>(n_centres * points.dimension)),
      counts_(static_cast<std::size_t>(n_centres)),
      masses_(points.weights == nullptr ? 0 : counts_.size()) {}

template <class T>
std::size_t CentreSums<T>::bytes(const WeightedPoints<T>& points, std::int64_t n_centres) {
  const std::int64_t block = block_size(points.n_points, n_centres);
  const std::int64_t n_blocks = (points.n_points + block - 1) / block;
  const std::size_t mass = points.weights == nullptr ? 0 : sizeof(double);
  return static_cast<std::size_t>((n_blocks + 1) * n_centres) *
         (static_cast<std::size_t>(points.dimension) * sizeof(double) + sizeof(std::int64_t) +
          mass);
}

template <class T>
void CentreSums<T>::sum_block(std::int64_t block, std::span<const vertex_t> labels) {
  const std::int64_t d = points_.dimension;
  double* sums = block_sums_.data() + block * n_centres_ * d;
  std::int64_t* counts = block_counts_.data() + block * n_centres_;
  std::fill_n(sums, n_centres_ * d, 0.0);
  std::fill_n(counts, n_centres_, 0);
  double* masses = nullptr;
  if (points_.weights != nullptr) {
    masses = block_masses_.data() + block * n_centres_;
    std::fill_n(masses, n_centres_, 0.0);
  }
  const std::int64_t last = std::min<std::int64_t>((block + 1) * block_size_, points_.n_points);
  for (std::int64_t p = block * block_size_; p < last; ++p) {
    const vertex_t centre = labels[static_cast<std::size_t>(p)];
    const T* point = points_.row(p);
    double* sum = sums + centre * d;
    if (masses == nullptr) {
      for (std::int64_t j = 0; j < d; ++j) sum[j] += static_cast<double>(point[j]);
    } else if (points_.counts(p)) {
      const double weight = points_.weights[p];
      for (std::int64_t j = 0; j < d; ++j) sum[j] += weight * static_cast<double>(point[j]);
      masses[centre] += weight;
    } else {
      continue;
    }
    ++counts[centre];
  }
}

template <class T>
void CentreSums<T>::update(std::span<const vertex_t> labels, std::span<const std::uint8_t> dirty) {
  parallel_for(
      n_blocks_,
      [&](std::int64_t block) {
        if (dirty[static_cast<std::size_t>(block)] != 0) sum_block(block, labels);
      },
      1);
  const auto add_up = [this](auto& totals, const auto& parts) {
    const auto width = static_cast<std::int64_t>(totals.size());
    parallel_blocks(width, default_grain, [&](int, std::int64_t first, std::int64_t last) {
      std::fill(totals.begin() + first, totals.begin() + last, 0);
      for (std::int64_t block = 0; block < n_blocks_; ++block) {
        const auto* part = parts.data() + block * width;
        for (std::int64_t i = first; i < last; ++i) totals[static_cast<std::size_t>(i)] += part[i];
      }
    });
  };
  add_up(sums_, block_sums_);
  add_up(counts_, block_counts_);
  add_up(masses_, block_masses_);
}

template <class T>
std::vector<std::int64_t> relocate_points_to_empty(const WeightedPoints<T>& points,
                                                   std::span<const T> centres,
                                                   std::span<vertex_t> labels,
                                                   std::vector<std::int64_t> counts) {
  if (std::find(counts.begin(), counts.end(), 0) == counts.end()) return {};
  const std::int64_t d = points.dimension;
  std::vector<T> distances(labels.size());
  parallel_for(
      points.n_points,
      [&](std::int64_t p) {
        const auto i = static_cast<std::size_t>(p);
        distances[i] = squared_distance(points.row(p), centres.data() + labels[i] * d, d);
      },
      distance_grain(d, 1));
  std::vector<std::int64_t> relocated;
  for (std::size_t empty = 0; empty < counts.size(); ++empty) {
    if (counts[empty] > 0) continue;
    const FarthestCandidate<T> farthest = parallel_reduce(
        points.n_points, FarthestCandidate<T>{},
        [&](std::int64_t p) {
          const auto i = static_cast<std::size_t>(p);
          const bool can_move = distances[i] > T(0) && points.counts(p) &&
                                counts[static_cast<std::size_t>(labels[i])] > 1;
          return can_move ? FarthestCandidate<T>{distances[i], p} : FarthestCandidate<T>{};
        },
        [](FarthestCandidate<T> a, FarthestCandidate<T> b) { return a.farther(b); }, light_grain);
    if (farthest.point < 0) break;
    const auto i = static_cast<std::size_t>(farthest.point);
    --counts[static_cast<std::size_t>(labels[i])];
    labels[i] = static_cast<vertex_t>(empty);
    counts[empty] = 1;
    relocated.push_back(farthest.point);
  }
  return relocated;
}

template class CentreSums<float>;
template class CentreSums<double>;
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(relocate_points_to_empty)

}  // namespace kmeans_detail
}  // namespace warpgraph
