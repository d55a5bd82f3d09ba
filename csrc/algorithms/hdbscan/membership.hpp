// HDBSCAN*: the clusters of new points, and the membership of a point in each cluster, as hdbscan
// defines both for its functions approximate_predict and (all_points_)membership_vector(s).
//
// A new point joins the tree at its nearest neighbour by mutual reachability, of the neighbours
// given; if several are, at the nearest of these. Its lambda is 1 / that distance. It is in the
// neighbour's cluster, or in the first of this cluster's ancestors that was born before that
// lambda, and its label and probability follow as for other points. It leaves the root with its
// neighbour if that one leaves first, so beside the root as the only cluster it is noise where its
// neighbour is.
//
// Its core distance is that to the min_samples-th point of the tree. So no neighbour is nearer to
// the copy of a point than that point itself, where it joins: noise stays noise. A search for the
// neighbours may round otherwise than the fit, so a copy has the core distance of its point.
//
// The membership of a point in a cluster is the product of a nearness, from 1 / the distance to the
// cluster's nearest exemplar, and a score from the lambda at which both merge, scaled over all
// clusters to sum to the probability that the point is in a cluster at all: the largest of these
// lambdas over the largest of the cluster that has it. Of several such clusters, the one with the
// largest lambda counts; hdbscan takes the first in its order of clusters.
//
// Infinite lambdas, of identical points, count as max_lambda, so that no ratio is undefined.
#pragma once

#include "algorithms/hdbscan/selection.hpp"
#include "graph/points/points.hpp"

#include <span>

namespace warpgraph {

inline constexpr double max_lambda = 1e300;

/// The nearest neighbours of new points among those of the tree: row q of a matrix has those of
/// point q, nearest first.
struct NewNeighbours {
  std::span<const std::int64_t> neighbours;
  std::span<const double> distances;
  std::int64_t per_point = 0;
  std::span<const double> core;      // of the points of the tree: core distances
  std::span<const double> new_core;  // of the new points
};

/// The places where new points join the tree.
struct NewPlaces {
  HostVector<vertex_t> neighbour;
  HostVector<double> lambda;
};
NewPlaces place_new_points(const NewNeighbours& found);

/// Computes labels, or -1, and probabilities of new points. `epsilon` is that of the
/// SelectionOptions.
void predict(const CondensedTreeView& tree, std::span<const vertex_t> selected, double epsilon,
             const NewPlaces& places, std::span<vertex_t> labels, std::span<double> probabilities);

/// Computes outlier scores of new points: a lambda beyond all below its neighbour's cluster has
/// score 0.
void new_outlier_scores(const CondensedTreeView& tree, const NewPlaces& places,
                        std::span<double> scores);

/// The exemplars and their coordinates.
template <class T>
struct ExemplarsView {
  PointsView<T> points;                 // of all labels, one label after the other
  std::span<const std::int64_t> begin;  // of each label, and the end of the last
};

/// Computes memberships of the points of the tree: a row each, a column for each selected cluster.
template <class T>
void all_memberships(const CondensedTreeView& tree, std::span<const vertex_t> selected,
                     PointsView<T> points, const ExemplarsView<T>& exemplars,
                     std::span<double> memberships);

/// Computes memberships of new points, in the same form.
template <class T>
void new_memberships(const CondensedTreeView& tree, std::span<const vertex_t> selected,
                     const NewPlaces& places, PointsView<T> points,
                     const ExemplarsView<T>& exemplars, std::span<double> memberships);

}  // namespace warpgraph
