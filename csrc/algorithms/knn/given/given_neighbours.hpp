// The nearest neighbours by distances that are given: a full matrix, or a graph.
//
// Neighbours at equal distances are ordered by number; those at infinity are none. O(n + k log k)
// time for each of the n rows of a matrix, O(d log d) for a vertex of d arcs, in parallel over
// rows.
#pragma once

#include "algorithms/dense_mst/dense_mst.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/csr.hpp"

#include <span>

namespace warpgraph {

/// Rows of k neighbours, nearest first, and of their distances. With `include_self`, the first one
/// is the vertex itself, at 0.
struct GivenNeighbours {
  std::int64_t k = 0;
  bool include_self = false;
  std::span<vertex_t> neighbours;
  std::span<double> distances;

  /// Returns how many of the k are other vertices.
  [[nodiscard]] std::int64_t n_others() const noexcept { return k - (include_self ? 1 : 0); }
};

/// The first vertex that has fewer than n_others() neighbours; no_vertex if each has enough.
struct TooFewNeighbours {
  vertex_t vertex = no_vertex;
  std::int64_t n_found = 0;
};

/// Finds the neighbours in a matrix that has passed check_distances. Does not read the diagonal.
template <class T>
TooFewNeighbours nearest_of_matrix(const DistanceMatrix<T>& distances, const MemoryBudget& budget,
                                   const GivenNeighbours& result);

/// Finds the neighbours in a graph that has all arcs in both directions. Of several arcs between
/// two vertices the lightest counts, loops do not.
template <class T>
TooFewNeighbours nearest_of_graph(const CsrView<T>& graph, const MemoryBudget& budget,
                                  const GivenNeighbours& result);

}  // namespace warpgraph
