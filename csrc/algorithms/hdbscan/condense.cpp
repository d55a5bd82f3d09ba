#include "algorithms/hdbscan/condensed_tree.hpp"
#include "algorithms/hdbscan/dendrogram.hpp"
#include "core/containers/at.hpp"
#include "core/containers/bitmap.hpp"
#include "core/interrupt.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <limits>

namespace warpgraph {
namespace {

constexpr std::int64_t rows_per_poll = 1 << 14;

using hdbscan::Join;
using hdbscan::lambda_of;

/// What is read and changed when something leaves a cluster.
struct OpenCluster {
  double birth;
  double death;
  hdbscan::OrderedSum stability;
};

class Condenser {
 public:
  Condenser(std::span<const double> linkage, vertex_t min_cluster_size)
      : joins_(reinterpret_cast<const Join*>(linkage.data())),
        n_joins_(std::ssize(linkage) / 4),
        n_points_(n_joins_ + 1),
        min_size_(min_cluster_size),
        is_large_(n_joins_),
        place_(at(n_points_ + n_joins_)) {
    mark_large();
  }

  CondensedTree run() {
    add_cluster(no_vertex, 0, n_points_);
    place_.back() = 0;
    for (std::int64_t row = n_joins_ - 1; row >= 0; --row) {
      if (row % rows_per_poll == 0) poll();
      visit(row);
    }
    place_points();
    for (const OpenCluster& cluster : clusters_) {
      tree_.birth.push_back(cluster.birth);
      tree_.death.push_back(cluster.death);
      tree_.stability.push_back(upper_levels_.total(cluster.stability));
    }
    return std::move(tree_);
  }

 private:
  void mark_large() {
    is_large_.fill(n_joins_, [&](std::int64_t row) {
      return joins_[row].size >= static_cast<double>(min_size_);
    });
    const auto below_inf = [](const Join& join) {
      return join.height < std::numeric_limits<double>::infinity();
    };
    const BitmapView bits = is_large_.view();
    // A join of trees of a forest is large if one of them is: words are shared, so one by one.
    for (std::int64_t row = std::partition_point(joins_, joins_ + n_joins_, below_inf) - joins_;
         row < n_joins_; ++row) {
      if (row % rows_per_poll == 0) poll();
      const std::uint64_t bit = std::uint64_t{1} << (row & 63);
      std::uint64_t& word = bits.words[row >> 6];
      word = large(first(row)) || large(second(row)) ? word | bit : word & ~bit;
    }
  }

  [[nodiscard]] std::int64_t first(std::int64_t row) const noexcept {
    return static_cast<std::int64_t>(joins_[row].first);
  }
  [[nodiscard]] std::int64_t second(std::int64_t row) const noexcept {
    return static_cast<std::int64_t>(joins_[row].second);
  }
  [[nodiscard]] bool large(std::int64_t node) noexcept {
    return node >= n_points_ && is_large_.view().test(node - n_points_);
  }
  [[nodiscard]] double size_of(std::int64_t node) const noexcept {
    return node < n_points_ ? 1 : joins_[node - n_points_].size;
  }

  vertex_t add_cluster(vertex_t parent, double birth, std::int64_t size) {
    tree_.parent.push_back(parent);
    tree_.size.push_back(static_cast<vertex_t>(size));
    clusters_.push_back({birth, birth, {}});
    return static_cast<vertex_t>(tree_.parent.size()) - 1;
  }

  /// place_ of a node: the cluster that it is part of, or, if it has left its cluster as part of a
  /// small side, the complement of the row at which it did.
  void visit(std::int64_t row) {
    const vertex_t cluster = place_[at(n_points_ + row)];
    const std::int64_t a = first(row);
    const std::int64_t b = second(row);
    if (cluster < 0) {
      place_[at(a)] = place_[at(b)] = cluster;
      return;
    }
    const double lambda = lambda_of(joins_[row].height);
    const vertex_t leaves = ~static_cast<vertex_t>(row);
    const bool may_go_on = lambda < std::numeric_limits<double>::infinity();
    const bool a_goes_on = may_go_on && large(a);
    const bool b_goes_on = may_go_on && large(b);
    if (a_goes_on && b_goes_on) {
      leave(cluster, lambda, joins_[row].size);
      place_[at(a)] = add_cluster(cluster, lambda, static_cast<std::int64_t>(size_of(a)));
      place_[at(b)] = add_cluster(cluster, lambda, static_cast<std::int64_t>(size_of(b)));
    } else if (a_goes_on || b_goes_on) {
      leave(cluster, lambda, size_of(a_goes_on ? b : a));
      place_[at(a)] = a_goes_on ? cluster : leaves;
      place_[at(b)] = b_goes_on ? cluster : leaves;
    } else {
      leave(cluster, lambda, joins_[row].size);
      place_[at(a)] = place_[at(b)] = leaves;
    }
  }

  void leave(vertex_t cluster, double lambda, double n_leaving) {
    OpenCluster& open = clusters_[at(cluster)];
    upper_levels_.add(open.stability, n_leaving * (lambda - open.birth));
    open.death = lambda;  // rows have ascending lambdas
  }

  void place_points() {
    tree_.point_cluster.resize(at(n_points_));
    tree_.point_lambda.resize(at(n_points_));
    if (n_joins_ == 0) {
      tree_.point_cluster[0] = 0;
      tree_.point_lambda[0] = 0;
      return;
    }
    parallel_for(n_points_, [&](std::int64_t point) {
      const std::int64_t row = ~std::int64_t{place_[at(point)]};
      tree_.point_cluster[at(point)] = place_[at(n_points_ + row)];
      tree_.point_lambda[at(point)] = lambda_of(joins_[row].height);
    });
  }

  const Join* joins_;
  std::int64_t n_joins_;
  std::int64_t n_points_;
  vertex_t min_size_;
  Bitmap is_large_;  // of each row
  HostVector<vertex_t> place_;
  std::vector<OpenCluster> clusters_;
  hdbscan::UpperLevels upper_levels_;
  CondensedTree tree_;
};

}  // namespace

CondensedTree condense(std::span<const double> linkage, vertex_t min_cluster_size) {
  return Condenser(linkage, min_cluster_size).run();
}

std::vector<vertex_t> first_children(const CondensedTreeView& tree) {
  std::vector<vertex_t> first(tree.parent.size(), no_vertex);
  for (vertex_t c = tree.n_clusters() - 1; c > 0; --c) first[at(tree.parent[at(c)])] = c;
  return first;
}

}  // namespace warpgraph
