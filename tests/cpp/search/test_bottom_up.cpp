// Every level of a search, taken bottom-up, whether most rows are read to their end or not.
#include "algorithms/bfs/bfs.hpp"
#include "algorithms/bfs/bottom_up.hpp"
#include "search/bfs_graphs.hpp"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace warpgraph {
namespace {

using Vertices = std::vector<vertex_t>;

constexpr vertex_t n_vertices = 3'000;

/// With rows of 0 to dozens of heads in no order.
Csr<float> random_graph() {
  std::mt19937 random(6);
  test::Ends ends;
  for (int i = 0; i < 30'000; ++i) {
    const auto draw = [&] { return static_cast<vertex_t>(random() % (n_vertices - 50)); };
    ends.emplace_back(draw() / 4, draw());
  }
  return test::graph_of(n_vertices, ends, true);
}

class BottomUp : public testing::TestWithParam<bool> {};

TEST_P(BottomUp, ReachesEachLevelOfTheReference) {
  const test::ScopedThreads threads(3);
  const Csr<float> graph = random_graph();
  const CsrPattern pattern = graph.view();
  Vertices hops(n_vertices);
  Vertices predecessors(n_vertices);
  bfs_reference(pattern, {}, hops, predecessors);
  const vertex_t deepest = *std::max_element(hops.begin(), hops.end());
  ASSERT_GE(deepest, 3);
  for (vertex_t depth = 0; depth < deepest; ++depth) {
    Vertices found = hops;
    for (vertex_t& hop : found) hop = hop > depth ? unreached : hop;
    std::vector<std::uint32_t> parents(n_vertices);
    BottomUpLevels<true> levels(pattern, pattern, false, found.data(), parents.data());
    levels.begin(depth);
    const FrontierSize next = levels.advance(depth, GetParam() ? 0 : pattern.n_arcs);
    FrontierSize expected{0, 0};
    for (vertex_t v = 0; v < n_vertices; ++v) {
      const auto i = static_cast<std::size_t>(v);
      const bool is_next = hops[i] == depth + 1;
      EXPECT_EQ(found[i] == depth + 1, is_next) << v;
      EXPECT_EQ((levels.frontier()[i / 64] >> (i % 64) & 1u) != 0, is_next) << v;
      if (!is_next) continue;
      EXPECT_EQ(static_cast<vertex_t>(parents[i]), predecessors[i]) << v;
      expected = expected + FrontierSize{1, pattern.degree(v)};
    }
    EXPECT_EQ(next.vertices, expected.vertices);
    EXPECT_EQ(next.arcs, expected.arcs);
  }
}

INSTANTIATE_TEST_SUITE_P(ReadsWholeRows, BottomUp, testing::Bool());

}  // namespace
}  // namespace warpgraph
