// Breadth-first search on a device against the sequential one: hubs, rows longer than a warp tries,
// both directions and the changes between them, arcs one way, high diameter.
#include "algorithms/bfs/bfs.hpp"
#include "graph/device_csr.hpp"
#include "on_device.hpp"
#include "support.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <utility>

namespace warpgraph::test {
namespace {

using Ends = std::vector<std::pair<vertex_t, vertex_t>>;

Csr<float> graph_of(vertex_t n, const Ends& ends, bool both_ways) {
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
Ends power_law(vertex_t n, std::size_t m) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform;
  const auto draw = [&] { return static_cast<vertex_t>(n / 2 * std::pow(uniform(random), 3)); };
  Ends arcs(m);
  for (auto& arc : arcs) arc = {draw(), draw()};
  return arcs;
}

/// A dense core, one of whose vertices has the last arc of a hub with thousands of leaves; behind
/// leaf 5 a path of 30 vertices, the last ones.
Ends late_hub(vertex_t n_leaves, vertex_t n_core) {
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

Ends chain_of_cliques(vertex_t n_cliques, vertex_t size) {
  Ends arcs;
  for (vertex_t first = 0; first < n_cliques * size; first += size) {
    for (vertex_t u = 0; u < size; ++u) {
      for (vertex_t v = 0; v < u; ++v) arcs.emplace_back(first + u, first + v);
    }
    if (first != 0) arcs.emplace_back(first - 1, first);
  }
  return arcs;
}

class BfsCuda : public OnDevice {
 protected:
  void expect_right(const Csr<float>& graph, const BfsOptions& options) const {
    const auto n = graph.offsets.size() - 1;
    std::vector<vertex_t> hops(n), tree(n), expected_hops(n), expected_tree(n);
    bfs_reference(graph.view(), options, expected_hops, expected_tree);
    const DevicePattern on_device(graph.view(), stream());
    bfs_cuda(on_device.view(), graph.view(), options, {hops, tree}, stream());
    EXPECT_EQ(hops, expected_hops);
    EXPECT_EQ(tree, expected_tree);
    const cuda::DeviceBuffer<vertex_t> resident(n, stream());
    bfs_cuda(on_device.view(), graph.view(), options, {{resident.data(), n}, {}, true}, stream());
    EXPECT_EQ(fetched(resident), expected_hops);
  }
};

TEST_F(BfsCuda, FromBothSides) {
  const Csr<float> graph = graph_of(6000, power_law(6000, 60'000), true);
  for (const vertex_t source : {0, 1500, 5999}) {
    for (const vertex_t limit : {infinity<vertex_t>(), 0, 2}) {
      expect_right(graph, {.source = source, .limit = limit, .symmetric = true});
    }
  }
}

TEST_F(BfsCuda, ArcsOneWay) {
  const Csr<float> graph = graph_of(6000, power_law(6000, 60'000), false);
  for (const vertex_t source : {0, 1500, 5999}) expect_right(graph, {.source = source});
}

TEST_F(BfsCuda, AHubThatIsReachedByItsLastArc) {
  const vertex_t n_leaves = 9000;
  const vertex_t n_core = 1500;
  const Csr<float> graph = graph_of(n_leaves + n_core + 31, late_hub(n_leaves, n_core), true);
  for (const vertex_t source : {n_leaves + n_core, n_leaves + n_core - 1, n_leaves, 17}) {
    expect_right(graph, {.source = source, .symmetric = true});
  }
}

TEST_F(BfsCuda, ManyLevelsOfManyArcs) {
  const Csr<float> graph = graph_of(50 * 12, chain_of_cliques(50, 12), true);
  expect_right(graph, {.source = 0, .symmetric = true});
  expect_right(graph, {.source = 300, .symmetric = true});
}

TEST_F(BfsCuda, APath) {
  Ends arcs;
  for (vertex_t v = 0; v < 1999; ++v) arcs.emplace_back(v, v + 1);
  expect_right(graph_of(2000, arcs, true), {.source = 700, .symmetric = true});
  expect_right(graph_of(2000, arcs, false), {.source = 700, .limit = 500});
  expect_right(graph_of(1, {}, true), {.source = 0, .symmetric = true});
}

}  // namespace
}  // namespace warpgraph::test
