// Which clusters of a condensed tree are selected, and how their points are labelled: the part that
// takes clusters alone, for CPU and GPU.
#pragma once

#include "algorithms/hdbscan/selection.hpp"

#include <span>
#include <vector>

namespace warpgraph::hdbscan {

struct ClusterChoice {
  std::vector<char> selected;  // of each cluster
  std::vector<double> value;  // stabilities; of clusters that were passed over, the sums below them
};

/// The smallest lambda at which a point leaves, or a cluster is born.
double least_lambda(const CondensedTreeView& tree);

/// Does not read the points of the tree. `start` is its least lambda; not read unless
/// options.epsilon_max is finite.
ClusterChoice choose_clusters(const CondensedTreeView& tree, const SelectionOptions& options,
                              double start);

/// Of each cluster the selected one that it is or is below, or no_vertex.
std::vector<vertex_t> selected_above(const CondensedTreeView& tree, std::span<const char> selected);

/// The smallest lambda with which a point whose selected cluster is the root is in it.
double least_lambda_of_root(const CondensedTreeView& tree, std::int64_t n_selected, double epsilon);

struct LabelledClusters {
  std::vector<vertex_t> clusters;  // of each label
  std::vector<vertex_t> label_of;  // of each cluster, or no_vertex
};

/// `first`: of each cluster its first point; n_points if it has none, and hence no label.
LabelledClusters number_clusters(std::span<const vertex_t> first, vertex_t n_points);

/// `value`: of a ClusterChoice. `n_points`: of each label.
std::vector<double> persistences(const CondensedTreeView& tree, std::span<const vertex_t> clusters,
                                 std::span<const double> value,
                                 std::span<const std::int64_t> n_points);

}  // namespace warpgraph::hdbscan
