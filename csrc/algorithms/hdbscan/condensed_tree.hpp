// HDBSCAN* [1]: the condensed tree of a single-linkage dendrogram.
//
// The dendrogram of mutual-reachability distances is read from its root downwards, that is with
// growing density lambda = 1 / distance. Where a join is undone, a side with fewer than
// min_cluster_size points is no cluster: its points leave the cluster at that lambda, and the
// cluster continues as the other side. Only where both sides are large enough does a cluster end,
// and two new ones are born. What remains are few clusters, and for each point the cluster that it
// leaves and the lambda at which it does.
//
// Clusters are numbered in the order in which they are born, from small to large lambda; 0 is the
// root, which has all points. So a parent's number is smaller than its children's, which are a pair
// of consecutive numbers.
//
// Points at distance 0 have an infinite lambda. A join at distance 0 is never undone: all its
// points leave their cluster at lambda = inf. Hence no cluster is born at an infinite lambda, and
// stabilities are no differences of infinities. (A distance below the smallest normal number, whose
// reciprocal is infinite, counts as 0.)
//
// The trees of a forest are joined at height inf, lambda = 0. There a side counts as large only if
// one of its trees is large: any number of small trees are noise.
//
// The stability of a cluster is the excess of mass: the sum over what leaves it, points and child
// clusters, of the number of points times (lambda - lambda at birth). The summands of a cluster are
// those of the rows at which something leaves it, from the last row on, as an ordered sum
// (dendrogram.hpp).
//
// A row is kept if it is part of a cluster: something leaves the cluster there. The cluster of a
// kept row is decided by a later row, so one thread goes through the kept rows, from the last to
// the first: linear time, no recursion, so that a chain of a million joins is a tree like others.
// Meanwhile other threads find at which kept row a small side leaves that is itself a tree of rows.
// All else runs on all threads. Measured: that pass takes a tenth of all work.
//
// simplify() merges clusters of low persistence into their parents, as hdbscan 0.8.44 does for its
// parameter cluster_selection_persistence [2]. From the last pair of siblings to the first: where
// the smaller of the two largest lambdas below the siblings exceeds the lambda of their birth by
// less than the threshold, both become part of their parent. Points of the less persistent one then
// leave at the lambda of the split, unless the other one is a leaf: then the parent is a leaf too,
// and its points keep their lambdas. So do points of clusters that the less persistent one has
// taken in before.
//
// [1] Campello, Moulavi, Zimek, Sander: Hierarchical density estimates for data clustering,
//     visualization, and outlier detection. ACM TKDD 10, 2015.
// [2] McInnes, Healy, Astels: hdbscan: Hierarchical density based clustering. JOSS 2, 2017.
#pragma once

#include "core/memory/host_vector.hpp"
#include "core/types.hpp"

#include <span>
#include <vector>

namespace warpgraph {

/// Clusters and points of a condensed tree, by reference.
struct CondensedTreeView {
  std::span<const vertex_t> point_cluster;  // of each point: the cluster that it leaves
  std::span<const double> point_lambda;     // and the lambda at which it does
  std::span<const vertex_t> parent;         // of each cluster; no_vertex: the root's
  std::span<const double> birth;            // lambda
  std::span<const double> death;            // the largest lambda at which something leaves it
  std::span<const vertex_t> size;           // points at birth
  std::span<const double> stability;

  [[nodiscard]] vertex_t n_points() const noexcept {
    return static_cast<vertex_t>(point_cluster.size());
  }
  [[nodiscard]] vertex_t n_clusters() const noexcept {
    return static_cast<vertex_t>(parent.size());
  }
};

struct CondensedTree {
  HostVector<vertex_t> point_cluster;
  HostVector<double> point_lambda;
  std::vector<vertex_t> parent;
  std::vector<double> birth;
  std::vector<double> death;
  std::vector<vertex_t> size;
  std::vector<double> stability;

  [[nodiscard]] CondensedTreeView view() const noexcept {
    return {point_cluster, point_lambda, parent, birth, death, size, stability};
  }
};

/// Returns the condensed tree of `linkage`, 4 (n - 1) numbers: SciPy's linkage matrix with
/// ascending heights, of which none is NaN or negative. min_cluster_size >= 2.
CondensedTree condense(std::span<const double> linkage, vertex_t min_cluster_size);
/// Returns the condensed tree for one of several sizes, which share rows_above(linkage).
CondensedTree condense(std::span<const double> linkage, std::span<const vertex_t> rows_above,
                       vertex_t min_cluster_size);

/// Returns, for each point and row but the last, the row that joins it with another.
HostVector<vertex_t> rows_above(std::span<const double> linkage);

/// Merges clusters whose persistence is below the threshold; nothing if that is 0.
CondensedTree simplify(CondensedTree&& tree, double persistence);

/// Returns, for each cluster, the first of its two children, or no_vertex.
std::vector<vertex_t> first_children(const CondensedTreeView& tree);

}  // namespace warpgraph
