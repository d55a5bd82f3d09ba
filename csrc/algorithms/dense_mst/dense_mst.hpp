// Minimum spanning forest of a full matrix of distances. The matrix is read row by row and never
// copied: it may be mapped from a file.
//
// Entry (i, j) is the distance between i and j, possibly 0; inf means that there is no edge. The
// diagonal is ignored. Pairs are ordered by (distance, smaller vertex, larger vertex), which is the
// order of (weight, position in the upper triangle), so the forest is unique.
//
// dense_mst is Prim's algorithm: the row of each vertex is read once, when the vertex joins the
// tree. O(n^2) time, O(n) memory.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "core/types.hpp"

#include <vector>

namespace warpgraph {

/// n rows of n entries. T: float or double.
template <class T>
struct DistanceMatrix {
  const T* entries = nullptr;
  vertex_t n = 0;
  [[nodiscard]] const T* row(std::int64_t i) const noexcept { return entries + i * n; }
};

/// Edges in ascending order.
struct DenseForest {
  std::vector<vertex_t> ends;  // smaller vertex, larger vertex, edge by edge
  std::vector<double> weights;
};

/// Throws std::invalid_argument naming an entry that is NaN or negative, or that differs from its
/// transposed entry by more than rounding. Uses all threads.
template <class T>
void check_distances(const DistanceMatrix<T>& distances);

/// The matrix must have passed check_distances. Where an entry and its transposed entry differ by
/// rounding, either may be used.
template <class T>
DenseForest dense_mst(const DistanceMatrix<T>& distances, const MemoryBudget& budget);

}  // namespace warpgraph
