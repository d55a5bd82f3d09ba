// The order of pairs of points that emst.hpp promises, which all methods share.
#pragma once

#include "algorithms/emst/emst.hpp"
#include "graph/points/dimensions.hpp"

namespace warpgraph::emst {

/// The key of a pair of identical points whose core is 0. Squared distances are at least 0, but
/// those of distinct points can underflow to 0. With a key of their own, identical points form a
/// star around their smallest id in every tree, and only that point has to search for neighbours.
template <class T>
inline constexpr T identical_key = T(-1);

/// Returns the factor of squared distances that `alpha` means; 1 changes none.
template <class T>
T distance_factor(double alpha) noexcept {
  const T inverse = static_cast<T>(1 / alpha);
  return inverse * inverse;
}

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

/// Compares pairs in an order that is strict and total over distinct pairs.
template <class T>
bool operator<(const Edge<T>& a, const Edge<T>& b) noexcept {
  if (a.key != b.key) return a.key < b.key;
  return a.u != b.u ? a.u < b.u : a.v < b.v;
}

/// Sorts the tree's edges and converts them to the result. Keys are squares of the weights, or the
/// weights.
template <class T>
EuclideanTree to_euclidean_tree(HostVector<Edge<T>>&& edges, bool are_squares = true);

}  // namespace warpgraph::emst
