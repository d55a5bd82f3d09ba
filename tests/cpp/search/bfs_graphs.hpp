// Graphs for tests of breadth-first search on devices.
#pragma once

#include "support.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace warpgraph::test {

using Ends = std::vector<std::pair<vertex_t, vertex_t>>;

inline Csr<float> graph_of(vertex_t n, const Ends& ends, bool both_ways) {
  Arcs<float> arcs;
  for (const auto& [tail, head] : ends) {
    arcs.emplace_back(tail, head, 1.0f);
    if (both_ways) arcs.emplace_back(head, tail, 1.0f);
  }
  std::stable_sort(arcs.begin(), arcs.end(),
                   [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
  return test::graph_of(n, arcs);
}

/// Vertices n / 2 .. n have no arc.
inline Ends power_law(vertex_t n, std::size_t m) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform;
  const auto draw = [&] { return static_cast<vertex_t>(n / 2 * std::pow(uniform(random), 3)); };
  Ends arcs(m);
  for (auto& arc : arcs) arc = {draw(), draw()};
  return arcs;
}

/// A dense core, one of whose vertices has the last arc of a hub with thousands of leaves; behind
/// leaf 5 a path of 30 vertices, the last ones.
inline Ends late_hub(vertex_t n_leaves, vertex_t n_core) {
  std::mt19937 random(4);
  std::uniform_int_distribution<vertex_t> in_core(n_leaves + 1, n_leaves + n_core);
  Ends arcs;
  for (vertex_t leaf = 0; leaf < n_leaves; ++leaf) arcs.emplace_back(leaf, n_leaves);
  for (vertex_t i = 0; i < 40 * n_core; ++i) arcs.emplace_back(in_core(random), in_core(random));
  const vertex_t path = n_leaves + n_core;
  arcs.emplace_back(path, n_leaves);
  arcs.emplace_back(5, path + 1);
  for (vertex_t i = 1; i < 30; ++i) arcs.emplace_back(path + i, path + i + 1);
  return arcs;
}

inline Ends chain_of_cliques(vertex_t n_cliques, vertex_t size) {
  Ends arcs;
  for (vertex_t first = 0; first < n_cliques * size; first += size) {
    for (vertex_t u = 0; u < size; ++u) {
      for (vertex_t v = 0; v < u; ++v) arcs.emplace_back(first + u, first + v);
    }
    if (first != 0) arcs.emplace_back(first - 1, first);
  }
  return arcs;
}

inline Ends path(vertex_t n) {
  Ends arcs;
  for (vertex_t v = 0; v + 1 < n; ++v) arcs.emplace_back(v, v + 1);
  return arcs;
}

}  // namespace warpgraph::test
