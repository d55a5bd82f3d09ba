// Contraction of blocks of vertices, against Kruskal's algorithm on the whole graph.
#include "algorithms/mst/filter_boruvka/block_contraction.hpp"
#include "algorithms/mst/mst.hpp"
#include "graph/generate/random.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

namespace warpgraph::mst {
namespace {

/// A symmetric graph whose neighbours mostly have close numbers, with parallel edges and loops.
Csr<std::int32_t> ordered_graph(vertex_t n, edge_t n_edges, std::uint64_t n_weights,
                                std::uint64_t seed) {
  const CounterRandom random(seed, 0);
  test::Arcs<std::int32_t> arcs;
  for (std::uint64_t e = 0; e < static_cast<std::uint64_t>(n_edges); ++e) {
    const auto u = static_cast<vertex_t>(random.below(4 * e, static_cast<std::uint64_t>(n)));
    const std::uint64_t reach = random.below(4 * e + 1, 8) == 0 ? static_cast<std::uint64_t>(n) : 5;
    const auto v =
        static_cast<vertex_t>((static_cast<std::uint64_t>(u) + random.below(4 * e + 2, reach)) %
                              static_cast<std::uint64_t>(n));
    const auto w = static_cast<std::int32_t>(random.below(4 * e + 3, n_weights));
    arcs.emplace_back(u, v, w);
    if (u != v) arcs.emplace_back(v, u, w);
  }
  std::ranges::sort(arcs);
  return test::graph_of<std::int32_t>(n, arcs);
}

std::vector<edge_t> forest_by_blocks(const Csr<std::int32_t>& graph, std::int64_t work,
                                     bool maximum, std::int64_t* n_left) {
  const KeyedGraph<std::int32_t> keyed(graph.view(), maximum);
  GrowingForest forest(keyed);
  const RowBlocks blocks(keyed, work);
  const SortedCandidates left = sort_candidates(contract_blocks(keyed, blocks, forest));
  *n_left = left.n;
  join_in_rounds(left, forest);
  std::vector<edge_t> positions;
  for (edge_t e = 0; e < keyed.n_arcs; ++e) {
    if (forest.chosen.view().test(e)) positions.push_back(e);
  }
  return positions;
}

TEST(BlockContraction, LeavesTheEdgesThatKruskalStillNeeds) {
  const test::ScopedThreads threads(4);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto n = static_cast<vertex_t>(1 + seed % 60);
    const Csr<std::int32_t> graph =
        ordered_graph(n, (seed % 2 == 0 ? 3 : 20) * n, seed % 3 == 0 ? 4 : 1000, seed);
    for (const bool maximum : {false, true}) {
      MstOptions options;
      options.maximum = maximum;
      auto expected = mst_reference(graph.view(), options).positions;
      std::ranges::sort(expected);
      for (const std::int64_t work : {8, 60, 100'000}) {
        std::int64_t n_left = 0;
        const std::vector<edge_t> found = forest_by_blocks(graph, work, maximum, &n_left);
        EXPECT_TRUE(std::ranges::equal(found, expected)) << seed << ' ' << work << ' ' << maximum;
        // One block decides everything, but for edges of the largest key.
        if (work == 100'000 && !maximum) {
          EXPECT_EQ(n_left, 0) << seed;
        }
      }
    }
  }
}

TEST(BlockContraction, IsForOrderedGraphsOfLowDegree) {
  const test::ScopedThreads threads(4);
  constexpr vertex_t n = 1 << 17;
  const auto fits = [&](const Csr<std::int32_t>& graph) {
    const CsrPattern pattern = graph.view();
    return can_contract_blocks(pattern, blocks_to_contract(pattern));
  };
  test::Arcs<std::int32_t> chain;
  test::Arcs<std::int32_t> scattered;
  const CounterRandom random(7, 0);
  for (vertex_t v = 0; v + 1 < n; ++v) {
    chain.emplace_back(v, v + 1, 1);
    scattered.emplace_back(v, static_cast<vertex_t>(random.below(static_cast<std::uint64_t>(v), n)),
                           1);
  }
  EXPECT_TRUE(fits(test::graph_of<std::int32_t>(n, chain)));
  EXPECT_FALSE(fits(test::graph_of<std::int32_t>(n, scattered)));
  EXPECT_FALSE(fits(ordered_graph(1000, 2000, 9, 1)));
}

}  // namespace
}  // namespace warpgraph::mst
