// Steiner trees, arborescences and bottleneck paths, by several threads.
#include "algorithms/bottleneck_paths/bottleneck_paths.hpp"
#include "algorithms/minimum_arborescence/minimum_arborescence.hpp"
#include "algorithms/mst/mst.hpp"
#include "algorithms/steiner_tree/steiner_tree.hpp"
#include "core/containers/at.hpp"
#include "graph/symmetry/symmetry.hpp"
#include "support.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace warpgraph {
namespace {

/// A cycle through all vertices, and `chords` random arcs from each.
template <class W>
Csr<W> cycle_with_chords(vertex_t n, vertex_t chords) {
  const CounterRandom random(7, 0);
  test::Arcs<W> arcs;
  std::uint64_t next = 0;
  for (vertex_t u = 0; u < n; ++u) {
    arcs.emplace_back(u, (u + 1) % n, static_cast<W>(random.below(next++, 50)));
    for (vertex_t i = 0; i < chords; ++i) {
      const auto v = static_cast<vertex_t>(random.below(next++, at(n)));
      arcs.emplace_back(u, v, static_cast<W>(random.below(next++, 20)));
    }
  }
  return test::graph_of<W>(n, arcs);
}

TEST(SteinerTree, IsTheSameForAnyNumberOfThreads) {
  constexpr vertex_t n = 20'000;
  const auto graph = cycle_with_chords<std::int64_t>(n, 3);
  const auto undirected = symmetrise(graph.view());
  std::vector<vertex_t> terminals;
  for (vertex_t v = 5; v < n; v += 31) terminals.push_back(v);
  std::vector<SteinerTree> found;
  for (const int threads : {1, 2, 8}) {
    const test::ScopedThreads some(threads);
    for (const bool by_buckets : {true, false}) {
      found.push_back(steiner_tree_cpu<std::int64_t>(graph.view(), undirected.view(), terminals,
                                                     {.delta_stepping = by_buckets}));
    }
  }
  EXPECT_EQ(found[0].apart, no_vertex);
  EXPECT_GE(found[0].positions.size(), terminals.size() - 1);
  for (const SteinerTree& tree : found) EXPECT_EQ(tree.positions, found[0].positions);
}

TEST(SteinerTree, NamesATerminalThatIsApart) {
  const auto graph = test::graph_of<float>(4, {{0, 1, 1.0F}, {2, 3, 1.0F}});
  const auto undirected = symmetrise(graph.view());
  const std::vector<vertex_t> terminals{0, 1, 2, 3};
  const SteinerTree tree = steiner_tree_cpu<float>(graph.view(), undirected.view(), terminals, {});
  EXPECT_EQ(tree.apart, 2);
}

template <class W>
W weight_of(const Csr<W>& graph, const Arborescence& tree) {
  return std::accumulate(tree.positions.begin(), tree.positions.end(), W{0},
                         [&](W sum, edge_t e) { return sum + graph.weights[at(e)]; });
}

TEST(MinimumArborescence, OfAnyRootIsTheLightestOfAllRoots) {
  constexpr vertex_t n = 150;
  const auto graph = cycle_with_chords<std::int32_t>(n, 2);
  const Arborescence any = minimum_arborescence_cpu<std::int32_t>(graph.view(), {});
  const std::int32_t lightest = weight_of(graph, any);
  for (vertex_t root = 0; root < n; ++root) {
    const Arborescence tree = minimum_arborescence_cpu<std::int32_t>(graph.view(), {.root = root});
    ASSERT_EQ(tree.unreached, no_vertex);
    EXPECT_EQ(tree.root, root);
    EXPECT_EQ(tree.positions.size(), at(n - 1));
    for (vertex_t v = 0; v < n; ++v) {  // predecessors lead to the root
      vertex_t u = v;
      for (vertex_t steps = 0; u != root && steps < n; ++steps) u = tree.predecessors[at(u)];
      EXPECT_EQ(u, root);
    }
    EXPECT_GE(weight_of(graph, tree), lightest);
    EXPECT_TRUE(root >= any.root || weight_of(graph, tree) > lightest);
    EXPECT_TRUE(root != any.root || tree.positions == any.positions);
  }
}

TEST(MinimumArborescence, NamesAVertexThatIsNotReached) {
  const auto graph = test::graph_of<double>(3, {{0, 1, 1.0}, {2, 1, 1.0}});
  EXPECT_EQ(minimum_arborescence_cpu<double>(graph.view(), {.root = 1}).unreached, 0);
  const Arborescence none = minimum_arborescence_cpu<double>(graph.view(), {});
  EXPECT_EQ(none.root, 0);
  EXPECT_EQ(none.unreached, 2);
}

TEST(BottleneckPaths, AreWhereKruskalsAlgorithmJoinsThePairs) {
  constexpr vertex_t n = 300;
  const auto graph = test::random_graph<float>(n, 330, 3);
  const auto forest = mst_reference(graph.view(), {});
  std::vector<vertex_t> sources(at(n * n)), targets(at(n * n)), sets(at(n));
  std::vector<edge_t> expected(at(n * n), no_path_between), found(at(n * n));
  for (vertex_t i = 0; i < n * n; ++i) {
    sources[at(i)] = i / n;
    targets[at(i)] = i % n;
    if (i / n == i % n) expected[at(i)] = no_edge_between;
  }
  std::iota(sets.begin(), sets.end(), 0);
  for (std::size_t e = 0; e < forest.weights.size(); ++e) {
    const vertex_t old = sets[at(forest.ends[2 * e])];
    std::replace(sets.begin(), sets.end(), old, sets[at(forest.ends[2 * e + 1])]);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const bool is_joined = sets[at(sources[i])] == sets[at(targets[i])];
      if (is_joined && expected[i] == no_path_between) expected[i] = static_cast<edge_t>(e);
    }
  }
  for (const int threads : {1, 2, 8}) {
    const test::ScopedThreads some(threads);
    bottleneck_edges_cpu<float>({n, forest.ends, forest.weights}, sources, targets, {}, found);
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace warpgraph
