#include "algorithms/hdbscan/choice/cluster_choice.hpp"

#include "core/containers/at.hpp"
#include "core/containers/radix_sort.hpp"

#include <algorithm>
#include <numeric>

namespace warpgraph::hdbscan {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

class Selector {
 public:
  Selector(const CondensedTreeView& tree, const SelectionOptions& options, double start)
      : tree_(tree),
        options_(options),
        start_(start),
        n_(tree.parent.size()),
        first_child_(first_children(tree)),
        value_(tree.stability.begin(), tree.stability.end()),
        selected_(n_, 0) {}

  ClusterChoice run() {
    if (options_.method == SelectionMethod::eom) {
      select_by_mass();
    } else {
      for (std::size_t c = 1; c < n_; ++c) selected_[c] = first_child_[c] == no_vertex;
    }
    if (options_.epsilon != 0 && n_ > 1 && !selected_[0]) climb_to_epsilon();
    return {std::move(selected_), std::move(value_)};
  }

 private:
  [[nodiscard]] double distance_at_birth(std::size_t c) const noexcept {
    return 1 / tree_.birth[c];
  }

  /// Returns the distance at which a cluster starts. The root, which was never born, starts where
  /// something leaves it first.
  [[nodiscard]] double distance_at_start(std::size_t c) const noexcept {
    return c > 0 ? distance_at_birth(c) : 1 / start_;
  }

  [[nodiscard]] bool may_be_selected(std::size_t c) const noexcept {
    double size = tree_.size[c];
    if (c == 0) {  // as hdbscan counts the root's points: those of its children
      size = 0;
      for_each_sibling(tree_, first_child_[0],
                       [&](vertex_t child) { size += tree_.size[at(child)]; });
    }
    if (options_.max_cluster_size > 0 && size > options_.max_cluster_size) return false;
    return options_.epsilon_max == infinite || !(distance_at_start(c) > options_.epsilon_max);
  }

  /// Returns the sum of the values of the children, from the least on: their numbers depend on the
  /// order of the points.
  double mass_below(std::size_t c) {
    values_.clear();
    for_each_sibling(tree_, first_child_[c],
                     [&](vertex_t child) { values_.push_back(value_[at(child)]); });
    std::sort(values_.begin(), values_.end());
    return std::accumulate(values_.begin(), values_.end(), 0.0);
  }

  void select_by_mass() {
    const std::size_t least = options_.allow_single_cluster ? 0 : 1;
    for (std::size_t c = n_; c-- > least;) {
      const double below = mass_below(c);
      selected_[c] = !(below > value_[c]) && may_be_selected(c);
      if (!selected_[c]) value_[c] = below;
    }
    std::vector<char> covered(n_, 0);
    for (std::size_t c = 1; c < n_; ++c) {
      const auto parent = at(tree_.parent[c]);
      covered[c] = covered[parent] || selected_[parent];
    }
    for (std::size_t c = 0; c < n_; ++c) selected_[c] = selected_[c] && !covered[c];
  }

  void climb_to_epsilon() {
    std::vector<std::size_t> above(n_, 0);  // of each cluster: the ancestor that replaces it
    std::vector<char> replaced(n_, 0);
    for (std::size_t c = 1; c < n_; ++c) {
      const auto parent = at(tree_.parent[c]);
      if (parent == 0) {
        above[c] = options_.allow_single_cluster ? 0 : c;
      } else {
        above[c] = distance_at_birth(parent) > options_.epsilon ? parent : above[parent];
      }
      if (selected_[c]) replaced[distance_at_birth(c) < options_.epsilon ? above[c] : c] = 1;
    }
    selected_ = std::move(replaced);
  }

  const CondensedTreeView& tree_;
  const SelectionOptions& options_;
  const double start_;
  std::size_t n_;
  std::vector<vertex_t> first_child_;
  std::vector<double> value_;
  std::vector<double> values_;  // of the children of one cluster
  std::vector<char> selected_;
};

}  // namespace

double least_lambda(const CondensedTreeView& tree) {
  double least = infinite;
  for (const double lambda : tree.point_lambda) least = std::min(least, lambda);
  for (const double lambda : tree.birth.subspan(1)) least = std::min(least, lambda);
  return least;
}

ClusterChoice choose_clusters(const CondensedTreeView& tree, const SelectionOptions& options,
                              double start) {
  return Selector(tree, options, start).run();
}

std::vector<vertex_t> selected_above(const CondensedTreeView& tree,
                                     std::span<const char> selected) {
  std::vector<vertex_t> above(selected.size(), no_vertex);
  for (std::size_t c = 0; c < selected.size(); ++c) {
    if (selected[c]) {
      above[c] = static_cast<vertex_t>(c);
    } else if (c > 0) {
      above[c] = above[at(tree.parent[c])];
    }
  }
  return above;
}

double least_lambda_of_root(const CondensedTreeView& tree, std::int64_t n_selected,
                            double epsilon) {
  if (n_selected > 1) return infinite;
  return epsilon != 0 ? 1 / epsilon : tree.death[0];
}

LabelledClusters number_clusters(std::span<const vertex_t> first, vertex_t n_points) {
  std::vector<vertex_t> found;
  for (std::size_t c = 0; c < first.size(); ++c) {
    if (first[c] < n_points) found.push_back(static_cast<vertex_t>(c));
  }
  const auto order = sorted_by_key(std::ssize(found), [&](std::int64_t i) {
    return static_cast<std::uint32_t>(first[at(found[at(i)])]);
  });
  LabelledClusters labelled{{}, std::vector<vertex_t>(first.size(), no_vertex)};
  for (std::int64_t label = 0; label < std::ssize(found); ++label) {
    const vertex_t cluster = found[order[label].index];
    labelled.clusters.push_back(cluster);
    labelled.label_of[at(cluster)] = static_cast<vertex_t>(label);
  }
  return labelled;
}

std::vector<double> persistences(const CondensedTreeView& tree, std::span<const vertex_t> clusters,
                                 std::span<const double> value,
                                 std::span<const std::int64_t> n_points) {
  const double highest = *std::max_element(tree.death.begin(), tree.death.end());
  const bool defined = highest > 0 && highest < infinite;
  std::vector<double> result;
  for (std::size_t label = 0; label < clusters.size(); ++label) {
    const double most = static_cast<double>(n_points[label]) * highest;
    result.push_back(defined ? value[at(clusters[label])] / most : 1);
  }
  return result;
}

}  // namespace warpgraph::hdbscan
