// Edge lists to CSR, and what uses the same grouping of arcs by their tails.
#include "graph/dense.hpp"
#include "graph/edge_list.hpp"
#include "graph/symmetry/symmetry.hpp"
#include "graph/upper_triangle.hpp"
#include "support.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <tuple>

namespace warpgraph {
namespace {

using Arc = std::tuple<vertex_t, vertex_t, double>;

template <class Index>
struct EdgeList {
  std::vector<Index> tails;
  std::vector<Index> heads;
  std::vector<double> weights;

  [[nodiscard]] EdgeListView<Index, double> view(vertex_t n) const {
    return {n, tails, heads, weights};
  }
};

/// Vertices with low numbers are hubs. Weights are positions, to check the order of parallel edges.
template <class Index>
EdgeList<Index> random_list(vertex_t n, std::size_t n_edges) {
  const CounterRandom random(9, 0);
  EdgeList<Index> list;
  for (std::size_t i = 0; i < n_edges; ++i) {
    const double u = random.uniform(2 * i);
    list.tails.push_back(static_cast<Index>(u * u * u * n));
    list.heads.push_back(
        static_cast<Index>(random.below(2 * i + 1, static_cast<std::uint64_t>(n))));
    list.weights.push_back(static_cast<double>(i));
  }
  return list;
}

/// The arcs of a graph, row by row.
std::vector<Arc> arcs_of(const Csr<double>& graph) {
  std::vector<Arc> arcs;
  const CsrView<double> view = graph.view();
  for (vertex_t u = 0; u < view.n_vertices; ++u) {
    for (edge_t e = view.begin(u); e < view.end(u); ++e) {
      arcs.emplace_back(u, view.heads[e], view.weights[e]);
    }
  }
  return arcs;
}

std::vector<Arc> grouped(std::vector<Arc> list) {
  std::stable_sort(list.begin(), list.end(),
                   [](const Arc& a, const Arc& b) { return std::get<0>(a) < std::get<0>(b); });
  return list;
}

class Grouping : public testing::TestWithParam<std::tuple<int, vertex_t, std::size_t>> {
 protected:
  const test::ScopedThreads threads_{std::get<0>(GetParam())};
  const vertex_t n_ = std::get<1>(GetParam());
  const EdgeList<std::int32_t> list_ = random_list<std::int32_t>(n_, std::get<2>(GetParam()));
  const Csr<double> graph_ = to_csr(list_.view(n_));
};

// One bucket and many buckets, one chunk and many chunks.
INSTANTIATE_TEST_SUITE_P(ThreadsVerticesEdges, Grouping,
                         testing::Combine(testing::Values(1, 3), testing::Values(1, 2047, 100'000),
                                          testing::Values(0u, 1u, 1000u, 150'000u)));

TEST_P(Grouping, RowsKeepTheOrderOfTheList) {
  std::vector<Arc> expected;
  for (std::size_t i = 0; i < list_.tails.size(); ++i) {
    expected.emplace_back(list_.tails[i], list_.heads[i], list_.weights[i]);
  }
  EXPECT_EQ(graph_.offsets.size(), static_cast<std::size_t>(n_) + 1);
  EXPECT_EQ(arcs_of(graph_), grouped(expected));
  const EdgeList<std::int64_t> wide = random_list<std::int64_t>(n_, list_.tails.size());
  EXPECT_EQ(arcs_of(to_csr(wide.view(n_))), grouped(expected));
}

TEST_P(Grouping, TailsAreWrittenBack) {
  std::vector<vertex_t> tails(graph_.heads.size());
  write_tails(graph_.view(), tails);
  std::vector<std::int32_t> expected = list_.tails;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(tails, expected);
}

TEST_P(Grouping, TransposedRowsAreSortedByTails) {
  std::vector<Arc> expected;
  for (const auto& [u, v, w] : arcs_of(graph_)) expected.emplace_back(v, u, w);
  EXPECT_EQ(arcs_of(transpose(graph_.view())), grouped(expected));
}

TEST_P(Grouping, SymmetrisedRowsHoldTheirArcsAndThenTheReversedOnes) {
  std::vector<Arc> expected = arcs_of(graph_);
  for (const auto& [u, v, w] : arcs_of(graph_)) {
    if (u != v) expected.emplace_back(v, u, w);
  }
  EXPECT_EQ(arcs_of(symmetrise(graph_.view())), grouped(expected));
}

TEST_P(Grouping, WeightsOfOneDirectionAreThoseOfBoth) {
  EdgeList<std::int32_t> both;
  const auto add = [&](std::int32_t u, std::int32_t v, double w) {
    both.tails.push_back(u);
    both.heads.push_back(v);
    both.weights.push_back(w);
  };
  for (std::size_t i = 0; i < list_.tails.size(); ++i) {
    add(list_.tails[i], list_.heads[i], list_.weights[i]);
    if (list_.tails[i] != list_.heads[i]) add(list_.heads[i], list_.tails[i], list_.weights[i]);
  }
  Csr<double> graph = to_csr(both.view(n_));
  std::vector<double> upper;
  for (const auto& [u, v, w] : arcs_of(graph)) {
    if (u <= v) upper.push_back(w);
  }
  const std::span<const double> given(upper);
  const auto found = weights_both_ways(graph.view(), given);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, graph.weights);

  // A loop in place of the first arc to a vertex that comes before leaves its reverse alone.
  for (vertex_t u = 0; u < n_; ++u) {
    for (edge_t e = graph.view().begin(u); e < graph.view().end(u); ++e) {
      vertex_t& v = graph.heads[static_cast<std::size_t>(e)];
      if (v >= u) continue;
      v = u;
      upper.push_back(0);
      EXPECT_FALSE(weights_both_ways(graph.view(), std::span<const double>(upper)));
      return;
    }
  }
}

TEST_P(Grouping, UpperTrianglesHoldTheirEntriesAndThenTheTransposedOnes) {
  const std::vector<Arc> arcs = arcs_of(graph_);
  std::vector<Arc> expected;
  for (const auto& [u, v, w] : arcs) {
    if (u < v) expected.emplace_back(u, v, w);
  }
  EXPECT_EQ(has_lower_triangle(graph_.view()),
            std::any_of(arcs.begin(), arcs.end(),
                        [](const Arc& arc) { return std::get<1>(arc) < std::get<0>(arc); }));
  for (const auto& [u, v, w] : arcs) {
    if (v < u) expected.emplace_back(v, u, w);
  }
  const UpperTriangle<double> upper = upper_triangle(graph_.view());
  EXPECT_EQ(arcs_of(upper.graph), grouped(expected));
  for (std::size_t i = 0; i < upper.positions.size(); ++i) {
    const auto position = static_cast<std::size_t>(upper.positions[i]);
    ASSERT_EQ(upper.graph.weights[i], graph_.weights[position]);
  }
}

TEST(EdgeList, NamesTheFirstBadEntry) {
  const auto error_of = [](std::vector<std::int64_t> tails, std::vector<std::int64_t> heads,
                           vertex_t n) {
    const std::vector<double> weights(tails.size());
    return test::message_of([&] {
      to_csr(EdgeListView<std::int64_t, double>{n, tails, heads, weights});
    });
  };
  EXPECT_EQ(error_of({0, 1, 2}, {2, 1, 0}, 3), "");
  EXPECT_EQ(error_of({0, 3, 4}, {2, 1, 0}, 3),
            "row index 3 of entry 1 is not a vertex of a graph with 3 vertices (0..2)");
  EXPECT_EQ(error_of({0, 1, 2}, {2, 1, -1}, 3),
            "column index -1 of entry 2 is not a vertex of a graph with 3 vertices (0..2)");
  EXPECT_EQ(error_of({0}, {0}, 0),
            "row index 0 of entry 0 is not a vertex of a graph without vertices");
  EXPECT_EQ(error_of({0, 1}, {0}, 2),
            "an edge list has as many rows as columns and weights, got 2 rows, 1 columns and 2 "
            "weights");
}

TEST(EdgeList, APollEndsIt) {
  struct Ending final : CallHooks {
    void poll() override { throw std::domain_error("interrupted"); }
    void progress(std::int64_t, std::int64_t) override {}
  } hooks;
  const EdgeList<std::int32_t> list = random_list<std::int32_t>(1000, 100'000);
  const ScopedHooks installed(hooks);
  EXPECT_THROW(to_csr(list.view(1000)), std::domain_error);
}

TEST(Dense, ZerosInfinitiesAndNaNAreNoEdges) {
  constexpr double inf = infinity<double>();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values{0, 2, inf, -inf, nan, 3, -1, 0, 4};
  EXPECT_EQ(arcs_of(csr_from_dense<double>(3, values, {})),
            (std::vector<Arc>{{0, 1, 2}, {1, 2, 3}, {2, 0, -1}, {2, 2, 4}}));
}

TEST(Dense, AMaskSaysWhatIsNoEdge) {
  const std::vector<double> values{0, 2, 5, 0};
  const std::array<bool, 4> masked{true, false, true, false};
  EXPECT_EQ(arcs_of(csr_from_dense<double>(2, values, masked)),
            (std::vector<Arc>{{0, 1, 2}, {1, 1, 0}}));
  EXPECT_THROW(csr_from_dense<double>(3, values, masked), std::invalid_argument);
}

}  // namespace
}  // namespace warpgraph
