#include "algorithms/kmeans/steps.hpp"

#include "core/threads/parallel.hpp"

#include <algorithm>

namespace warpgraph {

std::int64_t block_size(std::int64_t n_points, std::int64_t n_centres) noexcept {
  constexpr std::int64_t smallest = 1 << 12;  // below, blocks cost more than they spread
  constexpr std::int64_t most_blocks = 256;   // enough to keep 64 threads evenly busy
  // A block's sums take no more memory than a part of its points.
  return std::max({smallest, (n_points + most_blocks - 1) / most_blocks, 4 * n_centres});
}

namespace kmeans_steps {

template <class T>
CentreSums<T>::CentreSums(PointsView<T> points, std::int64_t n_centres)
    : points_(points),
      n_centres_(n_centres),
      block_(block_size(points.n_points, n_centres)),
      n_blocks_((points.n_points + block_ - 1) / block_),
      block_sums_(static_cast<std::size_t>(n_blocks_ * n_centres * points.dimension)),
      block_counts_(static_cast<std::size_t>(n_blocks_ * n_centres)),
      sums_(static_cast<std::size_t>(n_centres * points.dimension)),
      counts_(static_cast<std::size_t>(n_centres)) {}

template <class T>
std::size_t CentreSums<T>::bytes(PointsView<T> points, std::int64_t n_centres) {
  const std::int64_t block = block_size(points.n_points, n_centres);
  const std::int64_t n_blocks = (points.n_points + block - 1) / block;
  return static_cast<std::size_t>((n_blocks + 1) * n_centres) *
         (static_cast<std::size_t>(points.dimension) * sizeof(double) + sizeof(std::int64_t));
}

template <class T>
void CentreSums<T>::sum_block(std::int64_t block, std::span<const vertex_t> labels) {
  const std::int64_t d = points_.dimension;
  double* sums = block_sums_.data() + block * n_centres_ * d;
  std::int64_t* counts = block_counts_.data() + block * n_centres_;
  std::fill_n(sums, n_centres_ * d, 0.0);
  std::fill_n(counts, n_centres_, 0);
  const std::int64_t last = std::min<std::int64_t>((block + 1) * block_, points_.n_points);
  for (std::int64_t p = block * block_; p < last; ++p) {
    const vertex_t centre = labels[static_cast<std::size_t>(p)];
    const T* point = points_.row(p);
    double* sum = sums + centre * d;
    for (std::int64_t j = 0; j < d; ++j) sum[j] += static_cast<double>(point[j]);
    ++counts[centre];
  }
}

template <class T>
void CentreSums<T>::update(std::span<const vertex_t> labels, std::span<const std::uint8_t> stale) {
  parallel_for(
      n_blocks_,
      [&](std::int64_t block) {
        if (stale[static_cast<std::size_t>(block)] != 0) sum_block(block, labels);
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
}

template <class T>
std::vector<std::int64_t> refill_empty(PointsView<T> points, std::span<const T> centres,
                                       std::span<vertex_t> labels,
                                       std::vector<std::int64_t> counts) {
  if (std::find(counts.begin(), counts.end(), 0) == counts.end()) return {};
  const std::int64_t d = points.dimension;
  std::vector<T> keys(labels.size());
  parallel_for(
      points.n_points,
      [&](std::int64_t p) {
        const auto i = static_cast<std::size_t>(p);
        keys[i] = squared_distance(points.row(p), centres.data() + labels[i] * d, d);
      },
      points_per_fetch(d, 1));
  std::vector<std::int64_t> taken;
  for (std::size_t empty = 0; empty < counts.size(); ++empty) {
    if (counts[empty] > 0) continue;
    const Far<T> far = parallel_reduce(
        points.n_points, Far<T>{},
        [&](std::int64_t p) {
          const auto i = static_cast<std::size_t>(p);
          const bool free = keys[i] > T(0) && counts[static_cast<std::size_t>(labels[i])] > 1;
          return free ? Far<T>{keys[i], p} : Far<T>{};
        },
        [](Far<T> a, Far<T> b) { return a.or_farther(b); }, light_grain);
    if (far.point < 0) break;
    const auto i = static_cast<std::size_t>(far.point);
    --counts[static_cast<std::size_t>(labels[i])];
    labels[i] = static_cast<vertex_t>(empty);
    counts[empty] = 1;
    taken.push_back(far.point);
  }
  return taken;
}

#define WARPGRAPH_INSTANTIATE(T)                                                     \
  template class CentreSums<T>;                                                      \
  template std::vector<std::int64_t> refill_empty(PointsView<T>, std::span<const T>, \
                                                  std::span<vertex_t>, std::vector<std::int64_t>);
WARPGRAPH_INSTANTIATE(float)
WARPGRAPH_INSTANTIATE(double)
#undef WARPGRAPH_INSTANTIATE

}  // namespace kmeans_steps
}  // namespace warpgraph
