// What the methods share: the order of pairs of points that emst.hpp promises, and the dimensions
// that they are compiled for.
#pragma once

#include "algorithms/emst/emst.hpp"

#include <type_traits>

namespace warpgraph::emst {

/// The key of a pair of identical points. Squared distances are at least 0, but those of distinct
/// points can underflow to 0. With a key of their own, identical points form a star around their
/// smallest id in every tree, and only that point has to search for neighbours.
template <class T>
inline constexpr T identical_key = T(-1);

/// A pair with its key; u < v.
template <class T>
struct Edge {
  T key;
  vertex_t u;
  vertex_t v;
};

template <class T>
Edge<T> make_edge(T key, vertex_t a, vertex_t b) noexcept {
  return a < b ? Edge<T>{key, a, b} : Edge<T>{key, b, a};
}

/// Strict and total over distinct pairs.
template <class T>
bool operator<(const Edge<T>& a, const Edge<T>& b) noexcept {
  if (a.key != b.key) return a.key < b.key;
  return a.u != b.u ? a.u < b.u : a.v < b.v;
}

/// The most dimensions that are compile-time constants.
inline constexpr int max_fixed_dimension = 8;

/// Calls f(std::integral_constant) for the least dimension that is compiled and not less than
/// `dimension`, which is at most max_fixed_dimension. Axes beyond those of the points are 0, which
/// adds nothing to a squared distance.
template <class F>
auto with_dimension(std::int64_t dimension, F&& f) {
  if (dimension <= 2) return f(std::integral_constant<int, 2>{});
  if (dimension == 3) return f(std::integral_constant<int, 3>{});
  if (dimension == 4) return f(std::integral_constant<int, 4>{});
  if (dimension == 5) return f(std::integral_constant<int, 5>{});
  if (dimension == 6) return f(std::integral_constant<int, 6>{});
  return f(std::integral_constant<int, max_fixed_dimension>{});
}

/// Sorts the tree's edges and converts them to the result.
template <class T>
EuclideanTree to_euclidean_tree(HostVector<Edge<T>>&& edges);

}  // namespace warpgraph::emst
