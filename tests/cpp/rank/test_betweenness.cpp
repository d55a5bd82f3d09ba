// Betweenness on several threads against its reference: the same bits.
#include "algorithms/betweenness/betweenness.hpp"
#include "core/fixed_point_sum.hpp"
#include "graph/symmetry/symmetry.hpp"
#include "graph/transform/simple_rows.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

namespace warpgraph {
namespace {

/// Compares scores of vertices and of arcs by some numbers of threads with the reference.
template <class W>
void expect_same_scores(const CsrView<W>& graph, W limit, const BetweennessOptions& options) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  const auto n_arcs = static_cast<std::size_t>(graph.n_arcs);
  std::vector<double> expected(n), found(n), expected_arcs(n_arcs), found_arcs(n_arcs);
  betweenness_reference(graph, limit, options, expected);
  edge_betweenness_reference(graph, graph, limit, options, expected_arcs);
  for (const int threads : {1, 2, 8}) {
    const test::ScopedThreads some(threads);
    betweenness_cpu(graph, limit, options, found);
    EXPECT_EQ(found, expected);
    edge_betweenness_cpu(graph, graph, limit, options, found_arcs);
    EXPECT_EQ(found_arcs, expected_arcs);
  }
}

class Betweenness : public testing::TestWithParam<edge_t> {
 protected:
  static constexpr vertex_t n = 12'000;
  Csr<std::int64_t> graph_ = with_positive_weights(GetParam());

  static Csr<std::int64_t> with_positive_weights(edge_t arcs) {
    Csr<std::int64_t> graph = test::random_graph<std::int64_t>(n, arcs, 5);
    for (std::int64_t& weight : graph.weights) weight = 1 + weight % 4;
    return graph;
  }
};

INSTANTIATE_TEST_SUITE_P(Arcs, Betweenness, testing::Values(0, 12'000, 48'000));

TEST_P(Betweenness, ByHops) {
  const std::vector<vertex_t> sources{5, 100, 5, 7000};
  const std::vector<vertex_t> targets{3, 4, 11'999, 3};
  CsrView<std::int64_t> graph = graph_.view();
  graph.weights = nullptr;
  expect_same_scores(graph, infinity<std::int64_t>(), {.sources = sources, .endpoints = true});
  expect_same_scores(graph, infinity<std::int64_t>(),
                     {.sources = std::span(sources).first(1), .targets = targets});
  const Csr<std::int64_t> symmetric = symmetrise(graph_.view());
  graph = symmetric.view();
  graph.weights = nullptr;
  expect_same_scores(graph, std::int64_t{4}, {.sources = sources, .directed = false});
}

TEST_P(Betweenness, ByDistances) {
  const std::vector<vertex_t> sources{5, 100, 7000};
  expect_same_scores(graph_.view(), infinity<std::int64_t>(),
                     {.sources = sources, .is_sample = true});
  expect_same_scores(graph_.view(), std::int64_t{9}, {.sources = sources, .endpoints = true});
}

TEST(BetweennessOfGrids, CountsBeyondIntegers) {
  constexpr vertex_t side = 520;  // 2^1030 paths from corner to corner
  test::Arcs<double> arcs;
  for (vertex_t v = 0; v < side * side; ++v) {
    if ((v + 1) % side != 0) arcs.emplace_back(v, v + 1, 1.0);
    if (v + side < side * side) arcs.emplace_back(v, v + side, 1.0);
  }
  const Csr<double> grid = test::graph_of(side * side, arcs);
  const std::vector<vertex_t> sources{0};
  expect_same_scores(grid.view(), infinity<double>(), {.sources = sources});
  CsrView<double> hops = grid.view();
  hops.weights = nullptr;
  expect_same_scores(hops, infinity<double>(), {.sources = sources});
}

TEST(FixedPointSums, DoNotRound) {
  FixedPointSum up{};
  FixedPointSum down{};
  for (int i = 1; i <= 1000; ++i) up.add(1.0 / i);
  for (int i = 1000; i > 0; --i) down.add(1.0 / i);
  EXPECT_EQ(up.whole, down.whole);
  EXPECT_EQ(up.rest, down.rest);
  EXPECT_DOUBLE_EQ(up.value(), 7.48547086055034491265651820433390);
  FixedPointSum large{};
  large.add(0x1.0p62);
  large.add(0.5);
  large.add(0.5);
  EXPECT_EQ(large.value(), 0x1.0p62 + 1);
  EXPECT_EQ(large.whole, (std::uint64_t{1} << 62) + 1);
}

TEST(SimpleRows, KeepTheLightest) {
  const Csr<double> graph = test::graph_of<double>(
      3, {{0, 2, 4.0}, {0, 1, 3.0}, {0, 2, 1.0}, {0, 2, 2.0}, {2, 2, 1.0}, {2, 0, 5.0}});
  EXPECT_FALSE(has_simple_rows(graph.view()));
  const Csr<double> simple = to_simple_rows(graph.view());
  EXPECT_EQ(simple.offsets, (HostVector<edge_t>{0, 2, 2, 4}));
  EXPECT_EQ(simple.heads, (HostVector<vertex_t>{1, 2, 0, 2}));
  EXPECT_EQ(simple.weights, (HostVector<double>{3, 1, 5, 1}));
  EXPECT_TRUE(has_simple_rows(simple.view()));
  EXPECT_EQ(find_arc(simple.view(), 0, 2), 1);
  EXPECT_EQ(find_arc(simple.view(), 1, 2), -1);
}

}  // namespace
}  // namespace warpgraph
