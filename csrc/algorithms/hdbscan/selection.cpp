#include "algorithms/hdbscan/selection.hpp"

#include "core/atomics.hpp"
#include "core/containers/at.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>

namespace warpgraph {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

class Selector {
 public:
  Selector(const CondensedTreeView& tree, const SelectionOptions& options)
      : tree_(tree),
        options_(options),
        n_(tree.parent.size()),
        first_child_(first_children(tree)),
        value_(tree.stability.begin(), tree.stability.end()),
        selected_(n_, 0) {}

  /// Of each cluster whether it is selected.
  std::vector<char> run() {
    if (options_.method == SelectionMethod::eom) {
      select_by_mass();
    } else {
      for (std::size_t c = 1; c < n_; ++c) selected_[c] = first_child_[c] == no_vertex;
    }
    if (options_.epsilon != 0 && n_ > 1 && !selected_[0]) climb_to_epsilon();
    return std::move(selected_);
  }
  /// The stabilities; those of clusters that were passed over are the sums below them.
  [[nodiscard]] const std::vector<double>& values() const noexcept { return value_; }

 private:
  [[nodiscard]] double distance_at_birth(std::size_t c) const noexcept {
    return 1 / tree_.birth[c];
  }

  /// The root, which was never born, starts where something leaves it first.
  [[nodiscard]] double distance_at_start(std::size_t c) const noexcept {
    if (c > 0) return distance_at_birth(c);
    double least = infinite;
    for (const double lambda : tree_.point_lambda) least = std::min(least, lambda);
    for (const double lambda : tree_.birth.subspan(1)) least = std::min(least, lambda);
    return 1 / least;
  }

  [[nodiscard]] bool may_be_selected(std::size_t c) const noexcept {
    double size = tree_.size[c];
    if (c == 0) {  // as hdbscan counts the root's points: those of its children
      const auto child = first_child_[0];
      size =
          child == no_vertex ? 0.0 : double{0} + tree_.size[at(child)] + tree_.size[at(child) + 1];
    }
    if (options_.max_cluster_size > 0 && size > options_.max_cluster_size) return false;
    return options_.epsilon_max == infinite || !(distance_at_start(c) > options_.epsilon_max);
  }

  void select_by_mass() {
    const std::size_t least = options_.allow_single_cluster ? 0 : 1;
    for (std::size_t c = n_; c-- > least;) {
      const auto child = first_child_[c];
      const double below = child == no_vertex ? 0 : value_[at(child)] + value_[at(child) + 1];
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
  std::size_t n_;
  std::vector<vertex_t> first_child_;
  std::vector<double> value_;
  std::vector<char> selected_;
};

/// Of each cluster the selected one that it is or is below, or no_vertex.
std::vector<vertex_t> selected_above(const CondensedTreeView& tree,
                                     const std::vector<char>& selected) {
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

/// The smallest lambda with which a point whose selected cluster is the root is in it.
double least_lambda_of_root(const CondensedTreeView& tree, const std::vector<char>& selected,
                            double epsilon) {
  if (std::count(selected.begin(), selected.end(), 1) > 1) {
    return infinite;
  }
  return epsilon != 0 ? 1 / epsilon : tree.death[0];
}

/// Fills `labels` with clusters of the tree; then, of each cluster, `first` is its first point.
void assign(const CondensedTreeView& tree, const std::vector<vertex_t>& above, double least_of_root,
            std::span<vertex_t> labels, std::vector<vertex_t>& first) {
  parallel_for(tree.n_points(), [&](std::int64_t p) {
    const double lambda = tree.point_lambda[at(p)];
    vertex_t cluster = above[at(tree.point_cluster[at(p)])];
    if (!(lambda > 0) || (cluster == 0 && !(lambda >= least_of_root))) cluster = no_vertex;
    labels[at(p)] = cluster;
    if (cluster != no_vertex) lower(first[at(cluster)], static_cast<vertex_t>(p));
  });
}

double probability(double lambda, double death) noexcept {
  if (!(death > 0) || lambda == infinite) return 1;
  return std::min(lambda, death) / death;
}

/// Replaces clusters by their labels, and fills the probabilities.
void number_labels(const CondensedTreeView& tree, const std::vector<vertex_t>& label_of,
                   std::span<vertex_t> labels, std::span<double> probabilities) {
  parallel_for(tree.n_points(), [&](std::int64_t p) {
    vertex_t& label = labels[at(p)];
    double& chance = probabilities[at(p)];
    chance = 0;
    if (label == no_vertex) return;
    chance = probability(tree.point_lambda[at(p)], tree.death[at(label)]);
    label = label_of[at(label)];
  });
}

std::vector<double> persistences(const CondensedTreeView& tree,
                                 const std::vector<vertex_t>& clusters,
                                 const std::vector<double>& value,
                                 std::span<const vertex_t> labels) {
  std::vector<std::int64_t> n_points(clusters.size(), 0);
  for (const vertex_t label : labels) {
    if (label != no_vertex) ++n_points[at(label)];
  }
  const double highest = *std::max_element(tree.death.begin(), tree.death.end());
  std::vector<double> result;
  for (std::size_t label = 0; label < clusters.size(); ++label) {
    const bool defined = highest > 0 && highest < infinite;
    const double most = static_cast<double>(n_points[label]) * highest;
    result.push_back(defined ? value[at(clusters[label])] / most : 1);
  }
  return result;
}

/// Fills labels and probabilities. Returns the clusters of the labels.
std::vector<vertex_t> label_points(const CondensedTreeView& tree, const std::vector<char>& selected,
                                   double epsilon, std::span<vertex_t> labels,
                                   std::span<double> probabilities) {
  std::vector<vertex_t> first(selected.size(), tree.n_points());
  assign(tree, selected_above(tree, selected), least_lambda_of_root(tree, selected, epsilon),
         labels, first);
  std::vector<vertex_t> clusters;
  for (std::size_t c = 0; c < first.size(); ++c) {
    if (first[c] < tree.n_points()) clusters.push_back(static_cast<vertex_t>(c));
  }
  std::sort(clusters.begin(), clusters.end(),
            [&](vertex_t a, vertex_t b) { return first[at(a)] < first[at(b)]; });
  std::vector<vertex_t> label_of(selected.size(), no_vertex);
  for (std::size_t label = 0; label < clusters.size(); ++label) {
    label_of[at(clusters[label])] = static_cast<vertex_t>(label);
  }
  number_labels(tree, label_of, labels, probabilities);
  return clusters;
}

}  // namespace

Selection select_clusters(const CondensedTreeView& tree, const SelectionOptions& options) {
  Selector selector(tree, options);
  const std::vector<char> selected = selector.run();
  Selection result;
  result.labels.resize(at(tree.n_points()));
  result.probabilities.resize(at(tree.n_points()));
  result.clusters =
      label_points(tree, selected, options.epsilon, result.labels, result.probabilities);
  result.persistence = persistences(tree, result.clusters, selector.values(), result.labels);
  return result;
}

std::vector<vertex_t> sweep_sizes(std::span<const double> linkage,
                                  std::span<const vertex_t> min_cluster_sizes, double persistence,
                                  const SelectionOptions& options, std::span<vertex_t> labels,
                                  std::span<double> probabilities) {
  const std::size_t n = linkage.size() / 4 + 1;
  const std::int64_t n_sizes = std::ssize(min_cluster_sizes);
  std::vector<vertex_t> n_clusters(min_cluster_sizes.size());
  parallel_tasks(n_sizes, num_threads(), n_sizes, [&](const Worker& worker, std::int64_t i) {
    if (!worker.keep_on()) return;
    const CondensedTree tree = simplify(condense(linkage, min_cluster_sizes[at(i)]), persistence);
    const auto row = at(i) * n;
    const auto clusters =
        label_points(tree.view(), Selector(tree.view(), options).run(), options.epsilon,
                     labels.subspan(row, n), probabilities.subspan(row, n));
    n_clusters[at(i)] = static_cast<vertex_t>(clusters.size());
    worker.finish(1);
  });
  return n_clusters;
}

}  // namespace warpgraph
