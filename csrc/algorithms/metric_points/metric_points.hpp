// Neighbours and minimum spanning trees of points under distances other than Euclidean, exact, on
// all cores: by comparing all pairs in blocks, or by boxes of points. Both have the same results,
// bit for bit.
//
// A distance is computed in double whatever the type of the points, as SciPy's cdist does.
//
// All pairs: points are stored in blocks, axis by axis, so that vector instructions compute the
// distances from a point to a block; points of bits have 64 of them in a word. O(n^2 d) time.
//
// Boxes: points are in a k-d tree, whose boxes bound the distances of manhattan, chebyshev and
// minkowski (primitives/metric/metric_tree.hpp). Some hundreds of points are compared with each in
// few dimensions, and all in many.
//
// Neighbours are ordered by (distance, smaller id); the point itself is the first. Of all pairs,
// some queries share each block while it is in the cache; each keeps its k nearest in a heap. With
// boxes, the points of a leaf share a search for their own neighbours. For a radius, a first pass
// counts, so that the memory is known before it is allocated.
//
// Pairs are ordered by (distance, smaller vertex, larger vertex), so the tree is unique; with core
// distances, as in algorithms/dense_mst. With boxes it is that of emst_by_metric. Of all pairs it
// is Prim's: a new vertex computes its distances to all that are outside, all threads their part,
// and the nearest one of these is next. Vertices that have joined leave the blocks, so that each
// pair is compared once.
//
// On a device, knn_by_metric_cuda and emst_by_metric_cuda have the same results.
//
// The tree, and the two sums over pairs that density-based validation of clusters needs [1], take
// distances from a metric, or from a matrix in which they are given.
//
// O(n d) memory, besides the results.
//
// [1] Moulavi, Jaskowiak, Campello, Zimek, Sander: Density-based clustering validation. SDM 2014.
#pragma once

#include "algorithms/dense_mst/dense_mst.hpp"
#include "algorithms/emst/emst.hpp"
#include "algorithms/neighbour_queries/neighbour_queries.hpp"
#include "core/memory/memory_budget.hpp"
#include "primitives/metric/metrics.hpp"

namespace warpgraph {

// Coordinate: float, double, or std::uint64_t for bits. The queries may be the points themselves.
// in_boxes: not by all pairs; for numbers, and metrics that boxes bound. Functions need_of...
// return what the function of that name asks for first, and read no coordinates.

template <class Coordinate>
[[nodiscard]] MemoryNeed need_of_nearest_by_metric(PointsView<Coordinate> points,
                                                   std::int64_t n_queries, const Metric& metric,
                                                   const KnnOptions& options, bool are_own,
                                                   bool in_boxes);
template <class Coordinate>
void nearest_by_metric(PointsView<Coordinate> points, PointsView<Coordinate> queries,
                       const Metric& metric, const KnnOptions& options, bool are_own, bool in_boxes,
                       const NeighboursView& out, MemoryBudget budget);

/// Returns the need beside that of the neighbours, whose number is not known before they are
/// counted.
template <class Coordinate>
[[nodiscard]] MemoryNeed need_of_radius_by_metric(PointsView<Coordinate> points,
                                                  std::int64_t n_queries, const Metric& metric,
                                                  bool in_boxes);
template <class Coordinate>
NeighbourRows radius_by_metric(PointsView<Coordinate> points, PointsView<Coordinate> queries,
                               const Metric& metric, const RadiusOptions& options, bool in_boxes,
                               MemoryBudget budget);

struct MetricTreeOptions {
  double alpha = 1;          // by which distances, but not cores, are divided; > 0, finite
  bool by_distance = false;  // equal weights are ordered by distance first, then by vertices
};

/// All pairs of points, whose distances are computed.
template <class Coordinate>
struct PairsByMetric {
  PointsView<Coordinate> points;
  Metric metric;
};

/// All pairs of some rows of a matrix that has passed check_distances. The diagonal is not read;
/// where an entry and its transposed entry differ by rounding, either may be used.
template <class T>
struct GivenPairs {
  DistanceMatrix<T> distances;
  std::span<const vertex_t> rows;
};

#define WARPGRAPH_FOR_EACH_KIND_OF_PAIRS(X) \
  X(PairsByMetric<float>)                   \
  X(PairsByMetric<double>)                  \
  X(PairsByMetric<std::uint64_t>) X(GivenPairs<float>) X(GivenPairs<double>)

/// Returns what mst_of_pairs asks for. Reads no distances.
template <class Pairs>
[[nodiscard]] MemoryNeed need_of_mst(const Pairs& pairs);
/// Returns the tree of all pairs; without the edges whose weights are infinite, which are the last.
/// `cores` may be empty: all are 0.
template <class Pairs>
DenseForest mst_of_pairs(const Pairs& pairs, std::span<const double> cores,
                         const MetricTreeOptions& options, MemoryBudget budget);
template <class Coordinate>
DenseForest mst_by_metric(PointsView<Coordinate> points, const Metric& metric,
                          std::span<const double> cores, const MetricTreeOptions& options,
                          MemoryBudget budget) {
  return mst_of_pairs(PairsByMetric<Coordinate>{points, metric}, cores, options, budget);
}
/// Returns that tree with the core distances of options.min_samples, found in boxes or of all
/// pairs.
template <class Coordinate>
DenseForest mst_with_cores(PointsView<Coordinate> points, const Metric& metric,
                           const EmstOptions& options, bool in_boxes, MemoryBudget budget);
/// Returns the same tree, not ordered by_distance, by boxes. Coordinate: float or double.
template <class Coordinate>
DenseForest mst_in_boxes(PointsView<Coordinate> points, const Metric& metric,
                         const EmstOptions& options, MemoryBudget budget);

/// Writes the density-based core distance of each point: the mean of distance^-exponent to the
/// others, to the power of -1 / exponent. Distances of 0 and inf add nothing to the sum; a core is
/// 0 if there are no others. Powers are of ratios to the least distance, so that none overflows.
/// The order of the points changes no bit.
template <class Pairs>
void density_cores(const Pairs& pairs, double exponent, std::span<double> cores,
                   MemoryBudget budget);

/// Writes the least mutual-reachability distance of each point to one with another label; inf if
/// there is none.
template <class Pairs>
void find_separations(const Pairs& pairs, std::span<const double> cores,
                      std::span<const vertex_t> labels, std::span<double> separations,
                      MemoryBudget budget);

}  // namespace warpgraph
