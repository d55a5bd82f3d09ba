#include "core/error.hpp"
#include "graph/csr.hpp"
#include "graph/symmetry/symmetry.hpp"
#include "graph/transform/row_blocks.hpp"
#include "graph/upper_triangle.hpp"
#include "primitives/graph_shape.hpp"
#include "support.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <tuple>

namespace warpgraph {
namespace {

using Arc = std::tuple<vertex_t, vertex_t, int>;

std::vector<Arc> sorted_arcs(const Csr<int>& graph, bool transposed = false) {
  std::vector<Arc> arcs;
  const CsrView<int> view = graph.view();
  for (vertex_t u = 0; u < view.n_vertices; ++u) {
    for (edge_t e = view.begin(u); e < view.end(u); ++e) {
      arcs.emplace_back(transposed ? view.heads[e] : u, transposed ? u : view.heads[e],
                        view.weights[e]);
    }
  }
  std::sort(arcs.begin(), arcs.end());
  return arcs;
}

std::string error_of(std::vector<std::int32_t> offsets, std::vector<vertex_t> heads) {
  return test::message_of([&] {
    validate_structure({static_cast<vertex_t>(offsets.size() - 1),
                        static_cast<edge_t>(heads.size()), Offsets(offsets.data()), heads.data()});
  });
}

TEST(Validate, NamesTheBadEntry) {
  EXPECT_EQ(error_of({0, 1, 2}, {1, 0}), "");
  EXPECT_EQ(error_of({0}, {}), "");
  EXPECT_NE(error_of({0, 1, 1}, {1, 0}).find("indptr ends at 1"), std::string::npos);
  EXPECT_EQ(error_of({0, 2, 1}, {1, 0}),
            "indptr is not sorted: indptr[1] is 2 and indptr[2] is 1, but it must not fall");
  EXPECT_NE(error_of({1, 1, 2}, {1, 0}).find("indptr[0]"), std::string::npos);
  EXPECT_NE(error_of({0, 2, 1}, {1, 0}).find("indptr"), std::string::npos);
  EXPECT_NE(error_of({0, 1, 2}, {1, 2}).find("indices[1] is 2"), std::string::npos);
  EXPECT_NE(error_of({0, 1, 2}, {-1, 0}).find("indices[0] is -1"), std::string::npos);
}

TEST(Validate, WideHeadsAreNarrowedOrNamed) {
  const std::vector<std::int64_t> heads{0, 2, 1};
  const HostVector<vertex_t> narrow = narrow_heads(heads, 3);
  EXPECT_EQ(std::vector<vertex_t>(narrow.begin(), narrow.end()), (std::vector<vertex_t>{0, 2, 1}));
  const std::vector<std::int64_t> too_large{0, std::int64_t{1} << 32, 1};
  EXPECT_EQ(test::message_of([&] { narrow_heads(too_large, 3); }),
            "indices[1] is 4294967296, which is not a vertex of a graph with 3 vertices (0..2)");
  EXPECT_NE(test::message_of([&] { narrow_heads(heads, 0); }).find("a graph without vertices"),
            std::string::npos);
}

TEST(Validate, NamesTheFirstNaNByItsEnds) {
  const test::ScopedThreads threads(4);
  Csr<double> graph = test::random_graph<double>(300, 200'000, 6);
  EXPECT_NO_THROW(validate_weights<double>(graph.weights, graph.view()));
  for (const std::size_t e : {190'000u, 150'000u, 70u}) {
    graph.weights[e] = std::numeric_limits<double>::quiet_NaN();
  }
  const std::string entry =
      concat("entry (", tail_of(graph.view(), 70), ", ", graph.heads[70], "), data[70], is NaN");
  EXPECT_NE(
      test::message_of([&] { validate_weights<double>(graph.weights, graph.view()); }).find(entry),
      std::string::npos);
}

TEST(Validate, FindsTheFirstNegativeWeight) {
  const test::ScopedThreads threads(4);
  std::vector<std::int64_t> weights(200'000, 1);
  EXPECT_EQ(find_negative<std::int64_t>(weights), -1);
  weights[199'999] = weights[131'072] = -1;
  EXPECT_EQ(find_negative<std::int64_t>(weights), 131'072);
}

TEST(Validate, FindsTheFirstOfEachKindOfUnusualWeight) {
  const test::ScopedThreads threads(4);
  std::vector<std::int32_t> weights(200'000, infinity<std::int32_t>() - 1);
  EXPECT_EQ(find_unusual<std::int32_t>(weights).negative, -1);
  EXPECT_EQ(find_unusual<std::int32_t>(weights).unreachable, -1);
  weights[150'000] = weights[160'000] = infinity<std::int32_t>();
  EXPECT_EQ(find_unusual<std::int32_t>(weights).negative, -1);
  EXPECT_EQ(find_unusual<std::int32_t>(weights).unreachable, 150'000);
  weights[170'000] = weights[180'000] = detail::lowest<std::int32_t>;
  EXPECT_EQ(find_unusual<std::int32_t>(weights).negative, 170'000);
  EXPECT_EQ(find_unusual<std::int32_t>(weights).unreachable, 150'000);
  const std::vector<float> floats{infinity<float>(), -0.0f, -1.0f};
  EXPECT_EQ(find_unusual<float>(floats).negative, 2);
  EXPECT_EQ(find_unusual<float>(floats).unreachable, -1);
}

TEST(Csr, ArcsAreVisitedByPosition) {
  // Empty rows at both ends and in between.
  const std::vector<std::int64_t> offsets{0, 0, 3, 3, 3, 4, 4};
  const std::vector<vertex_t> heads{5, 1, 2, 0};
  const CsrPattern graph{6, 4, Offsets(offsets.data()), heads.data()};
  const std::vector<vertex_t> tails{1, 1, 1, 4};
  for (edge_t first = 0; first <= 4; ++first) {
    for (edge_t last = first; last <= 4; ++last) {
      edge_t expected = first;
      for_each_arc(graph, first, last, [&](vertex_t u, vertex_t v, edge_t e) {
        EXPECT_EQ(e, expected++);
        EXPECT_EQ(u, tails[static_cast<std::size_t>(e)]);
        EXPECT_EQ(v, heads[static_cast<std::size_t>(e)]);
      });
      EXPECT_EQ(expected, last);
    }
  }
}

TEST(Csr, TailsAreFoundByBisection) {
  const Csr<int> graph = test::random_graph<int>(100, 300, 1);
  const CsrView<int> view = graph.view();
  for (vertex_t u = 0; u < view.n_vertices; ++u) {
    for (edge_t e = view.begin(u); e < view.end(u); ++e) ASSERT_EQ(tail_of(view, e), u);
  }
}

TEST(Symmetry, TransposeReversesEveryArc) {
  const test::ScopedThreads threads(4);
  const Csr<int> graph = test::random_graph<int>(3000, 20'000, 2);
  const Csr<int> transposed = transpose(graph.view());
  EXPECT_EQ(sorted_arcs(transposed), sorted_arcs(graph, true));
  EXPECT_FALSE(is_symmetric(graph.view()));
}

TEST(Symmetry, SymmetriseStoresEveryArcInBothDirections) {
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

TEST(Symmetry, ADifferentWeightIsNotSymmetric) {
  Csr<int> both = symmetrise(test::random_graph<int>(300, 2000, 4).view());
  const CsrView<int> view = both.view();
  edge_t arc = 0;
  while (view.heads[arc] == tail_of(view, arc)) ++arc;
  ++both.weights[static_cast<std::size_t>(arc)];
  EXPECT_FALSE(is_symmetric(both.view()));
  EXPECT_TRUE(is_symmetric(static_cast<const CsrPattern&>(both.view())));
}

TEST(UpperTriangle, HoldsEveryEdgeOnceWithItsPosition) {
  const Csr<std::int32_t> graph = test::random_graph<std::int32_t>(50, 300, 7);
  const UpperTriangle<std::int32_t> upper = upper_triangle(graph.view());
  const CsrView<std::int32_t> view = upper.graph.view();
  std::vector<edge_t> seen;
  for (vertex_t u = 0; u < view.n_vertices; ++u) {
    for (edge_t e = view.begin(u); e < view.end(u); ++e) {
      const auto place = static_cast<std::size_t>(e);
      const edge_t position = upper.positions[place];
      const vertex_t tail = tail_of(graph.view(), position);
      const vertex_t head = graph.heads[static_cast<std::size_t>(position)];
      EXPECT_EQ(std::min(tail, head), u);
      EXPECT_EQ(std::max(tail, head), view.heads[e]);
      EXPECT_EQ(graph.weights[static_cast<std::size_t>(position)], view.weights[e]);
      if (e > view.begin(u)) {
        // Entries above the diagonal come first; both kinds are sorted by position.
        const edge_t before = upper.positions[place - 1];
        const bool above = tail < head;
        const bool above_before =
            tail_of(graph.view(), before) < graph.heads[static_cast<std::size_t>(before)];
        EXPECT_TRUE(above_before == above ? before < position : above_before);
      }
      seen.push_back(position);
    }
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
  std::size_t loops = 0;
  for (edge_t e = 0; e < graph.view().n_arcs; ++e) {
    loops += tail_of(graph.view(), e) == graph.heads[static_cast<std::size_t>(e)];
  }
  EXPECT_EQ(seen.size() + loops, graph.heads.size());
  EXPECT_TRUE(has_lower_triangle(graph.view()));
  EXPECT_FALSE(has_lower_triangle(view));
}

TEST(RowBlocks, CoverAllRowsInOrder) {
  for (const edge_t arcs : {0, 10, 5000}) {
    const Csr<float> graph = test::random_graph<float>(1000, arcs, 3);
    const RowBlocks blocks(graph.view(), 64);
    std::vector<int> visits(1000);
    std::vector<vertex_t> firsts(static_cast<std::size_t>(blocks.size()));
    blocks.for_each([&](std::int64_t block, vertex_t first, vertex_t last) {
      firsts[static_cast<std::size_t>(block)] = first;
      for (; first < last; ++first) ++visits[static_cast<std::size_t>(first)];
    });
    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), 1000);
    EXPECT_TRUE(std::is_sorted(firsts.begin(), firsts.end()));
  }
}

/// Returns a graph of which every 200th vertex has `hub_arcs` arcs, and each other one.
Csr<float> with_hubs(edge_t hub_arcs, vertex_t stride) {
  constexpr vertex_t n = 20'000;
  Csr<float> graph;
  for (vertex_t v = 0; v < n; ++v) {
    for (edge_t i = 0; i < (v % 200 == 0 ? hub_arcs : 1); ++i) {
      graph.heads.push_back(static_cast<vertex_t>((v + (i + 1) * stride) % n));
    }
    graph.offsets.push_back(static_cast<edge_t>(graph.heads.size()));
  }
  graph.weights.resize(graph.heads.size());
  return graph;
}

TEST(GraphShape, LocalityTellsWhetherArcsOfHubsAreScattered) {
  const Locality scattered = locality_of(with_hubs(500, 7'919).view());
  EXPECT_NEAR(scattered.at_hubs, 50'000.0 / 69'900, 1e-9);
  EXPECT_LT(scattered.near, 0.25);
  const Locality near = locality_of(with_hubs(500, 1).view());
  EXPECT_GT(near.near, 0.75);
  EXPECT_EQ(locality_of(with_hubs(1, 1).view()).at_hubs, 0);
  EXPECT_EQ(locality_of(Csr<float>{}.view()).near, 1);
}

}  // namespace
}  // namespace warpgraph
