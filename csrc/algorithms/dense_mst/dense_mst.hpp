// Minimum spanning forest of a full matrix of distances. The matrix is read row by row and never
// copied: it may be mapped from a file.
//
// Entry (i, j) is the distance between i and j, possibly 0; inf means that there is no edge. The
// diagonal is ignored. Pairs are ordered by (distance, smaller vertex, larger vertex), which is the
// order of (weight, position in the upper triangle), so the forest is unique.
//
// With the cores of vertices, the weight of a pair is its mutual-reachability distance: the largest
// of the two cores and the distance over alpha. A core is the min_samples-th smallest distance in
// the vertex's row, of which the vertex itself is the first, with 0; inf if the row has too few.
//
// dense_mst is Prim's algorithm: the row of each vertex is read once, when the vertex joins the
// tree. O(n^2) time, O(n) memory. mst_of_pairs (algorithms/metric_points), which also takes some
// rows only and orders ties by distance, does not replace it, since that divides by alpha in double
// where this does so in the type of the matrix, and takes up to twice the time on one thread.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "core/types.hpp"

#include <span>
#include <vector>

namespace warpgraph {

/// A matrix of n rows of n entries. T: float or double.
template <class T>
struct DistanceMatrix {
  const T* entries = nullptr;
  vertex_t n = 0;
  [[nodiscard]] const T* row(std::int64_t i) const noexcept { return entries + i * n; }
};

/// A forest's edges in ascending order.
struct DenseForest {
  std::vector<vertex_t> ends;  // smaller vertex, larger vertex, edge by edge
  std::vector<double> weights;
};

/// Throws std::invalid_argument naming an entry that is NaN or negative, or that differs from its
/// transposed entry by more than rounding. Uses all threads.
template <class T>
void check_distances(const DistanceMatrix<T>& distances);

/// Returns the cores of all vertices; min_samples: 1 .. n. The matrix must have passed
/// check_distances.
template <class T>
std::vector<T> core_distances(const DistanceMatrix<T>& distances, std::int32_t min_samples);

/// Returns the forest of a matrix that has passed check_distances. Where an entry and its
/// transposed entry differ by rounding, either may be used. `cores` may be empty: all are 0. alpha
/// > 0, finite.
template <class T>
DenseForest dense_mst(const DistanceMatrix<T>& distances, std::span<const T> cores, T alpha,
                      MemoryBudget budget);

}  // namespace warpgraph
