// The neighbours of points among other points, exact: the k nearest, or all within a radius.
//
// The points that are searched are in a k-d tree [1]; the points whose neighbours are wanted, the
// queries, need not be among them. Neighbours are ordered by (squared distance, smaller id), as in
// algorithms/knn. Squared distances are computed in the points' own type, coordinate by coordinate
// from the first. A distance is the square root, in double, of a squared distance; all points at
// distances of at most the radius are neighbours.
//
// nearest_of_queries keeps the k nearest found so far in a heap, whose last one prunes the search.
// In many dimensions, products of matrices leave out most points, a block of queries at a time
// (primitives/products/product_search.hpp).
//
// radius_neighbours counts the neighbours of all queries first, so that the memory for them is
// known before it is allocated, and searches again to write them. The own neighbours of the points
// are searched for in the order of the leaves, so that searches one after the other read the same
// ones; in many dimensions, all points of a leaf at once, by products.
//
// Both run on all cores. Memory is O(n d), besides the results. In many dimensions,
// nearest_of_queries_cuda of algorithms/knn finds the k nearest on a GPU.
//
// [1] Friedman, Bentley, Finkel: An algorithm for finding best matches in logarithmic expected
//     time. ACM Transactions on Mathematical Software 3(3), 1977.
#pragma once

#include "algorithms/knn/knn.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"

namespace warpgraph {

struct RadiusOptions {
  double radius = 0;
  bool are_own = true;       // whether the queries are the points that are searched
  bool include_self = true;  // if so: whether each is its own first neighbour
  bool with_distances = true;
  bool by_products = false;  // in many dimensions: by products of matrices
};

/// Row q has the items offsets[q] .. offsets[q + 1] - 1, nearest first.
struct NeighbourRows {
  HostVector<std::int64_t> offsets;
  HostVector<vertex_t> ids;
  HostVector<double> distances;
};

/// Bytes of an entry of the sparse matrix of NeighbourRows, which has numbers in any case.
inline constexpr std::size_t bytes_of_neighbour = sizeof(vertex_t) + sizeof(double);

// Functions need_of... return what the function of that name asks for first, and read no
// coordinates.

template <class T>
[[nodiscard]] MemoryNeed need_of_nearest_of_queries(PointsView<T> points, std::int64_t n_queries,
                                                    const KnnOptions& options);
/// Finds the nearest points of each query. Both have the same dimension. No query is itself among
/// the points.
template <class T>
void nearest_of_queries(PointsView<T> points, PointsView<T> queries, const KnnOptions& options,
                        const NeighboursView& out, MemoryBudget budget);

/// Returns the need beside that of the neighbours, whose number is not known before they are
/// counted.
template <class T>
[[nodiscard]] MemoryNeed need_of_radius_neighbours(PointsView<T> points, std::int64_t n_queries,
                                                   const RadiusOptions& options);
template <class T>
NeighbourRows radius_neighbours(PointsView<T> points, PointsView<T> queries,
                                const RadiusOptions& options, MemoryBudget budget);

}  // namespace warpgraph
