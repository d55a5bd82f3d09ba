#include "algorithms/hdbscan/membership.hpp"

#include "algorithms/hdbscan/choice/cluster_choice.hpp"
#include "core/containers/at.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warpgraph {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// The small number that hdbscan adds to lambdas, or divides by instead of 0; here it is a share of
/// them, so that memberships do not depend on the unit of length.
constexpr double tiny = 1e-8;
constexpr std::int64_t points_per_block = 64;

double capped(double lambda) noexcept { return std::min(lambda, max_lambda); }

/// The lambdas at which the selected clusters merge with a given cluster.
class MergeLambdas {
 public:
  MergeLambdas(const CondensedTreeView& tree, std::span<const vertex_t> selected)
      : tree_(tree),
        child_(first_children(tree)),
        begin_(tree.parent.size(), 0),
        count_(tree.parent.size(), 0),
        is_selected_(tree.parent.size(), 0),
        label_at_(selected.size()) {
    for (const vertex_t c : selected) is_selected_[at(c)] = 1;
    for (std::size_t c = count_.size(); c-- > 0;) {
      count_[c] += is_selected_[c];
      if (c > 0) count_[at(tree.parent[c])] += count_[c];
    }
    for (std::size_t c = 0; c < begin_.size(); ++c) {
      std::size_t next = begin_[c] + is_selected_[c];
      for_each_sibling(tree, child_[c], [&](vertex_t child) {
        begin_[at(child)] = next;
        next += count_[at(child)];
      });
    }
    for (std::size_t label = 0; label < selected.size(); ++label) {
      label_at_[begin_[at(selected[label])]] = label;
    }
  }

  /// Fills in lambdas by label; `of_point` for clusters that contain `cluster` or are in it.
  void fill(vertex_t cluster, double of_point, std::span<double> lambdas) const {
    std::size_t c = at(cluster);
    for (std::size_t i = 0; i < count_[c]; ++i) lambdas[label_at_[begin_[c] + i]] = of_point;
    while (c > 0 && count_[c] < label_at_.size()) {
      const std::size_t parent = at(tree_.parent[c]);
      if (is_selected_[parent]) lambdas[label_at_[begin_[parent]]] = of_point;
      for_each_sibling(tree_, child_[parent], [&](vertex_t sibling) {
        if (at(sibling) == c) return;
        for (std::size_t i = 0; i < count_[at(sibling)]; ++i) {
          lambdas[label_at_[begin_[at(sibling)] + i]] = capped(tree_.birth[c]);
        }
      });
      c = parent;
    }
  }

 private:
  const CondensedTreeView& tree_;
  std::vector<vertex_t> child_;
  // The selected clusters in depth-first order: those below a cluster are consecutive.
  std::vector<std::size_t> begin_, count_;
  std::vector<char> is_selected_;
  std::vector<std::size_t> label_at_;
};

/// Fills in 1 / the distance to each label's nearest exemplar, scaled to sum to 1.
template <class T>
void fill_nearness(const T* point, const ExemplarsView<T>& exemplars, std::span<double> nearness) {
  const std::int64_t d = exemplars.points.dimension;
  double least = infinite;
  for (std::size_t label = 0; label < nearness.size(); ++label) {
    double square = infinite;
    for (std::int64_t e = exemplars.begin[label]; e < exemplars.begin[label + 1]; ++e) {
      const T* const x = exemplars.points.row(e);
      double sum = 0;
      for (std::int64_t k = 0; k < d; ++k) {
        const double apart = double{x[k]} - double{point[k]};
        sum += apart * apart;
      }
      square = std::min(square, sum);
    }
    nearness[label] = std::sqrt(square);
    least = std::min(least, nearness[label]);
  }
  double total = 0;  // at least 1: the nearest cluster has 1
  for (double& near : nearness) {
    near = near == least ? 1 : least / near;
    total += near;
  }
  for (double& near : nearness) near /= total;
}

/// Scales values to sum to `total`; zeros stay.
void scale(std::span<double> values, double total) {
  double sum = 0;
  for (const double value : values) sum += value;
  if (!(sum > 0)) return;
  for (double& value : values) value *= total / sum;
}

/// The largest merge lambda, and the largest lambda in a cluster that has it.
struct Nearest {
  double merge = 0;
  double within = 0;
};
Nearest nearest_cluster(const CondensedTreeView& tree, std::span<const vertex_t> selected,
                        std::span<const double> lambdas) {
  Nearest nearest;
  for (std::size_t label = 0; label < selected.size(); ++label) {
    const double within = capped(tree.death[at(selected[label])]);
    if (lambdas[label] < nearest.merge) continue;
    nearest.within = lambdas[label] > nearest.merge ? within : std::max(nearest.within, within);
    nearest.merge = lambdas[label];
  }
  return nearest;
}

/// Replaces lambdas by the values that hdbscan calls outlier memberships, scaled to sum to 1.
void outlier_scores_in_tree(double highest, std::span<double> lambdas) {
  for (double& value : lambdas) {
    value = value > 0 ? std::exp(std::exp(-highest * (1 + tiny) / value)) : 1;
  }
  scale(lambdas, 1);
}

void outlier_scores_of_new(double highest, std::span<double> lambdas) {
  double most = 0;
  for (double& value : lambdas) {
    const double below = highest - value;
    value = below > 0 ? highest / below : 1 / tiny;
    most = std::max(most, value);
  }
  for (double& value : lambdas) value = std::exp(value - most);
  scale(lambdas, 1);
}

}  // namespace

NewPlaces place_new_points(const NewNeighbours& found) {
  const std::int64_t n = std::ssize(found.new_core);
  NewPlaces places{HostVector<vertex_t>(at(n)), HostVector<double>(at(n))};
  parallel_for(n, [&](std::int64_t q) {
    const std::int64_t first = q * found.per_point;
    double least = infinite;
    std::int64_t nearest = found.neighbours[at(first)];
    const bool is_copy = found.distances[at(first)] == 0;
    const double own = is_copy ? found.core[at(nearest)] : found.new_core[at(q)];
    for (std::int64_t i = first; i < first + found.per_point; ++i) {
      const std::int64_t neighbour = found.neighbours[at(i)];
      const double reach = std::max({found.distances[at(i)], own, found.core[at(neighbour)]});
      if (reach < least) {
        least = reach;
        nearest = neighbour;
      }
    }
    places.neighbour[at(q)] = static_cast<vertex_t>(nearest);
    places.lambda[at(q)] = least > 0 ? 1 / least : infinite;
  });
  return places;
}

void predict(const CondensedTreeView& tree, std::span<const vertex_t> selected, double epsilon,
             const NewPlaces& places, std::span<vertex_t> labels, std::span<double> probabilities) {
  const std::vector<vertex_t> label_of = labels_of_clusters(tree, selected);
  const double least_of_root = hdbscan::least_lambda_of_root(tree, std::ssize(selected), epsilon);
  parallel_for(std::ssize(labels), [&](std::int64_t q) {
    const auto neighbour = at(places.neighbour[at(q)]);
    const double lambda = places.lambda[at(q)];
    auto cluster = at(tree.point_cluster[neighbour]);
    if (tree.point_lambda[neighbour] > lambda) {
      while (cluster > 0 && tree.birth[cluster] >= lambda) cluster = at(tree.parent[cluster]);
    }
    vertex_t label = label_of[cluster];
    if (label != no_vertex && selected[at(label)] == 0) {
      // The point leaves the root with its neighbour, or before.
      const double leaves = std::min(lambda, tree.point_lambda[neighbour]);
      if (!(leaves >= least_of_root)) label = no_vertex;
    }
    labels[at(q)] = label;
    probabilities[at(q)] = 0;
    if (label == no_vertex) return;
    const double most = tree.death[at(selected[at(label)])];
    const bool certain = !(most > 0) || lambda == infinite;
    probabilities[at(q)] = certain ? 1 : std::min(lambda, most) / most;
  });
}

void new_outlier_scores(const CondensedTreeView& tree, const NewPlaces& places,
                        std::span<double> scores) {
  const std::vector<double> highest = highest_lambdas(tree);
  parallel_for(std::ssize(scores), [&](std::int64_t q) {
    const double most = highest[at(tree.point_cluster[at(places.neighbour[at(q)])])];
    scores[at(q)] = outlier_score(most, std::min(places.lambda[at(q)], most));
  });
}

template <class T>
void all_memberships(const CondensedTreeView& tree, std::span<const vertex_t> selected,
                     PointsView<T> points, const ExemplarsView<T>& exemplars,
                     std::span<double> memberships) {
  const MergeLambdas merges(tree, selected);
  const std::size_t n_labels = selected.size();
  parallel_blocks(points.n_points, points_per_block,
                  [&](int, std::int64_t first, std::int64_t last) {
                    std::vector<double> scores(n_labels);
                    for (std::int64_t p = first; p < last; ++p) {
                      const std::span<double> row = memberships.subspan(at(p) * n_labels, n_labels);
                      const vertex_t cluster = tree.point_cluster[at(p)];
                      const double lambda = capped(tree.point_lambda[at(p)]);
                      merges.fill(cluster, lambda, scores);
                      const Nearest nearest = nearest_cluster(tree, selected, scores);
                      outlier_scores_in_tree(capped(tree.death[at(cluster)]), scores);
                      fill_nearness(points.row(p), exemplars, row);
                      for (std::size_t label = 0; label < n_labels; ++label)
                        row[label] *= scores[label];
                      const double highest = std::max(nearest.within, lambda);
                      scale(row, highest > 0 ? nearest.merge / highest : 0);
                    }
                  });
}

template <class T>
void new_memberships(const CondensedTreeView& tree, std::span<const vertex_t> selected,
                     const NewPlaces& places, PointsView<T> points,
                     const ExemplarsView<T>& exemplars, std::span<double> memberships) {
  const MergeLambdas merges(tree, selected);
  const std::size_t n_labels = selected.size();
  parallel_blocks(points.n_points, points_per_block,
                  [&](int, std::int64_t first, std::int64_t last) {
                    std::vector<double> scores(n_labels);
                    for (std::int64_t q = first; q < last; ++q) {
                      const std::span<double> row = memberships.subspan(at(q) * n_labels, n_labels);
                      const auto neighbour = at(places.neighbour[at(q)]);
                      const vertex_t cluster = tree.point_cluster[neighbour];
                      const double lambda =
                          capped(std::min(places.lambda[at(q)], tree.point_lambda[neighbour]));
                      merges.fill(cluster, lambda, scores);
                      const Nearest nearest = nearest_cluster(tree, selected, scores);
                      outlier_scores_of_new(capped(tree.death[at(cluster)]), scores);
                      fill_nearness(points.row(q), exemplars, row);
                      for (std::size_t label = 0; label < n_labels; ++label) {
                        row[label] = std::sqrt(row[label]) * scores[label] * scores[label];
                      }
                      const double highest = std::max(nearest.within, lambda);
                      scale(row, highest > 0 ? nearest.merge / (highest * (1 + tiny)) : 0);
                    }
                  });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(all_memberships)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(new_memberships)

}  // namespace warpgraph
