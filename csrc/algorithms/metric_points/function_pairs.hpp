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

/// Returns the distance of two rows of so many coordinates. Throws nothing.
using DistanceFunction = double (*)(const double*, const double*, std::intptr_t);

/// Two rows whose distance, which has been written, is negative or NaN; no_vertex: there are none.
struct NoDistance {
  vertex_t first = no_vertex;
  vertex_t second = no_vertex;
};

/// Writes the (n, n) distances of all pairs, of which 0 is that of a point to itself.
NoDistance matrix_by_function(PointsView<double> points, DistanceFunction distance,
                              std::span<double> matrix);

/// Writes the distances of each query to all points.
NoDistance distances_by_function(PointsView<double> points, PointsView<double> queries,
                                 DistanceFunction distance, std::span<double> distances);

}  // namespace warpgraph
