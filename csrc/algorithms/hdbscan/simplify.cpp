#include "algorithms/hdbscan/condensed_tree.hpp"
#include "core/containers/at.hpp"
#include "core/interrupt.hpp"
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
  for (std::size_t second = n - 1; second >= 2; second -= 2) {
    const std::size_t first = second - 1;
    const vertex_t parent = tree.parent[first];
    const double split = tree.birth[first];
    double& above = highest[at(parent)];
    above = std::max({above, highest[first], highest[second]});
    if (std::min(highest[first], highest[second]) - split >= persistence) continue;
    const bool second_is_strong = highest[first] <= highest[second];
    if (is_leaf[second_is_strong ? second : first]) {
      is_leaf[at(parent)] = 1;
    } else {
      merges.lowered[second_is_strong ? first : second] = split;
    }
    merges.into[first] = merges.into[second] = parent;
  }
  for (vertex_t& target : merges.into) target = merges.into[at(target)];  // parents come first
  return merges;
}

void sum_stabilities(CondensedTree& tree) {
  const std::size_t n = tree.parent.size();
  tree.death = tree.birth;
  tree.stability.assign(n, 0);
  const auto leave = [&](vertex_t cluster, double lambda, double n_leaving) {
    const auto c = at(cluster);
    tree.stability[c] += n_leaving * (lambda - tree.birth[c]);
    tree.death[c] = std::max(tree.death[c], lambda);
  };
  for (std::size_t c = 1; c < n; ++c) leave(tree.parent[c], tree.birth[c], tree.size[c]);
  for (std::size_t p = 0; p < tree.point_cluster.size(); ++p) {
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
  return simpler;
}

}  // namespace warpgraph
