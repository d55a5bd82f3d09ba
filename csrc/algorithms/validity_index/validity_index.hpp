// Density-based validity of clusters (DBCV) [1]: how dense they are inside, and how sparse between.
//
// The core distance of a point is the mean of distance^-d to the other points of its cluster, to
// the power of -1/d. The weight of a pair is its mutual-reachability distance: the largest of the
// distance and both cores. In the spanning tree of a cluster, pairs are ordered by (weight,
// distance, smaller point, larger point): many weights are equal, being the core of one point, and
// the distances decide between these. Points are ordered by their coordinates, so the order of
// their rows changes no bit; those of a matrix, which has none, by their rows. Points with several
// edges of the tree are inner ones; of two points both are. The sparseness of a cluster is the
// heaviest edge between inner points, or of all if there is none. Its separation is the least
// weight between an inner point of it and one of another cluster. Its validity is their difference,
// divided by the larger one; 0 for a cluster of one point, and for a single cluster.
//
// Distances are those of a metric, or given by a matrix, which is read where it is. All threads
// share the pairs of a cluster, one cluster after the other, and then those of all inner points.
// O(n^2) distances of clusters of n points; O(n d) memory: the coordinates of one cluster, or of
// the inner points, are copied.
//
// [1] Moulavi, Jaskowiak, Campello, Zimek, Sander: Density-based clustering validation. SDM 2014.
#pragma once

#include "algorithms/metric_points/metric_points.hpp"
#include "core/function_ref.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"

namespace warpgraph {

struct ValidityOptions {
  double exponent = 0;  // d; 0: all cores are 0
  MemoryBudget budget = {};
};

/// Clusters in the order of their labels.
struct ClusterValidity {
  HostVector<vertex_t> labels;
  HostVector<std::int64_t> sizes;
  HostVector<double> validity;
};

/// Receives (done, total) after each cluster, and at the end.
using ClusterReport = FunctionRef<void(std::int64_t, std::int64_t)>;

/// Returns the validity of clusters of points; labels below 0 are noise. Throws
/// std::overflow_error for a cluster whose tree has an infinite weight. Coordinate: float, double,
/// or std::uint64_t for bits.
template <class Coordinate>
ClusterValidity validity_of_points(const PairsByMetric<Coordinate>& pairs,
                                   std::span<const vertex_t> labels, const ValidityOptions& options,
                                   ClusterReport report);

/// Returns the same for the rows of a matrix. Throws std::invalid_argument for one that does not
/// pass check_distances, and for a cluster whose tree has an infinite weight. T: float or double.
template <class T>
ClusterValidity validity_of_matrix(const DistanceMatrix<T>& distances,
                                   std::span<const vertex_t> labels, const ValidityOptions& options,
                                   ClusterReport report);

}  // namespace warpgraph
