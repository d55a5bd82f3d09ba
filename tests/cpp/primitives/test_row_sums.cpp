// Sums over rows: by the definition, and sums that are known.
#include "primitives/row_sums_graphs.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace warpgraph {
namespace {

TEST(RowSumReference, AddsInTheOrderOfTheContract) {
  // Adding 1 to 2^53 rounds it away; adding 2 does not.
  const double large = 0x1p53;
  EXPECT_EQ(row_sum_reference({}), 0);
  EXPECT_EQ(row_sum_reference({3}), 3);
  // Lanes 0 and 2 first, then lanes 1 and 3.
  EXPECT_EQ(row_sum_reference({large, 1, 1, 1}), large + 2);
  EXPECT_EQ(row_sum_reference({large, 0, 1, 1}), large);
  // Lane 0 has the first and the ninth of 9 values.
  EXPECT_EQ(row_sum_reference({large, 0, 0, 0, 0, 1, 0, 0, 1}), large);
  EXPECT_EQ(row_sum_reference({large, 1, 0, 0, 0, 1, 0, 0, 0}), large + 2);
  // 257 values: a segment and a single value.
  std::vector<double> values(257, 0);
  values.front() = large;
  values.back() = 1;
  EXPECT_EQ(row_sum_reference(values), large);
  values[1] = 1;  // another lane of the first segment: added before the single value
  EXPECT_EQ(row_sum_reference(values), large);
}

class RowSums : public testing::TestWithParam<int> {
 protected:
  const test::ScopedThreads threads_{GetParam()};

  template <class Value>
  static std::vector<double> sums_of(const CsrPattern& graph, const Value& value) {
    std::vector<double> results(static_cast<std::size_t>(graph.n_vertices), 77);
    std::atomic<std::int64_t> rows{0};
    sum_rows(graph, RowBlocks(graph), value,
             [&](int thread, vertex_t first, std::span<const double> sums) {
               EXPECT_LT(thread, GetParam());
               std::copy(sums.begin(), sums.end(), results.begin() + first);
               rows += std::ssize(sums);
             });
    EXPECT_EQ(rows, graph.n_vertices);
    return results;
  }
};

INSTANTIATE_TEST_SUITE_P(Threads, RowSums, testing::Values(1, 4));

TEST_P(RowSums, EqualTheDefinition) {
  const Csr<double> graph = test::graph_of_all_orders();
  const CsrView<double> view = graph.view();
  const test::WeightTimesHead value{view.weights};
  EXPECT_EQ(sums_of(view, value), test::row_sums_by_reference(view, value));
}

TEST_P(RowSums, EqualTheDefinitionWhereTheGraphEndsWithARowOfAnyLength) {
  for (vertex_t n_arcs = 0; n_arcs < 40; ++n_arcs) {
    test::Arcs<double> arcs;
    for (vertex_t e = 0; e < n_arcs; ++e) arcs.emplace_back(1, e % 3, 0.1 * e);
    const Csr<double> graph = test::graph_of(3, arcs);
    const test::WeightTimesHead value{graph.weights.data()};
    EXPECT_EQ(sums_of(graph.view(), value), test::row_sums_by_reference(graph.view(), value));
  }
}

TEST_P(RowSums, AreExactForIntegers) {
  const Csr<double> graph = test::graph_of_all_orders();
  const CsrView<double> view = graph.view();
  const auto heads = sums_of(view, [](vertex_t head, edge_t) { return static_cast<double>(head); });
  for (vertex_t u = 0; u < view.n_vertices; ++u) {
    const auto expected =
        std::accumulate(view.heads + view.begin(u), view.heads + view.end(u), 0.0);
    ASSERT_EQ(heads[static_cast<std::size_t>(u)], expected) << "row " << u;
  }
  const Csr<double> empty;
  EXPECT_TRUE(sums_of(empty.view(), test::WeightTimesHead{nullptr}).empty());
}

TEST_P(RowSums, PassErrorsOn) {
  const Csr<double> graph = test::graph_of_all_orders();
  for (const edge_t failing : {edge_t{5}, static_cast<edge_t>(graph.heads.size()) - 20'000}) {
    const auto value = [&](vertex_t, edge_t e) {
      if (e == failing) throw std::domain_error("the value failed");
      return 1.0;
    };
    EXPECT_EQ(test::message_of([&] { sums_of(graph.view(), value); }), "the value failed");
  }
}

}  // namespace
}  // namespace warpgraph
