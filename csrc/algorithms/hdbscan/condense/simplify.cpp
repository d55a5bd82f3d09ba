#include "algorithms/hdbscan/condense/numbering.hpp"
#include "algorithms/hdbscan/condensed_tree.hpp"
#include "core/containers/at.hpp"
#include "core/containers/radix_sort.hpp"
#include "core/interrupt.hpp"
#include "core/order_key.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace warpgraph {
namespace {

constexpr double keeps = -1;

/// The clusters into which others are merged, and the lambda that the points of some get.
struct Merges {
  std::vector<vertex_t> into;   // of each cluster: itself if it stays
  std::vector<double> lowered;  // of each cluster: the lambda of its own points, or `keeps`
};

Merges merge_fleeting(const CondensedTree& tree, double persistence) {
  const std::size_t n = tree.parent.size();
  Merges merges{std::vector<vertex_t>(n), std::vector<double>(n, keeps)};
  std::iota(merges.into.begin(), merges.into.end(), 0);
  std::vector<double> highest = tree.death;
  std::vector<char> is_leaf(n, 1);
  for (std::size_t c = 1; c < n; ++c) is_leaf[at(tree.parent[c])] = 0;
  const auto lasts = [&](std::size_t c) { return !(highest[c] - tree.birth[c] < persistence); };
  for (std::size_t end = n, first = n; end > 1; end = first) {
    const vertex_t parent = tree.parent[end - 1];
    std::size_t n_lasting = 0;
    std::size_t lasting = end;
    while (first > 1 && tree.parent[first - 1] == parent) {
      --first;
      highest[at(parent)] = std::max(highest[at(parent)], highest[first]);
      if (!lasts(first)) continue;
      ++n_lasting;
      lasting = first;
    }
    if (n_lasting == 0 || (n_lasting == 1 && is_leaf[lasting])) is_leaf[at(parent)] = 1;
    for (std::size_t c = first; c < end; ++c) {
      if (n_lasting > 1 && lasts(c)) continue;
      merges.into[c] = parent;
      if (!is_leaf[at(parent)] && !lasts(c)) merges.lowered[c] = tree.birth[c];
    }
  }
  for (vertex_t& target : merges.into) target = merges.into[at(target)];  // parents come first
  return merges;
}

/// Sums stabilities without the order of the points: those that leave a cluster by their lambdas,
/// after the child clusters, which all leave at one.
void sum_stabilities(CondensedTree& tree) {
  const std::size_t n = tree.parent.size();
  tree.death = tree.birth;
  tree.stability.assign(n, 0);
  std::vector<double> n_in_children(n, 0);
  for (std::size_t c = 1; c < n; ++c) n_in_children[at(tree.parent[c])] += tree.size[c];
  const auto leave = [&](vertex_t cluster, double lambda, double n_leaving) {
    const auto c = at(cluster);
    tree.stability[c] += n_leaving * (lambda - tree.birth[c]);
    tree.death[c] = std::max(tree.death[c], lambda);
  };
  for (std::size_t c = 1; c < n; ++c) {
    const vertex_t parent = tree.parent[c];
    if (tree.parent[c - 1] != parent) leave(parent, tree.birth[c], n_in_children[at(parent)]);
  }
  const auto by_lambda = sorted_by_key(std::ssize(tree.point_lambda), [&](std::int64_t p) {
    return order_key(tree.point_lambda[at(p)]);
  });
  for (std::int64_t i = 0; i < std::ssize(tree.point_lambda); ++i) {
    const std::size_t p = by_lambda[i].index;
    leave(tree.point_cluster[p], tree.point_lambda[p], 1);
  }
}

}  // namespace

CondensedTree simplify(CondensedTree&& tree, double persistence) {
  if (!(persistence > 0)) return std::move(tree);
  const Merges merges = merge_fleeting(tree, persistence);
  poll();
  std::vector<vertex_t> number(merges.into.size());
  CondensedTree simpler;
  for (std::size_t c = 0; c < number.size(); ++c) {
    number[c] = number[at(merges.into[c])];
    if (merges.into[c] != static_cast<vertex_t>(c)) continue;
    number[c] = static_cast<vertex_t>(simpler.parent.size());
    simpler.parent.push_back(c == 0 ? no_vertex : number[at(tree.parent[c])]);
    simpler.birth.push_back(tree.birth[c]);
    simpler.size.push_back(tree.size[c]);
  }
  simpler.point_cluster = std::move(tree.point_cluster);
  simpler.point_lambda = std::move(tree.point_lambda);
  parallel_for(std::ssize(simpler.point_cluster), [&](std::int64_t point) {
    vertex_t& cluster = simpler.point_cluster[at(point)];
    if (merges.lowered[at(cluster)] != keeps) {
      simpler.point_lambda[at(point)] = merges.lowered[at(cluster)];
    }
    cluster = number[at(cluster)];
  });
  sum_stabilities(simpler);
  hdbscan::renumber_clusters(simpler);  // the parents of some are others now
  return simpler;
}

}  // namespace warpgraph
