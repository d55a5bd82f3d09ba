#include "algorithms/hdbscan/condense/dendrogram.hpp"
#include "algorithms/hdbscan/condense/numbering.hpp"
#include "algorithms/hdbscan/condensed_tree.hpp"
#include "core/atomics.hpp"
#include "core/containers/at.hpp"
#include "core/containers/bitmap.hpp"
#include "core/interrupt.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace warpgraph {
namespace {

constexpr std::int64_t rows_per_poll = 1 << 14;

using hdbscan::Join;
using hdbscan::lambda_of;

/// The numbers of a cluster that are read and changed when something leaves it.
struct OpenCluster {
  double birth;
  double death;
  hdbscan::OrderedSum stability;
};

class Condenser {
 public:
  Condenser(std::span<const double> linkage, std::span<const vertex_t> rows_above,
            vertex_t min_cluster_size)
      : joins_(reinterpret_cast<const Join*>(linkage.data())),
        n_joins_(std::ssize(linkage) / 4),
        n_points_(n_joins_ + 1),
        above_(rows_above.data()),
        min_size_(min_cluster_size),
        is_kept_(n_joins_),
        kept_row_of_(n_joins_) {}

  CondensedTree run() {
    add_cluster(no_vertex, 0, n_points_);
    tree_.point_cluster.resize(at(n_points_));
    tree_.point_lambda.resize(at(n_points_));
    if (n_joins_ == 0) {
      tree_.point_cluster[0] = 0;
      tree_.point_lambda[0] = 0;
    } else {
      mark_kept_rows();
      number_kept_rows();
      follow_clusters_and_find_rows_above();
      place_points();
    }
    for (const OpenCluster& cluster : clusters_) {
      tree_.birth.push_back(cluster.birth);
      tree_.death.push_back(cluster.death);
      tree_.stability.push_back(upper_levels_.total(cluster.stability));
    }
    hdbscan::renumber_clusters(tree_);
    return std::move(tree_);
  }

 private:
  /// The marks of kept rows at which their cluster ends, since no part goes on, or splits into new
  /// ones.
  static constexpr vertex_t ends = -1;
  static constexpr vertex_t splits = -2;

  /// Marks the root, and the last rows of merges that are large and part of a merge that is undone.
  void mark_kept_rows() {
    const auto is_never_undone = [](const Join& join) {
      return std::isinf(lambda_of(join.height));
    };
    const Join* const end = joins_ + n_joins_;
    const std::int64_t n_never_undone = std::partition_point(joins_, end, is_never_undone) - joins_;
    is_kept_.fill(n_joins_, [&](std::int64_t row) {
      return joins_[row].size >= static_cast<double>(min_size_) && is_last_of_merge(row) &&
             (row >= n_never_undone || above_[n_points_ + row] >= n_never_undone);
    });
    is_kept_.view().set(n_joins_ - 1);
  }
  /// Returns whether the row above is another merge. Heights ascend, so that mostly the next row
  /// says so, which is read anyway.
  [[nodiscard]] bool is_last_of_merge(std::int64_t row) const noexcept {
    if (row == n_joins_ - 1) return true;
    const double height = joins_[row].height;
    return joins_[row + 1].height > height || joins_[above_[n_points_ + row]].height > height;
  }

  /// Numbers the kept rows, and finds the facts about them that do not depend on clusters.
  void number_kept_rows() {
    vertex_t n = 0;
    for (const std::uint64_t word : is_kept_.words()) {
      before_word_.push_back(n);
      n += std::popcount(word);
    }
    n_kept_ = n;
    lambda_ = HostArray<double>(n);
    row_ = HostArray<vertex_t>(n);
    n_leaving_ = HostArray<vertex_t>(n);
    goes_on_ = HostArray<vertex_t>(n);
    cluster_ = HostArray<vertex_t>(n);
    cluster_left_ = HostArray<vertex_t>(n);
    parallel_for(
        std::ssize(before_word_),
        [&](std::int64_t w) {
          const std::int64_t begin = 64 * w;
          std::fill_n(&kept_row_of_[begin], std::min<std::int64_t>(64, n_joins_ - begin),
                      no_kept_row);
          vertex_t kept = before_word_[at(w)];
          for (std::uint64_t left = is_kept_.words()[at(w)]; left != 0; left &= left - 1) {
            describe(begin + std::countr_zero(left), kept++);
          }
        },
        64);
  }
  void describe(std::int64_t row, vertex_t kept) {
    const double lambda = lambda_of(joins_[row].height);
    kept_row_of_[row] = kept;
    lambda_[kept] = lambda;
    row_[kept] = static_cast<vertex_t>(row);
    n_leaving_[kept] = static_cast<vertex_t>(joins_[row].size);
    goes_on_[kept] = ends;
    if (std::isinf(lambda)) return;
    std::int64_t n_large = 0;
    std::int64_t large = 0;
    for_each_part(row, [&](std::int64_t part) {
      if (!is_kept(part)) return;
      ++n_large;
      large = part;
    });
    if (n_large > 1) goes_on_[kept] = splits;
    if (n_large == 1) {
      n_leaving_[kept] -= size_of(large);
      goes_on_[kept] = number_of(large);
    }
  }

  /// Calls body(node) for the parts of a merge, of which `row` is the last: what its rows join,
  /// other than each other.
  template <class Body>
  void for_each_part(std::int64_t row, Body&& body) {
    const double height = joins_[row].height;
    std::vector<std::int64_t> rest;
    for (std::int64_t n_rows = 1;; ++n_rows) {
      if (n_rows % rows_per_poll == 0) poll();
      for (const std::int64_t node : {first(row), second(row)}) {
        if (node >= n_points_ && joins_[node - n_points_].height == height) {
          rest.push_back(node - n_points_);
        } else {
          body(node);
        }
      }
      if (rest.empty()) return;
      row = rest.back();
      rest.pop_back();
    }
  }

  [[nodiscard]] std::int64_t first(std::int64_t row) const noexcept {
    return static_cast<std::int64_t>(joins_[row].first);
  }
  [[nodiscard]] std::int64_t second(std::int64_t row) const noexcept {
    return static_cast<std::int64_t>(joins_[row].second);
  }
  [[nodiscard]] bool is_kept(std::int64_t node) noexcept {
    return node >= n_points_ && is_kept_.view().test(node - n_points_);
  }
  [[nodiscard]] vertex_t size_of(std::int64_t node) const noexcept {
    return node < n_points_ ? 1 : static_cast<vertex_t>(joins_[node - n_points_].size);
  }
  /// Returns the number of a node that is a kept row.
  [[nodiscard]] vertex_t number_of(std::int64_t node) noexcept {
    const std::int64_t row = node - n_points_;
    const std::uint64_t below = (std::uint64_t{1} << (row & 63)) - 1;
    return before_word_[at(row >> 6)] + std::popcount(is_kept_.words()[at(row >> 6)] & below);
  }

  vertex_t add_cluster(vertex_t parent, double birth, std::int64_t size) {
    tree_.parent.push_back(parent);
    tree_.size.push_back(static_cast<vertex_t>(size));
    clusters_.push_back({birth, birth, {}});
    return static_cast<vertex_t>(tree_.parent.size()) - 1;
  }

  /// Follows clusters on the calling thread, which then helps the others. It alone polls for
  /// Ctrl-C.
  void follow_clusters_and_find_rows_above() {
    bool followed = false;
    parallel_blocks(n_joins_, default_grain, [&](int thread, std::int64_t begin, std::int64_t end) {
      if (thread == 0 && !std::exchange(followed, true)) follow_clusters();
      find_kept_rows_above(begin, end);
    });
    if (!followed) follow_clusters();
  }

  /// Finds the cluster of each kept row, from the last one on.
  void follow_clusters() {
    cluster_[n_kept_ - 1] = 0;
    for (std::int64_t kept = n_kept_ - 1; kept >= 0; --kept) {
      if (kept % rows_per_poll == 0) poll();
      const vertex_t cluster = cluster_[kept];
      cluster_left_[kept] = cluster;
      leave(cluster, lambda_[kept], n_leaving_[kept]);
      if (goes_on_[kept] >= 0) {
        cluster_[goes_on_[kept]] = cluster;
      } else if (goes_on_[kept] == splits) {
        split(kept);
      }
    }
  }
  /// Adds the clusters of the large parts. The larger of two also gets the points of small parts.
  void split(std::int64_t kept) {
    const auto before = tree_.parent.size();
    vertex_t n_small = n_leaving_[kept];
    for_each_part(row_[kept], [&](std::int64_t part) {
      if (!is_kept(part)) return;
      cluster_[number_of(part)] = add_cluster(cluster_[kept], lambda_[kept], size_of(part));
      n_small -= size_of(part);
    });
    vertex_t* const sizes = &tree_.size[before];
    const bool two = tree_.parent.size() - before == 2;
    if (!two || sizes[0] == sizes[1] || !(lambda_[kept] > 0)) return;
    const std::size_t larger = sizes[0] > sizes[1] ? 0 : 1;
    sizes[larger] += n_small;
    cluster_left_[kept] = static_cast<vertex_t>(before + larger);
  }
  void leave(vertex_t cluster, double lambda, double n_leaving) {
    OpenCluster& open = clusters_[at(cluster)];
    upper_levels_.add(open.stability, n_leaving * (lambda - open.birth));
    open.death = lambda;  // rows have ascending lambdas
  }

  /// Finds the kept row at which each other row leaves its cluster: that of the row above. Rows are
  /// divided from the last one on, so that it is mostly known. While another thread is still at the
  /// rows above, a path goes on to one that is known; whether it sees one does not matter.
  void find_kept_rows_above(std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = n_joins_ - 1 - begin; row > n_joins_ - 1 - end; --row) {
      vertex_t kept = kept_row_of_[row];
      if (kept != no_kept_row) continue;
      for (std::int64_t above = row; kept == no_kept_row;) {
        above = above_[n_points_ + above];
        kept = relaxed_load(kept_row_of_[above]);
      }
      relaxed_store(kept_row_of_[row], kept);
    }
  }

  void place_points() {
    parallel_for(n_points_, [&](std::int64_t point) {
      const vertex_t kept = kept_row_of_[above_[point]];
      tree_.point_cluster[at(point)] = cluster_left_[kept];
      tree_.point_lambda[at(point)] = lambda_[kept];
    });
  }

  static constexpr vertex_t no_kept_row = -1;

  const Join* joins_;
  std::int64_t n_joins_;
  std::int64_t n_points_;
  const vertex_t* above_;
  vertex_t min_size_;
  Bitmap is_kept_;                     // of each row
  HostArray<vertex_t> kept_row_of_;    // its own number, or that at which it leaves its cluster
  std::vector<vertex_t> before_word_;  // of each word of is_kept_: the kept rows before it
  std::int64_t n_kept_ = 0;
  // The next arrays are indexed by kept row.
  HostArray<double> lambda_;
  HostArray<vertex_t> row_;
  HostArray<vertex_t> n_leaving_;  // points
  HostArray<vertex_t> goes_on_;    // the kept row with which its cluster does; ends or splits
  HostArray<vertex_t> cluster_;
  HostArray<vertex_t> cluster_left_;  // of the points that leave there
  std::vector<OpenCluster> clusters_;
  hdbscan::UpperLevels upper_levels_;
  CondensedTree tree_;
};

}  // namespace

HostVector<vertex_t> rows_above(std::span<const double> linkage) {
  const auto* const joins = reinterpret_cast<const Join*>(linkage.data());
  const std::int64_t n_joins = std::ssize(linkage) / 4;
  HostVector<vertex_t> above(at(2 * n_joins + 1));
  parallel_for(n_joins, [&](std::int64_t row) {
    for (const double node : {joins[row].first, joins[row].second}) {
      above[static_cast<std::size_t>(node)] = static_cast<vertex_t>(row);
    }
  });
  return above;
}

CondensedTree condense(std::span<const double> linkage, vertex_t min_cluster_size) {
  return condense(linkage, rows_above(linkage), min_cluster_size);
}

CondensedTree condense(std::span<const double> linkage, std::span<const vertex_t> rows_above,
                       vertex_t min_cluster_size) {
  return Condenser(linkage, rows_above, min_cluster_size).run();
}

std::vector<vertex_t> first_children(const CondensedTreeView& tree) {
  std::vector<vertex_t> first(tree.parent.size(), no_vertex);
  for (vertex_t c = tree.n_clusters() - 1; c > 0; --c) first[at(tree.parent[at(c)])] = c;
  return first;
}

}  // namespace warpgraph
