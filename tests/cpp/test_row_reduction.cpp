// Reductions over rows: by the definition, and as sums that are known.
#include "primitives/row_reduction/row_reduction.hpp"
#include "row_reduction_graphs.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <numeric>

namespace warpgraph {
namespace {

TEST(RowReductionReference, CombinesInTheOrderOfTheContract) {
  const test::OrderedHash hash;
  const auto of = [&](std::size_t n) {
    std::vector<std::uint64_t> values(n);
    std::iota(values.begin(), values.end(), 1);
    return reduce_reference(std::move(values), hash, std::uint64_t{0});
  };
  EXPECT_EQ(of(0), 0u);
  EXPECT_EQ(of(3), hash(hash(1, 2), 3));
  // 17 values: lane 0 has 1, lane 16 has 17, and the lanes after it have none.
  const auto pair = [&](auto&& self, std::uint64_t l, std::uint64_t lanes) -> std::uint64_t {
    if (lanes == 32) return l < 17 ? l + 1 : 0;
    return hash(self(self, l, 2 * lanes), self(self, l + lanes, 2 * lanes));
  };
  EXPECT_EQ(of(17), pair(pair, 0, 1));
  // 1025 values: a segment and a single value.
  EXPECT_EQ(of(1025), hash(of(1024), 1025));
}

class RowReduction : public testing::TestWithParam<int> {
 protected:
  const test::ScopedThreads threads_{GetParam()};

  template <class T, class Value, class Combine>
  static std::vector<T> reduced(const CsrPattern& graph, const Value& value, const Combine& combine,
                                T identity = {}) {
    std::vector<T> results(static_cast<std::size_t>(graph.n_vertices), T{77});
    reduce_rows(graph, RowBlocks(graph), value, combine, identity, results.data());
    return results;
  }
};

INSTANTIATE_TEST_SUITE_P(Threads, RowReduction, testing::Values(1, 4));

TEST_P(RowReduction, EqualsTheDefinition) {
  const Csr<double> graph = test::graph_of_all_orders();
  const CsrView<double> view = graph.view();
  const auto check = [&]<class T>(const auto& value, const auto& combine, T) {
    EXPECT_EQ(reduced<T>(view, value, combine),
              test::reduced_by_reference<T>(view, value, combine));
  };
  check(test::Mixed{}, test::OrderedHash{}, std::uint64_t{});
  check(test::Weight<double>{view.weights}, test::Sum{}, double{});
  check(test::Weight<float>{view.weights}, test::Sum{}, float{});
}

TEST_P(RowReduction, AddsIntegersExactly) {
  const Csr<double> graph = test::graph_of_all_orders();
  const CsrView<double> view = graph.view();
  const auto heads = reduced<std::int64_t>(
      view, [](vertex_t, vertex_t head, edge_t) { return std::int64_t{head}; }, test::Sum{});
  for (vertex_t u = 0; u < view.n_vertices; ++u) {
    const auto expected =
        std::accumulate(view.heads + view.begin(u), view.heads + view.end(u), std::int64_t{0});
    ASSERT_EQ(heads[static_cast<std::size_t>(u)], expected) << "row " << u;
  }
}

TEST_P(RowReduction, GivesTheIdentityForRowsWithoutArcs) {
  const Csr<double> graph = test::graph_of_all_orders();
  const CsrView<double> view = graph.view();
  const double infinite = std::numeric_limits<double>::infinity();
  const auto lightest = reduced<double>(
      view, test::Weight<double>{view.weights}, [](double a, double b) { return std::min(a, b); },
      infinite);
  for (vertex_t u = 0; u < view.n_vertices; ++u) {
    double expected = infinite;
    for (edge_t e = view.begin(u); e < view.end(u); ++e) {
      expected = std::min(expected, view.weights[e]);
    }
    ASSERT_EQ(lightest[static_cast<std::size_t>(u)], expected) << "row " << u;
  }
  const Csr<double> empty;
  EXPECT_TRUE(reduced<double>(empty.view(), test::Weight<double>{nullptr}, test::Sum{}).empty());
}

TEST_P(RowReduction, PassesErrorsOn) {
  const Csr<double> graph = test::graph_of_all_orders();
  for (const edge_t failing : {edge_t{5}, static_cast<edge_t>(graph.heads.size()) - 20'000}) {
    const auto value = [&](vertex_t, vertex_t, edge_t e) {
      if (e == failing) throw std::domain_error("the value failed");
      return 1.0;
    };
    EXPECT_EQ(test::message_of([&] { reduced<double>(graph.view(), value, test::Sum{}); }),
              "the value failed");
  }
}

}  // namespace
}  // namespace warpgraph
