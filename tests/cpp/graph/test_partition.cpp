// Partitions of graphs among devices.
#include "graph/partition/partition.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

namespace warpgraph {
namespace {

/// A graph whose vertex u has degrees[u] arcs.
Csr<float> graph_of(const std::vector<edge_t>& degrees) {
  Csr<float> graph;
  const auto n = degrees.size();
  for (std::size_t u = 0; u < n; ++u) {
    for (edge_t e = 0; e < degrees[u]; ++e) {
      graph.heads.push_back(static_cast<vertex_t>((u + static_cast<std::size_t>(e)) % n));
      graph.weights.push_back(static_cast<float>(graph.heads.size()));
    }
    graph.offsets.push_back(static_cast<edge_t>(graph.heads.size()));
  }
  return graph;
}

/// By the definition, for any partition.
void expect_partition(const Csr<float>& graph, const PartitionView& made, int n_parts) {
  ASSERT_EQ(made.n_parts, n_parts);
  EXPECT_EQ(made.begin(0), 0);
  EXPECT_EQ(made.end(n_parts - 1), graph.view().n_vertices);
  for (int part = 0; part < n_parts; ++part) {
    ASSERT_LE(made.begin(part), made.end(part));
    for (vertex_t v = made.begin(part); v < made.end(part); ++v) EXPECT_EQ(made.owner(v), part);
    const GraphPart rows(graph.view(), made, part);
    const CsrView<float> view = with_weights_of(rows, graph.view());
    ASSERT_EQ(view.n_vertices, made.size(part));
    for (vertex_t u = 0; u < view.n_vertices; ++u) {
      const edge_t first = graph.view().begin(made.begin(part) + u);
      ASSERT_EQ(view.degree(u), graph.view().degree(made.begin(part) + u));
      for (edge_t i = 0; i < view.degree(u); ++i) {
        ASSERT_EQ(view.heads[view.begin(u) + i], graph.heads[static_cast<std::size_t>(first + i)]);
        ASSERT_EQ(view.weights[view.begin(u) + i],
                  graph.weights[static_cast<std::size_t>(first + i)]);
      }
    }
  }
}

TEST(Partition, PartsCoverTheGraph) {
  for (const std::vector<edge_t>& degrees : {std::vector<edge_t>{},
                                             {3},
                                             {0, 0, 0},
                                             {1, 1, 1, 1, 1, 1, 1},
                                             {100, 0, 1, 2, 0, 50, 1},
                                             {0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 3}}) {
    const Csr<float> graph = graph_of(degrees);
    for (const int n_parts : {1, 2, 3, 5, 8, max_parts}) {
      expect_partition(graph, equal_arcs(graph.view(), n_parts), n_parts);
      expect_partition(graph, equal_edges(graph.view(), n_parts), n_parts);
    }
  }
}

TEST(Partition, PartsHaveAboutAsManyArcs) {
  std::vector<edge_t> degrees;
  for (int u = 0; u < 10'000; ++u) degrees.push_back(u % 37 == 0 ? 90 : u % 5);
  const Csr<float> graph = graph_of(degrees);
  for (const int n_parts : {2, 3, 8}) {
    const PartitionView made = equal_arcs(graph.view(), n_parts);
    expect_partition(graph, made, n_parts);
    for (int part = 0; part < n_parts; ++part) {
      const edge_t work = graph.offsets[static_cast<std::size_t>(made.end(part))] -
                          graph.offsets[static_cast<std::size_t>(made.begin(part))] +
                          made.size(part);
      const edge_t all = graph.view().n_arcs + graph.view().n_vertices;
      EXPECT_NEAR(static_cast<double>(work), static_cast<double>(all) / n_parts, 91);
    }
  }
}

TEST(Partition, PartsHaveAboutAsManyEdgesAboveTheDiagonal) {
  constexpr vertex_t n = 200;
  const Csr<float> graph = graph_of(std::vector<edge_t>(n, n));  // all pairs of vertices
  const auto work_of = [](vertex_t u) { return n + 1 + 4 * (n - 1 - u); };
  for (const int n_parts : {2, 3, 8}) {
    const PartitionView made = equal_edges(graph.view(), n_parts);
    expect_partition(graph, made, n_parts);
    for (int part = 0; part < n_parts; ++part) {
      edge_t work = 0;
      for (vertex_t u = made.begin(part); u < made.end(part); ++u) work += work_of(u);
      const edge_t all = n * (n + 1) + 4 * (n * (n - 1) / 2);
      EXPECT_NEAR(static_cast<double>(work), static_cast<double>(all) / n_parts, work_of(0));
    }
  }
}

TEST(Partition, RefusesOtherNumbersOfParts) {
  const Csr<float> graph = graph_of({1, 2});
  EXPECT_THROW((void)equal_arcs(graph.view(), 0), std::invalid_argument);
  EXPECT_THROW((void)equal_arcs(graph.view(), max_parts + 1), std::invalid_argument);
  EXPECT_THROW((void)equal_edges(graph.view(), 0), std::invalid_argument);
}

}  // namespace
}  // namespace warpgraph
