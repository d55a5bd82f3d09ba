// The top of a k-d tree, planned on a sample of the points. One pass over the points then assigns
// each to its subtree, and all threads move all points at once.
//
// Splitting the top node by node would move every point once per level, and the first levels have
// too few nodes to keep many threads busy. With a sample, a few outliers do not determine where the
// rest is split.
#pragma once

#include "core/threads/parallel.hpp"
#include "graph/points/points.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace warpgraph {

/// Returns the axis along which a box (lowest corner, highest corner) is longest, or -1 if it is a
/// point.
template <class T>
int widest_axis(const T* box, int dimension) noexcept {
  int axis = -1;
  T length = 0;
  for (int k = 0; k < dimension; ++k) {
    const T extent = box[dimension + k] - box[k];
    if (extent > length) {
      axis = k;
      length = extent;
    }
  }
  return axis;
}

/// A tree of splits whose leaves are the parts 0 .. n_parts() - 1. Some parts may get no point.
template <class T>
class TopSplits {
 public:
  explicit TopSplits(PointsView<T> points);

  [[nodiscard]] int n_parts() const noexcept { return 1 << levels_; }
  /// Returns the part of a point. Points with equal coordinates are in the same part.
  [[nodiscard]] int part_of(const T* point) const noexcept {
    int node = 0;
    for (int level = 0; level < levels_; ++level) {
      const Split& split = splits_[static_cast<std::size_t>(node)];
      // No branch: half of them would be mispredicted.
      node = 2 * node + 2 - static_cast<int>(point[split.axis] < split.cut);
    }
    return node - (n_parts() - 1);
  }

 private:
  static constexpr int max_levels = 8;                // 256 parts balance the load of 32 threads
  static constexpr vertex_t min_part_size = 1 << 11;  // points; less is not worth scheduling
  static constexpr vertex_t sample_per_part = 32;  // medians of twice that are off by 6 % of ranks

  struct Split {  // children of node i are 2 i + 1 and 2 i + 2
    int axis = 0;
    T cut = std::numeric_limits<T>::infinity();  // at a node that is not split, all points go left
  };
  using Sample = std::vector<const T*>;

  void plan(Sample& sample);
  typename Sample::iterator split(std::size_t node, typename Sample::iterator first,
                                  typename Sample::iterator last);

  int dimension_;
  int levels_ = 0;
  std::vector<Split> splits_;
};

template <class T>
TopSplits<T>::TopSplits(PointsView<T> points) : dimension_(static_cast<int>(points.dimension)) {
  while (levels_ < max_levels && points.n_points >> (levels_ + 1) >= min_part_size) ++levels_;
  splits_.resize(static_cast<std::size_t>(n_parts() - 1));
  if (levels_ == 0) return;
  const std::int64_t size = std::int64_t{n_parts()} * sample_per_part;
  const std::int64_t gap = points.n_points / size;
  Sample sample;
  for (std::int64_t i = 0; i < size; ++i) {
    // The loop takes a hashed row of the i-th stratum: input in a regular pattern must not give a
    // biased sample.
    const std::uint64_t hash = (static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15U) >> 33;
    const std::int64_t row = i * gap + static_cast<std::int64_t>(hash) % gap;
    sample.push_back(points.coordinates + row * points.dimension);
  }
  plan(sample);
}

/// Splits all nodes, level by level.
template <class T>
void TopSplits<T>::plan(Sample& sample) {
  std::vector<typename Sample::iterator> bounds{sample.begin(), sample.end()};
  for (std::size_t n = 1; n < static_cast<std::size_t>(n_parts()); n *= 2) {
    std::vector<typename Sample::iterator> below(2 * n + 1, sample.end());
    parallel_for(
        static_cast<std::int64_t>(n),
        [&](std::int64_t index) {
          const auto i = static_cast<std::size_t>(index);
          below[2 * i] = bounds[i];
          below[2 * i + 1] = split(n - 1 + i, bounds[i], bounds[i + 1]);
        },
        1);
    bounds = std::move(below);
  }
}

/// Splits a node at the median of its part of the sample. Returns where the right child's part
/// begins: at `last` if the node is not split.
template <class T>
auto TopSplits<T>::split(std::size_t node, typename Sample::iterator first,
                         typename Sample::iterator last) -> typename Sample::iterator {
  if (last - first < 2) return last;
  std::vector<T> box(2 * static_cast<std::size_t>(dimension_));
  for (int k = 0; k < dimension_; ++k) {
    const auto [low, high] =
        std::minmax_element(first, last, [k](const T* a, const T* b) { return a[k] < b[k]; });
    box[static_cast<std::size_t>(k)] = (*low)[k];
    box[static_cast<std::size_t>(dimension_ + k)] = (*high)[k];
  }
  const int axis = widest_axis(box.data(), dimension_);
  if (axis < 0) return last;
  const auto before = [axis](const T* a, const T* b) { return a[axis] < b[axis]; };
  auto middle = first + (last - first) / 2;
  std::nth_element(first, middle, last, before);
  const T median = (*middle)[axis];
  // Equal coordinates go to the right, unless that would leave no point on the left.
  middle = std::partition(first, middle, [&](const T* point) { return point[axis] < median; });
  if (middle == first) {
    middle = std::partition(first, last, [&](const T* point) { return point[axis] <= median; });
  }
  splits_[node] = {axis, (*std::min_element(middle, last, before))[axis]};
  return middle;
}

}  // namespace warpgraph
