// The choice of clusters of a condensed tree, and the labels of their points: the part that takes
// clusters alone, for CPU and GPU.
#pragma once

#include "algorithms/hdbscan/selection.hpp"

#include <span>
#include <vector>

namespace warpgraph::hdbscan {

struct ClusterChoice {
  std::vector<char> selected;  // of each cluster
  std::vector<double> value;  // stabilities; of clusters that were passed over, the sums below them
};

/// Returns the smallest lambda at which a point leaves, or a cluster is born.
double least_lambda(const CondensedTreeView& tree);

/// Chooses clusters without reading the points of the tree. `start` is its least lambda; not read
/// unless options.epsilon_max is finite.
ClusterChoice choose_clusters(const CondensedTreeView& tree, const SelectionOptions& options,
                              double start);

/// Returns, for each cluster, the selected one that it is or is below, or no_vertex.
std::vector<vertex_t> selected_above(const CondensedTreeView& tree, std::span<const char> selected);

/// Returns the smallest lambda with which a point whose selected cluster is the root is in it.
double least_lambda_of_root(const CondensedTreeView& tree, std::int64_t n_selected, double epsilon);

struct LabelledClusters {
  std::vector<vertex_t> clusters;  // of each label
  std::vector<vertex_t> label_of;  // of each cluster, or no_vertex
};

/// Numbers clusters. `first` has the first point of each cluster; n_points if it has none, and
/// hence no label.
LabelledClusters number_clusters(std::span<const vertex_t> first, vertex_t n_points);

/// Returns the persistence of each label. `value` is that of a ClusterChoice, `n_points` has the
/// points of each label.
std::vector<double> persistences(const CondensedTreeView& tree, std::span<const vertex_t> clusters,
                                 std::span<const double> value,
                                 std::span<const std::int64_t> n_points);

}  // namespace warpgraph::hdbscan
