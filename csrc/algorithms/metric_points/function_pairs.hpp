// Distances of points by a function that the caller has compiled, on all threads.
//
// Of the points themselves each pair is computed once, since a metric is symmetric: the upper half
// of the matrix tile by tile, and each tile is written to the lower half while it is in the cache.
// The function is called from several threads at once, without Python's lock.
#pragma once

#include "graph/points/points.hpp"

#include <cstdint>
#include <span>

namespace warpgraph {

/// Function that returns the distance of (row, row, number of coordinates). Must not throw; several
/// threads call it at a time.
using DistanceFunction = double (*)(const double*, const double*, std::intptr_t);

/// The first pair of rows whose distance is negative or NaN, whatever the number of threads;
/// no_vertex if all are valid. The distance has been written; others may not have been.
struct RefusedPair {
  vertex_t first = no_vertex;
  vertex_t second = no_vertex;
};

/// Writes the (n, n) distances of all pairs. The diagonal is 0, without a call of the function.
RefusedPair matrix_by_function(PointsView<double> points, DistanceFunction distance,
                               std::span<double> matrix);

/// Writes the distance of query i and point j to distances[i * n_points + j].
RefusedPair distances_by_function(PointsView<double> points, PointsView<double> queries,
                                  DistanceFunction distance, std::span<double> distances);

}  // namespace warpgraph
