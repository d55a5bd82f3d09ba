// HDBSCAN*: flat clusters of a condensed tree, and scores of points.
//
// By excess of mass [1]: from the leaves upwards, a cluster is selected instead of the clusters
// below it if its stability is at least the sum of theirs. By leaf: the leaves, if there is a
// split. Clusters with more than max_cluster_size points, or that start at a distance above
// epsilon_max, are passed over in favour of those below. With epsilon > 0 [2], a selected cluster
// born at a distance below epsilon is replaced by the first of its ancestors born above epsilon.
// The root is selected only if allow_single_cluster is set.
//
// A point has the label of the selected cluster that it is in when it leaves the tree. Those that
// leave at lambda = 0, at no finite distance from the others, are noise, and so are the points of
// the root where the root is the only cluster, unless they stay to its end (or beyond 1 / epsilon).
// Labels are numbered in the order of the clusters' first points, so they depend on the partition
// alone; a selected cluster without points has none.
//
// Probability: lambda over the largest lambda at which something leaves the cluster, at most 1; 1
// if lambda is infinite. Persistence of a cluster: its stability over its number of points times
// the largest lambda of all; 1 if that is infinite.
//
// Outlier scores (GLOSH [1]): 1 - lambda over the largest lambda below the cluster that the point
// leaves: 0 in the densest part, towards 1 outside. Where the largest lambda is infinite, 0 if the
// point's is, else 1.
//
// Exemplars: the points that leave the leaves below a selected cluster last.
//
// [1] Campello, Moulavi, Zimek, Sander: Hierarchical density estimates for data clustering,
//     visualization, and outlier detection. ACM TKDD 10, 2015.
// [2] Malzer, Baum: A hybrid approach to hierarchical density-based cluster selection. MFI 2020.
#pragma once

#include "algorithms/hdbscan/condensed_tree.hpp"

#include <limits>

namespace warpgraph {

enum class SelectionMethod { eom, leaf };

struct SelectionOptions {
  SelectionMethod method = SelectionMethod::eom;
  bool allow_single_cluster = false;
  vertex_t max_cluster_size = 0;  // 0: any
  double epsilon = 0;
  double epsilon_max = std::numeric_limits<double>::infinity();
};

struct Selection {
  std::vector<vertex_t> clusters;  // of each label: its cluster in the tree
  HostVector<vertex_t> labels;     // of each point, or -1
  HostVector<double> probabilities;
  std::vector<double> persistence;  // of each label
};

Selection select_clusters(const CondensedTreeView& tree, const SelectionOptions& options);

/// Selects from many condensed trees of one dendrogram: row i of labels and probabilities is for
/// min_cluster_sizes[i]. Returns the numbers of clusters. Parallel over the sizes; each of the
/// threads keeps a condensed tree.
std::vector<vertex_t> sweep_sizes(std::span<const double> linkage,
                                  std::span<const vertex_t> min_cluster_sizes, double persistence,
                                  const SelectionOptions& options, std::span<vertex_t> labels,
                                  std::span<double> probabilities);

/// Returns, for each cluster, the label of the selected one that it is or is below, or -1.
std::vector<vertex_t> labels_of_clusters(const CondensedTreeView& tree,
                                         std::span<const vertex_t> selected);

/// Returns, for each cluster, the largest lambda at which something leaves it or one below it.
std::vector<double> highest_lambdas(const CondensedTreeView& tree);

/// Returns the outlier score of a point, by the largest lambda below the cluster that it leaves.
double outlier_score(double highest, double lambda) noexcept;

/// Computes the outlier score of each point.
void outlier_scores(const CondensedTreeView& tree, std::span<double> scores);

struct Exemplars {
  std::vector<vertex_t> points;     // by label, ascending
  std::vector<std::int64_t> begin;  // of each label, and the end of the last
};
Exemplars exemplars(const CondensedTreeView& tree, std::span<const vertex_t> selected);

}  // namespace warpgraph
