// HDBSCAN* [1]: the condensed tree of a single-linkage dendrogram.
//
// Rows of the linkage matrix that join each other at one height are one merge of several parts: the
// points and the merges at lower heights that they join. So the tree is a function of the distances
// alone, whichever lightest tree the rows are of, and in whatever order: [1] removes edges of equal
// weight simultaneously, too.
//
// The dendrogram of mutual-reachability distances is read from its root downwards, that is with
// growing density lambda = 1 / distance. Where a merge is undone, a part with fewer than
// min_cluster_size points is small: its points leave the cluster at that lambda. If one part is
// large, the cluster continues as that part. If several are, the cluster ends, and each of them is
// a new one. What remains are few clusters, and for each point the cluster that it leaves and the
// lambda at which it does.
//
// Mostly, two large parts are joined at the core distance of a point between them, which is a small
// part of that merge. Orders in which rows join two parts at a time give it to either large part,
// of which it is part until that same lambda. Here, the larger of two large parts has the points of
// the small ones, which leave it at its birth. If both are of one size, or more than two parts are
// large, these points leave the parent. Measured: labels are those of other programs in two of
// three data sets, as those of one program are with themselves on shuffled rows; in one of two if
// the points always left the parent.
//
// Clusters are numbered in the order in which they are born, from small to large lambda; those born
// at the same lambda by the first points of their parents, then by their own. 0 is the root, which
// has all points. So a parent's number is smaller than its children's, which are consecutive.
//
// Points at distance 0 have an infinite lambda. A merge at distance 0 is never undone: all its
// points leave their cluster at lambda = inf. Hence no cluster is born at an infinite lambda, and
// stabilities are no differences of infinities. (A distance below the smallest normal number, whose
// reciprocal is infinite, counts as 0.)
//
// The trees of a forest are joined at height inf, lambda = 0, in one merge: any number of small
// trees are noise, and the points of small trees are never in a cluster below.
//
// The stability of a cluster is the excess of mass: the sum over what leaves it, points and child
// clusters, of the number of points times (lambda - lambda at birth). The summands of a cluster are
// those of the merges at which something leaves it, from the last one on, as an ordered sum
// (condense/dendrogram.hpp): no two have the same height.
//
// A row is kept if it is the last of a merge that is part of a cluster: something leaves the
// cluster there. The cluster of a kept row is decided by a later row, so one thread goes through
// the kept rows, from the last to the first: linear time, no recursion, so that a chain of a
// million joins is a tree like others. Meanwhile other threads find at which kept row a small side
// leaves that is itself a tree of rows. All else runs on all threads. Measured: that pass takes a
// tenth of all work.
//
// simplify() merges clusters of low persistence into their parents, as hdbscan 0.8.44 does with two
// siblings for its parameter cluster_selection_persistence [2]. From the last siblings to the
// first: those whose largest lambda below exceeds the lambda of their birth by less than the
// threshold become part of their parent. If only one sibling lasts, so does that one, and the
// parent has its children; if none does, the parent is a leaf. Points of those that do not last
// leave at the lambda of the split, unless the parent is a leaf now: then all points keep their
// lambdas. So do points of clusters that another has taken in before.
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

/// Returns, for each cluster, the first of its children, or no_vertex.
std::vector<vertex_t> first_children(const CondensedTreeView& tree);

/// Calls body(sibling) for the children of a cluster, from `first` on, the first of them; or for
/// none if that is no_vertex.
template <class Body>
void for_each_sibling(const CondensedTreeView& tree, vertex_t first, Body&& body) {
  if (first == no_vertex) return;
  const auto parent_of = [&](vertex_t c) { return tree.parent[static_cast<std::size_t>(c)]; };
  const vertex_t parent = parent_of(first);
  for (vertex_t c = first; c < tree.n_clusters() && parent_of(c) == parent; ++c) body(c);
}

}  // namespace warpgraph
