#include "algorithms/hdbscan/selection.hpp"
#include "core/containers/at.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>

namespace warpgraph {

std::vector<vertex_t> labels_of_clusters(const CondensedTreeView& tree,
                                         std::span<const vertex_t> selected) {
  std::vector<vertex_t> label(tree.parent.size(), no_vertex);
  for (std::size_t k = 0; k < selected.size(); ++k) {
    label[at(selected[k])] = static_cast<vertex_t>(k);
  }
  for (std::size_t c = 1; c < label.size(); ++c) {
    if (label[c] == no_vertex) label[c] = label[at(tree.parent[c])];
  }
  return label;
}

std::vector<double> highest_lambdas(const CondensedTreeView& tree) {
  std::vector<double> highest(tree.death.begin(), tree.death.end());
  for (std::size_t c = highest.size(); c-- > 1;) {
    double& above = highest[at(tree.parent[c])];
    above = std::max(above, highest[c]);
  }
  return highest;
}

double outlier_score(double highest, double lambda) noexcept {
  constexpr double unbounded = std::numeric_limits<double>::infinity();
  if (!(highest > 0) || lambda == unbounded) return 0;
  return highest == unbounded ? 1 : (highest - lambda) / highest;
}

void outlier_scores(const CondensedTreeView& tree, std::span<double> scores) {
  const std::vector<double> highest = highest_lambdas(tree);
  parallel_for(tree.n_points(), [&](std::int64_t p) {
    scores[at(p)] = outlier_score(highest[at(tree.point_cluster[at(p)])], tree.point_lambda[at(p)]);
  });
}

Exemplars exemplars(const CondensedTreeView& tree, std::span<const vertex_t> selected) {
  const std::vector<vertex_t> label = labels_of_clusters(tree, selected);
  const std::vector<vertex_t> child = first_children(tree);
  std::vector<std::int64_t> end(selected.size() + 1, 0);
  const auto label_if_exemplar = [&](vertex_t point) {
    const auto c = at(tree.point_cluster[at(point)]);
    const double lambda = tree.point_lambda[at(point)];
    return child[c] == no_vertex && lambda > 0 && lambda == tree.death[c] ? label[c] : no_vertex;
  };
  for (vertex_t p = 0; p < tree.n_points(); ++p) {
    const vertex_t of = label_if_exemplar(p);
    if (of != no_vertex) ++end[at(of) + 1];
  }
  for (std::size_t k = 1; k < end.size(); ++k) end[k] += end[k - 1];
  Exemplars result{std::vector<vertex_t>(at(end.back())), end};
  for (vertex_t p = 0; p < tree.n_points(); ++p) {
    const vertex_t of = label_if_exemplar(p);
    if (of != no_vertex) result.points[at(end[at(of)]++)] = p;
  }
  return result;
}

}  // namespace warpgraph
