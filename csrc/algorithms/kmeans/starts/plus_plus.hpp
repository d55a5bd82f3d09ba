// k-means++: the parts that the CPU and CUDA versions share and that determine the start centres.
//
// The value of a point is its weight times its squared distance to the nearest centre chosen so
// far; before the first, its weight. A point is drawn with a probability proportional to its value.
// For each centre but the first, several candidates are drawn, and that one is chosen which leaves
// the least sum of values; of equal ones the first. (The authors of [4] in kmeans.hpp propose this
// greedy variant, and scikit-learn uses it.)
//
// The sums of values are the nodes of a tree with fan_out children each, whose leaves are the
// points. A draw descends from the root, and skips children of value 0. Sums are added in pairs, in
// an order that depends on n_points alone, so draws are the same on every device and with any
// number of threads. There is a tree for each candidate: n_points / (fan_out - 1) numbers.
#pragma once

#include "algorithms/kmeans/lloyd.hpp"

#include <algorithm>
#include <cstddef>

namespace warpgraph::kmeans_detail {

/// The children of a node: as many as threads of a block on a GPU, and few enough to be searched.
inline constexpr int fan_out = 128;

/// The levels of a tree, from the parents of the points to the root.
struct TreeShape {
  static constexpr int max_levels = 5;  // fan_out^5 > 2^31
  std::int64_t begin[max_levels] = {};  // of each level among all nodes
  std::int64_t size[max_levels] = {};
  int n_levels = 0;
  std::int64_t n_nodes = 0;

  explicit TreeShape(std::int64_t n_points) {
    std::int64_t below = n_points;
    do {
      const auto level = static_cast<std::size_t>(n_levels++);
      begin[level] = n_nodes;
      size[level] = below = (below + fan_out - 1) / fan_out;
      n_nodes += below;
    } while (below > 1);
  }
};

/// Returns the number of candidates for each centre but the first.
inline std::int64_t trials_of(std::int64_t n_uniforms, vertex_t k) noexcept {
  return k > 1 ? (n_uniforms - 1) / (k - 1) : 1;
}

/// Returns the child in whose part of the sum of values `rest` falls, and subtracts the parts
/// before it from `rest`; the last child of positive value if rounding has made `rest` too large;
/// -1 if all values are 0.
WARPGRAPH_HOST_DEVICE inline int choose_child(const double* values, int n, double& rest) noexcept {
  int last = -1;
  for (int i = 0; i < n; ++i) {
    if (!(values[i] > 0)) continue;
    last = i;
    if (rest < values[i]) return i;
    rest -= values[i];
  }
  if (last >= 0) rest = values[last];
  return last;
}

/// Returns the value of a point at a squared distance from its nearest centre.
template <class T>
WARPGRAPH_HOST_DEVICE double value_of(const WeightedPoints<T>& points, std::int64_t p,
                                      T distance) noexcept {
  return points.counts(p) ? points.weight(p) * static_cast<double>(distance) : 0.0;
}

}  // namespace warpgraph::kmeans_detail
