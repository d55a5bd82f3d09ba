// Minimum spanning forest of a full matrix of distances, read row by row and never copied: it may
// be mapped from a file.
//
// Entry (i, j) is the distance between i and j, 0 included; inf means that no edge joins them. The
// diagonal is passed by. Pairs are ordered by (distance, smaller vertex, larger vertex), which is
// the order of (weight, position in the upper triangle), so the forest is unique.
//
// dense_mst is Prim's algorithm: each vertex that joins has its row read once. O(n^2) time, O(n)
// memory.
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

/// Edges from light to heavy.
struct DenseForest {
  std::vector<vertex_t> ends;  // smaller vertex, larger vertex, of one edge after the other
  std::vector<double> weights;
};

/// Throws std::invalid_argument naming an entry that is NaN or negative, or that differs from the
/// one across the diagonal by more than rounding can explain. On all cores.
template <class T>
void check_distances(const DistanceMatrix<T>& distances);

/// The matrix must have passed check_distances. Where two entries across the diagonal differ by
/// rounding, either may be used.
template <class T>
DenseForest dense_mst(const DistanceMatrix<T>& distances, const MemoryBudget& budget);

}  // namespace warpgraph
