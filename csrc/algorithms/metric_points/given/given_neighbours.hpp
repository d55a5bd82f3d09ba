// Neighbours by distances that are given: a full matrix, rows of queries, or a graph.
//
// Neighbours at equal distances are ordered by number. In a matrix and in a graph, those at
// infinity are none; a query has as many as are wanted, at whatever distances. A row of n distances
// takes O(n) time, and O(log k) for each that is among the k nearest so far; a vertex of d arcs
// takes O(d log d). Rows run in parallel.
#pragma once

#include "algorithms/dense_mst/dense_mst.hpp"
#include "algorithms/neighbour_queries/neighbour_queries.hpp"
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

/// Distances of queries to all points, query by query; none is negative or NaN. T: float or double.
template <class T>
struct GivenRows {
  const T* entries = nullptr;
  std::int64_t n_queries = 0;
  vertex_t n_points = 0;
  [[nodiscard]] const T* row(std::int64_t i) const noexcept { return entries + i * n_points; }
};

/// Finds the neighbours in a matrix that has passed check_distances. Does not read the diagonal.
template <class T>
TooFewNeighbours nearest_of_matrix(const DistanceMatrix<T>& distances, MemoryBudget budget,
                                   const GivenNeighbours& result);

/// Finds the nearest points of each query, of which none is a point itself.
void nearest_of_rows(const GivenRows<double>& rows, MemoryBudget budget, const KnnOptions& options,
                     const NeighboursView& out);

/// Finds the points within a radius of each query. Own ones are all points, each at 0 from itself.
NeighbourRows within_of_rows(const GivenRows<double>& rows, const RadiusOptions& options,
                             MemoryBudget budget);

/// Finds the neighbours in a graph that has all arcs in both directions. Of several arcs between
/// two vertices the lightest counts, loops do not.
template <class T>
TooFewNeighbours nearest_of_graph(const CsrView<T>& graph, MemoryBudget budget,
                                  const GivenNeighbours& result);

}  // namespace warpgraph
