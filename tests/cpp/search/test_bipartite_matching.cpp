// Maximum matchings of bipartite graphs against their reference, and on a ladder.
#include "algorithms/bipartite_matching/bipartite_matching.hpp"
#include "core/containers/at.hpp"
#include "support.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace warpgraph {
namespace {

/// Returns the number of pairs, each of which must be joined by an arc.
vertex_t size_of_matching(const CsrPattern& rows, vertex_t n_columns) {
  std::vector<vertex_t> column_of(at(rows.n_vertices), 7);
  std::vector<vertex_t> row_of(at(n_columns), 7);
  maximum_bipartite_matching_cpu(rows, {}, column_of, row_of);
  vertex_t size = 0;
  for (vertex_t row = 0; row < rows.n_vertices; ++row) {
    const vertex_t column = column_of[at(row)];
    if (column == no_vertex) continue;
    ++size;
    EXPECT_EQ(row_of[at(column)], row);
    EXPECT_NE(std::find(rows.heads + rows.begin(row), rows.heads + rows.end(row), column),
              rows.heads + rows.end(row));
  }
  EXPECT_EQ(std::ranges::count_if(row_of, [](vertex_t row) { return row != no_vertex; }), size);
  return size;
}

TEST(BipartiteMatching, OfRandomGraphs) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    for (const edge_t arcs : {0, 30, 60, 120, 400}) {
      const Csr<double> graph = test::random_graph<double>(60, arcs, seed);
      const CsrPattern rows = graph.view();
      EXPECT_EQ(size_of_matching(rows, 60), maximum_bipartite_matching_reference(rows, 60));
    }
  }
}

TEST(BipartiteMatching, OfALadder) {
  // Rows 2 i and 2 i + 1 have columns of their own and both of the next rung: 2^200 paths lead down
  // from the last row, and none to a column that is free. The rail of rows below has one.
  constexpr vertex_t rungs = 200;
  constexpr vertex_t n = 3 * rungs;
  test::Arcs<double> arcs;
  for (vertex_t row = 0; row < n; ++row) {
    const vertex_t level = row / 3;
    const bool is_rail = row % 3 == 2;
    const vertex_t next = row - 3;
    if (level > 0 && is_rail) arcs.emplace_back(row, next, 1.0);
    if (level > 0 && !is_rail) {
      arcs.emplace_back(row, 3 * level - 3, 1.0);
      arcs.emplace_back(row, 3 * level - 2, 1.0);
    }
    arcs.emplace_back(row, row, 1.0);
    if (row == 2) arcs.emplace_back(row, n, 1.0);
  }
  arcs.emplace_back(n, n - 1, 1.0);
  arcs.emplace_back(n, n - 2, 1.0);
  arcs.emplace_back(n, n - 3, 1.0);
  const Csr<double> graph = test::graph_of(n + 1, arcs);
  EXPECT_EQ(size_of_matching(graph.view(), n + 1), n + 1);
}

TEST(BipartiteMatching, OfRowsAndColumnsOfOtherNumbers) {
  const Csr<double> tall = test::graph_of<double>(4, {{0, 0, 1}, {1, 0, 1}, {2, 1, 1}, {2, 1, 1}});
  EXPECT_EQ(size_of_matching(tall.view(), 2), 2);
  const Csr<double> wide = test::graph_of<double>(1, {{0, 5, 1}, {0, 2, 1}});
  EXPECT_EQ(size_of_matching(wide.view(), 9), 1);
  EXPECT_EQ(size_of_matching(test::graph_of<double>(0, {}).view(), 3), 0);
}

TEST(BipartiteMatching, OfParallelArcs) {
  test::Arcs<double> arcs{{0, 0, 1}, {0, 1, 1}};
  for (int i = 0; i < 1000; ++i) arcs.emplace_back(1, 0, 1.0);
  EXPECT_EQ(size_of_matching(test::graph_of(2, arcs).view(), 2), 2);
}

}  // namespace
}  // namespace warpgraph
