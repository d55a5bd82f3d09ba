// HDBSCAN*: the weighted centroid and the weighted medoid of each cluster.
//
// The centroid is the mean of a cluster's points by weight. The medoid is the point x of a cluster
// with the least f(x) = sum over its points y of weight(y) |x - y|; of equal ones the first.
//
// Computing f for every point takes quadratic time. But f is convex: f(y) >= f(x) + g . (y - x)
// with a subgradient g of f at x, which the same pass over the cluster yields. So medoids() keeps a
// lower bound for every point, computes f next where the bound is least, and ends when no bound is
// below the least f so far: the cutting planes of [1], over the points of the cluster alone. The
// result is exact: bounds allow for rounding. Near the centre few points remain, and a cluster of
// a million points in a few dimensions takes some tens of passes.
//
// Sums are in double, point by point within blocks of a fixed size, then block by block.
//
// [1] Kelley: The cutting-plane method for solving convex programs. J. SIAM 8, 1960.
#pragma once

#include "graph/points/points.hpp"

#include <span>
#include <vector>

namespace warpgraph {

/// The cluster of each point, or -1, and its weight, >= 0. Every cluster has a point, and one of
/// positive weight.
struct WeightedLabels {
  std::span<const vertex_t> labels;
  std::span<const double> weights;
  std::int64_t n_clusters = 0;
};

/// Returns n_clusters rows of the points' dimension.
template <class T>
std::vector<double> centroids(PointsView<T> points, const WeightedLabels& clusters);

/// Returns the index of each cluster's medoid.
template <class T>
std::vector<vertex_t> medoids(PointsView<T> points, const WeightedLabels& clusters);

}  // namespace warpgraph
