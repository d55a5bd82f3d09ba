#include "algorithms/hdbscan/selection.hpp"

#include "algorithms/hdbscan/choice/cluster_choice.hpp"
#include "algorithms/hdbscan/choice/point_labels.hpp"
#include "core/containers/at.hpp"
#include "core/threads/parallel.hpp"

namespace warpgraph {
namespace {

using namespace hdbscan;

ClusterChoice choose(const CondensedTreeView& tree, const SelectionOptions& options) {
  const bool reads_start = options.epsilon_max < std::numeric_limits<double>::infinity();
  return choose_clusters(tree, options, reads_start ? least_lambda(tree) : 0);
}

/// Fills labels and probabilities. Returns the clusters of the labels.
std::vector<vertex_t> label_points(const CondensedTreeView& tree, std::span<const char> selected,
                                   double epsilon, std::span<vertex_t> labels,
                                   std::span<double> probabilities) {
  const std::vector<vertex_t> above = selected_above(tree, selected);
  std::vector<vertex_t> first(selected.size(), tree.n_points());
  const double* lambda = tree.point_lambda.data();
  const auto n_selected = std::count(selected.begin(), selected.end(), 1);
  parallel_for(tree.n_points(), AssignCluster{tree.point_cluster.data(), lambda, above.data(),
                                              least_lambda_of_root(tree, n_selected, epsilon),
                                              labels.data(), first.data()});
  LabelledClusters found = number_clusters(first, tree.n_points());
  parallel_for(tree.n_points(), NumberLabel{lambda, tree.death.data(), found.label_of.data(),
                                            labels.data(), probabilities.data()});
  return std::move(found.clusters);
}

/// Returns the number of points of each label. Each thread counts for itself where that pays.
std::vector<std::int64_t> count_points(std::span<const vertex_t> labels, std::size_t n_labels) {
  static_assert(no_vertex == -1);
  using Counts = std::vector<std::int64_t>;  // of noise, then of the labels: without a branch
  const CallThreads fixed(threads_of_loop());
  std::vector<Counts> counts(at(threads_of_loop()));
  const auto n = std::ssize(labels);
  const bool pays = (n_labels + 1) * counts.size() <= labels.size();
  parallel_blocks(n, pays ? light_grain : n, [&](int thread, std::int64_t begin, std::int64_t end) {
    Counts& own = counts[at(thread)];
    own.resize(n_labels + 1, 0);
    for (std::int64_t p = begin; p < end; ++p) ++own[at(labels[at(p)] + 1)];
  });
  Counts n_points(n_labels, 0);
  for (const Counts& own : counts) {
    for (std::size_t label = 0; label + 1 < own.size(); ++label) n_points[label] += own[label + 1];
  }
  return n_points;
}

}  // namespace

Selection select_clusters(const CondensedTreeView& tree, const SelectionOptions& options) {
  const ClusterChoice choice = choose(tree, options);
  Selection result;
  result.labels.resize(at(tree.n_points()));
  result.probabilities.resize(at(tree.n_points()));
  result.clusters =
      label_points(tree, choice.selected, options.epsilon, result.labels, result.probabilities);
  result.persistence = persistences(tree, result.clusters, choice.value,
                                    count_points(result.labels, result.clusters.size()));
  return result;
}

std::vector<vertex_t> sweep_sizes(std::span<const double> linkage,
                                  std::span<const vertex_t> min_cluster_sizes, double persistence,
                                  const SelectionOptions& options, std::span<vertex_t> labels,
                                  std::span<double> probabilities) {
  const std::size_t n = linkage.size() / 4 + 1;
  const std::int64_t n_sizes = std::ssize(min_cluster_sizes);
  std::vector<vertex_t> n_clusters(min_cluster_sizes.size());
  const HostVector<vertex_t> above = rows_above(linkage);
  parallel_tasks(n_sizes, num_threads(), n_sizes, [&](const TaskContext& context, std::int64_t i) {
    if (!context.keep_on()) return;
    const CondensedTree tree =
        simplify(condense(linkage, above, min_cluster_sizes[at(i)]), persistence);
    const auto row = at(i) * n;
    const auto clusters =
        label_points(tree.view(), choose(tree.view(), options).selected, options.epsilon,
                     labels.subspan(row, n), probabilities.subspan(row, n));
    n_clusters[at(i)] = static_cast<vertex_t>(clusters.size());
    context.finish(1);
  });
  return n_clusters;
}

}  // namespace warpgraph
