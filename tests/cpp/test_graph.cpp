#include "graph/csr.hpp"
#include "graph/symmetry.hpp"
#include "support.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <tuple>

namespace warpgraph {
namespace {

using Arc = std::tuple<vertex_t, vertex_t, int>;

std::vector<Arc> sorted_arcs(const Csr<int>& graph, bool turned = false) {
  std::vector<Arc> arcs;
  const CsrView<int> view = graph.view();
  for (vertex_t u = 0; u < view.n_vertices; ++u) {
    for (edge_t e = view.begin(u); e < view.end(u); ++e) {
      arcs.emplace_back(turned ? view.heads[e] : u, turned ? u : view.heads[e], view.weights[e]);
    }
  }
  std::sort(arcs.begin(), arcs.end());
  return arcs;
}

std::string complaint(std::vector<std::int32_t> offsets, std::vector<vertex_t> heads) {
  CsrPattern graph;
  graph.n_vertices = static_cast<vertex_t>(offsets.size() - 1);
  graph.n_arcs = static_cast<edge_t>(heads.size());
  graph.offsets = Offsets(offsets.data());
  graph.heads = heads.data();
  try {
    validate_structure(graph);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Validate, NamesTheBadEntry) {
  EXPECT_EQ(complaint({0, 1, 2}, {1, 0}), "");
  EXPECT_NE(complaint({1, 1, 2}, {1, 0}).find("indptr[0]"), std::string::npos);
  EXPECT_NE(complaint({0, 2, 1}, {1, 0}).find("indptr"), std::string::npos);
  EXPECT_NE(complaint({0, 1, 2}, {1, 2}).find("indices[1] is 2"), std::string::npos);
  EXPECT_NE(complaint({0, 1, 2}, {-1, 0}).find("indices[0] is -1"), std::string::npos);
}

TEST(Csr, TailsAreFoundByBisection) {
  const Csr<int> graph = test::random_graph<int>(100, 300, 1);
  const CsrView<int> view = graph.view();
  for (vertex_t u = 0; u < view.n_vertices; ++u) {
    for (edge_t e = view.begin(u); e < view.end(u); ++e) ASSERT_EQ(tail_of(view, e), u);
  }
}

TEST(Symmetry, TransposeTurnsEveryArc) {
  const test::ScopedThreads threads(4);
  const Csr<int> graph = test::random_graph<int>(3000, 20'000, 2);
  const Csr<int> turned = transpose(graph.view());
  EXPECT_EQ(sorted_arcs(turned), sorted_arcs(graph, true));
  EXPECT_FALSE(is_symmetric(graph.view()));
}

TEST(Symmetry, SymmetriseStoresEveryArcBothWays) {
  const test::ScopedThreads threads(4);
  const Csr<int> graph = test::random_graph<int>(3000, 20'000, 3);
  const Csr<int> both = symmetrise(graph.view());
  std::vector<Arc> expected = sorted_arcs(graph);
  for (const Arc& arc : sorted_arcs(graph, true)) {
    if (std::get<0>(arc) != std::get<1>(arc)) expected.push_back(arc);
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(sorted_arcs(both), expected);
  EXPECT_TRUE(is_symmetric(both.view()));
  EXPECT_TRUE(is_symmetric(static_cast<const CsrPattern&>(both.view())));
}

TEST(Symmetry, OneDifferentWeightIsSeen) {
  Csr<int> both = symmetrise(test::random_graph<int>(300, 2000, 4).view());
  const CsrView<int> view = both.view();
  edge_t arc = 0;
  while (view.heads[arc] == tail_of(view, arc)) ++arc;
  ++both.weights[static_cast<std::size_t>(arc)];
  EXPECT_FALSE(is_symmetric(both.view()));
  EXPECT_TRUE(is_symmetric(static_cast<const CsrPattern&>(both.view())));
}

}  // namespace
}  // namespace warpgraph
