#include "algorithms/hdbscan/condensed_tree.hpp"
#include "algorithms/hdbscan/dendrogram.hpp"
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
  Condenser(std::span<const double> linkage, std::span<const vertex_t> rows_above,
            vertex_t min_cluster_size)
      : joins_(reinterpret_cast<const Join*>(linkage.data())),
        n_joins_(std::ssize(linkage) / 4),
        n_points_(n_joins_ + 1),
        above_(rows_above.data()),
        min_size_(min_cluster_size),
        is_exit_(n_joins_),
        exit_of_row_(n_joins_) {}

  CondensedTree run() {
    add_cluster(no_vertex, 0, n_points_);
    tree_.point_cluster.resize(at(n_points_));
    tree_.point_lambda.resize(at(n_points_));
    if (n_joins_ == 0) {
      tree_.point_cluster[0] = 0;
      tree_.point_lambda[0] = 0;
    } else {
      mark_exits();
      number_exits();
      follow_clusters();
      find_exits_of_small_sides();
      place_points();
    }
    for (const OpenCluster& cluster : clusters_) {
      tree_.birth.push_back(cluster.birth);
      tree_.death.push_back(cluster.death);
      tree_.stability.push_back(upper_levels_.total(cluster.stability));
    }
    return std::move(tree_);
  }

 private:
  /// What the cluster of an exit does there, if no row of it goes on, or those of two new clusters.
  static constexpr vertex_t ends = -1;
  static constexpr vertex_t splits = -2;

  /// Marks the root, and the large sides of rows that are undone.
  void mark_exits() {
    const auto is_kept = [](const Join& join) { return std::isinf(lambda_of(join.height)); };
    const auto is_finite = [](const Join& join) { return !std::isinf(join.height); };
    const Join* const end = joins_ + n_joins_;
    const std::int64_t n_kept = std::partition_point(joins_, end, is_kept) - joins_;
    is_exit_.fill(n_joins_, [&](std::int64_t row) {
      return joins_[row].size >= static_cast<double>(min_size_) &&
             (row >= n_kept || above_[n_points_ + row] >= n_kept);
    });
    const BitmapView bits = is_exit_.view();
    // A join of trees of a forest is large if one of them is: words are shared, so one by one.
    for (std::int64_t row = std::partition_point(joins_, end, is_finite) - joins_; row < n_joins_;
         ++row) {
      if (row % rows_per_poll == 0) poll();
      const std::uint64_t bit = std::uint64_t{1} << (row & 63);
      std::uint64_t& word = bits.words[row >> 6];
      word = is_exit(first(row)) || is_exit(second(row)) ? word | bit : word & ~bit;
    }
    bits.set(n_joins_ - 1);
  }

  /// Numbers the exits, and finds what does not depend on clusters.
  void number_exits() {
    vertex_t n = 0;
    for (const std::uint64_t word : is_exit_.words()) {
      before_word_.push_back(n);
      n += std::popcount(word);
    }
    n_exits_ = n;
    lambda_ = HostArray<double>(n);
    row_ = HostArray<vertex_t>(n);
    n_leaving_ = HostArray<vertex_t>(n);
    goes_on_ = HostArray<vertex_t>(n);
    cluster_ = HostArray<vertex_t>(n);
    parallel_for(
        std::ssize(before_word_),
        [&](std::int64_t w) {
          const std::int64_t begin = 64 * w;
          std::fill_n(&exit_of_row_[begin], std::min<std::int64_t>(64, n_joins_ - begin), no_exit);
          vertex_t exit = before_word_[at(w)];
          for (std::uint64_t left = is_exit_.words()[at(w)]; left != 0; left &= left - 1) {
            describe(begin + std::countr_zero(left), exit++);
          }
        },
        64);
  }
  void describe(std::int64_t row, vertex_t exit) noexcept {
    const double lambda = lambda_of(joins_[row].height);
    const std::int64_t a = first(row);
    const std::int64_t b = second(row);
    const bool a_goes_on = !std::isinf(lambda) && is_exit(a);
    const bool b_goes_on = !std::isinf(lambda) && is_exit(b);
    exit_of_row_[row] = exit;
    lambda_[exit] = lambda;
    row_[exit] = static_cast<vertex_t>(row);
    if (a_goes_on != b_goes_on) {
      n_leaving_[exit] = size_of(a_goes_on ? b : a);
      goes_on_[exit] = number_of(a_goes_on ? a : b);
    } else {
      n_leaving_[exit] = static_cast<vertex_t>(joins_[row].size);
      goes_on_[exit] = a_goes_on ? splits : ends;
    }
  }

  [[nodiscard]] std::int64_t first(std::int64_t row) const noexcept {
    return static_cast<std::int64_t>(joins_[row].first);
  }
  [[nodiscard]] std::int64_t second(std::int64_t row) const noexcept {
    return static_cast<std::int64_t>(joins_[row].second);
  }
  [[nodiscard]] bool is_exit(std::int64_t node) noexcept {
    return node >= n_points_ && is_exit_.view().test(node - n_points_);
  }
  [[nodiscard]] vertex_t size_of(std::int64_t node) const noexcept {
    return node < n_points_ ? 1 : static_cast<vertex_t>(joins_[node - n_points_].size);
  }
  /// Of a node that is an exit.
  [[nodiscard]] vertex_t number_of(std::int64_t node) noexcept {
    const std::int64_t row = node - n_points_;
    const std::uint64_t below = (std::uint64_t{1} << (row & 63)) - 1;
    return before_word_[at(row >> 6)] + std::popcount(is_exit_.words()[at(row >> 6)] & below);
  }

  vertex_t add_cluster(vertex_t parent, double birth, std::int64_t size) {
    tree_.parent.push_back(parent);
    tree_.size.push_back(static_cast<vertex_t>(size));
    clusters_.push_back({birth, birth, {}});
    return static_cast<vertex_t>(tree_.parent.size()) - 1;
  }

  /// Finds the cluster of each exit, from the last one on.
  void follow_clusters() {
    cluster_[n_exits_ - 1] = 0;
    for (std::int64_t exit = n_exits_ - 1; exit >= 0; --exit) {
      if (exit % rows_per_poll == 0) poll();
      const vertex_t cluster = cluster_[exit];
      leave(cluster, lambda_[exit], n_leaving_[exit]);
      if (goes_on_[exit] >= 0) {
        cluster_[goes_on_[exit]] = cluster;
      } else if (goes_on_[exit] == splits) {
        for (const std::int64_t side : {first(row_[exit]), second(row_[exit])}) {
          cluster_[number_of(side)] = add_cluster(cluster, lambda_[exit], size_of(side));
        }
      }
    }
  }
  void leave(vertex_t cluster, double lambda, double n_leaving) {
    OpenCluster& open = clusters_[at(cluster)];
    upper_levels_.add(open.stability, n_leaving * (lambda - open.birth));
    open.death = lambda;  // rows have ascending lambdas
  }

  /// Finds the exit at which each other row leaves its cluster: that of the row above. Rows are
  /// divided from the last one on, so that it is mostly known. While another thread is still at the
  /// rows above, a path goes on to one that is known; whether it sees one does not matter.
  void find_exits_of_small_sides() {
    parallel_for(n_joins_, [&](std::int64_t i) {
      const std::int64_t row = n_joins_ - 1 - i;
      vertex_t exit = exit_of_row_[row];
      if (exit != no_exit) return;
      for (std::int64_t above = row; exit == no_exit;) {
        above = above_[n_points_ + above];
        exit = relaxed_load(exit_of_row_[above]);
      }
      relaxed_store(exit_of_row_[row], exit);
    });
  }

  void place_points() {
    parallel_for(n_points_, [&](std::int64_t point) {
      const vertex_t exit = exit_of_row_[above_[point]];
      tree_.point_cluster[at(point)] = cluster_[exit];
      tree_.point_lambda[at(point)] = lambda_[exit];
    });
  }

  static constexpr vertex_t no_exit = -1;

  const Join* joins_;
  std::int64_t n_joins_;
  std::int64_t n_points_;
  const vertex_t* above_;
  vertex_t min_size_;
  Bitmap is_exit_;                     // of each row
  HostArray<vertex_t> exit_of_row_;    // its own number, or that at which it leaves its cluster
  std::vector<vertex_t> before_word_;  // of each word of is_exit_: the exits before it
  std::int64_t n_exits_ = 0;
  // Of each exit.
  HostArray<double> lambda_;
  HostArray<vertex_t> row_;
  HostArray<vertex_t> n_leaving_;  // points
  HostArray<vertex_t> goes_on_;    // the exit with which its cluster does; ends or splits
  HostArray<vertex_t> cluster_;
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
