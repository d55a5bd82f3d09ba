#include "algorithms/hdbscan/condense/numbering.hpp"

#include "core/containers/at.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace warpgraph::hdbscan {
namespace {

/// Returns the items in the order of `cluster_at`.
template <class T>
std::vector<T> in_order(const std::vector<T>& items, const std::vector<vertex_t>& cluster_at) {
  std::vector<T> ordered;
  ordered.reserve(items.size());
  for (const vertex_t cluster : cluster_at) ordered.push_back(items[at(cluster)]);
  return ordered;
}

}  // namespace

std::vector<vertex_t> number_by_birth(CondensedTree& tree, std::vector<vertex_t>&& first) {
  const std::size_t n = tree.parent.size();
  for (std::size_t c = n; c-- > 1;) {
    vertex_t& above = first[at(tree.parent[c])];
    above = std::min(above, first[c]);
  }
  // Two heights may have one lambda: generations that are born at the same lambda.
  std::vector<vertex_t> generation(n, 0);
  for (std::size_t c = 1; c < n; ++c) {
    const auto parent = at(tree.parent[c]);
    if (tree.birth[c] == tree.birth[parent]) generation[c] = generation[parent] + 1;
  }
  const auto place = [&](vertex_t c) {
    return std::tuple(generation[at(c)], first[at(tree.parent[at(c)])], first[at(c)]);
  };
  const auto comes_first = [&](vertex_t a, vertex_t b) { return place(a) < place(b); };
  std::vector<vertex_t> cluster_at(n);
  std::iota(cluster_at.begin(), cluster_at.end(), 0);
  bool changes = false;
  for (std::size_t begin = 1, end = 1; begin < n; begin = end) {
    while (end < n && tree.birth[end] == tree.birth[begin]) ++end;
    const auto run = cluster_at.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto run_end = cluster_at.begin() + static_cast<std::ptrdiff_t>(end);
    if (std::is_sorted(run, run_end, comes_first)) continue;
    std::sort(run, run_end, comes_first);
    changes = true;
  }
  if (!changes) return {};
  std::vector<vertex_t> number(n);
  for (std::size_t c = 0; c < n; ++c) number[at(cluster_at[c])] = static_cast<vertex_t>(c);
  tree.parent = in_order(tree.parent, cluster_at);
  for (vertex_t& parent : tree.parent) {
    if (parent != no_vertex) parent = number[at(parent)];
  }
  tree.birth = in_order(tree.birth, cluster_at);
  tree.death = in_order(tree.death, cluster_at);
  tree.size = in_order(tree.size, cluster_at);
  tree.stability = in_order(tree.stability, cluster_at);
  return number;
}

void renumber_clusters(CondensedTree& tree) {
  const auto n_points = std::ssize(tree.point_cluster);
  std::vector<vertex_t> first(tree.parent.size(), static_cast<vertex_t>(n_points));
  vertex_t* const cluster = tree.point_cluster.data();
  parallel_for(n_points, LowerFirst{cluster, first.data()}, light_grain);
  const std::vector<vertex_t> number = number_by_birth(tree, std::move(first));
  if (number.empty()) return;
  const auto renumber = [&](std::int64_t p) { cluster[p] = number[at(cluster[p])]; };
  parallel_for(n_points, renumber, light_grain);
}

}  // namespace warpgraph::hdbscan
