// The accumulators of all-pairs sums: at the bound of each proof, and one unit beyond it.
#include "algorithms/apsp/distance_bound.hpp"
#include "support.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <tuple>

namespace warpgraph {
namespace {

using namespace apsp_detail;

template <class R>
using Arcs = std::vector<std::tuple<vertex_t, vertex_t, R>>;

/// Arcs must be sorted by tails.
template <class R>
Csr<R> graph_of(vertex_t n_vertices, const Arcs<R>& arcs) {
  Csr<R> graph;
  std::size_t next = 0;
  for (vertex_t u = 0; u < n_vertices; ++u) {
    for (; next < arcs.size() && std::get<0>(arcs[next]) == u; ++next) {
      graph.heads.push_back(std::get<1>(arcs[next]));
      graph.weights.push_back(std::get<2>(arcs[next]));
    }
    graph.offsets.push_back(static_cast<edge_t>(next));
  }
  return graph;
}

template <class R>
Accumulator accumulator_of(vertex_t n_vertices, const Arcs<R>& arcs) {
  return choose_accumulator(graph_of<R>(n_vertices, arcs).view());
}

TEST(ApspAccumulator, AreChosenUpToTheirBound) {
  EXPECT_EQ(accumulator_of<double>(3, {{0, 1, 32765}, {1, 2, 1}}), Accumulator::uint16);
  EXPECT_EQ(accumulator_of<double>(3, {{0, 1, 32765}, {1, 2, 2}}), Accumulator::int32);
  EXPECT_EQ(accumulator_of<float>(3, {{0, 1, 32765}, {1, 2, 2}}), Accumulator::float32);
  const std::int32_t most = (1 << 29) - 1;
  EXPECT_EQ(accumulator_of<double>(3, {{0, 1, most - 1.}, {1, 2, 1}}), Accumulator::int32);
  EXPECT_EQ(accumulator_of<double>(3, {{0, 1, most}, {1, 2, 1}}), Accumulator::float64);
  EXPECT_EQ(accumulator_of<std::int32_t>(2, {{0, 1, most}}), Accumulator::int32);
  EXPECT_EQ(accumulator_of<std::int32_t>(2, {{0, 1, most + 1}}), Accumulator::int64);
  const std::int64_t widest = (std::int64_t{1} << 61) - 1;
  EXPECT_EQ(accumulator_of<std::int64_t>(2, {{0, 1, widest}}), Accumulator::int64);
  EXPECT_EQ(accumulator_of<std::int64_t>(2, {{0, 1, widest + 1}}), Accumulator::saturating_int64);
}

TEST(ApspAccumulator, HoldNegativeWeights) {
  EXPECT_EQ(accumulator_of<std::int32_t>(2, {{0, 1, -1}}), Accumulator::int32);
  EXPECT_EQ(accumulator_of<float>(2, {{0, 1, -1}}), Accumulator::float32);
  const std::int32_t most = (1 << 29) - 1;
  EXPECT_EQ(accumulator_of<std::int32_t>(3, {{0, 1, -most + 1}, {1, 2, 1}}), Accumulator::int32);
  EXPECT_EQ(accumulator_of<std::int32_t>(3, {{0, 1, -most}, {1, 2, 1}}), Accumulator::int64);
  const auto lowest = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(accumulator_of<std::int64_t>(2, {{0, 1, lowest}}), Accumulator::saturating_int64);
}

TEST(ApspAccumulator, OfFractionsAreFloats) {
  EXPECT_EQ(accumulator_of<double>(2, {{0, 1, 0.5}}), Accumulator::float64);
  EXPECT_EQ(accumulator_of<float>(2, {{0, 1, 0.5F}}), Accumulator::float32);
  EXPECT_EQ(accumulator_of<double>(2, {{0, 1, 1e300}}), Accumulator::float64);
  const double inf = infinity<double>();
  EXPECT_EQ(accumulator_of<double>(3, {{0, 1, inf}, {1, 2, 7}}), Accumulator::uint16);
}

TEST(ApspAccumulator, CountArcsWithoutWeights) {
  Csr<double> graph = graph_of<double>(2, {{0, 1, 1}});
  CsrView<double> view = graph.view();
  view.weights = nullptr;
  EXPECT_EQ(choose_accumulator(view), Accumulator::uint16);
  EXPECT_EQ(choose_accumulator(CsrView<double>{}), Accumulator::uint16);
}

TEST(ApspAccumulator, RefuseSumsThatMayReachMinusInfinity) {
  EXPECT_THROW(accumulator_of<double>(2, {{0, 1, -infinity<double>()}}), std::overflow_error);
  EXPECT_THROW(accumulator_of<float>(2, {{0, 1, -3e38F}}), std::overflow_error);
  EXPECT_EQ(accumulator_of<double>(2, {{0, 1, -3e38}}), Accumulator::float64);
}

/// Two complete graphs with one arc of 5 from the first to the second.
Arcs<std::int32_t> clusters(vertex_t side, std::int32_t weight) {
  Arcs<std::int32_t> arcs;
  for (vertex_t u = 0; u < 2 * side; ++u) {
    for (vertex_t v = 0; v < 2 * side; ++v) {
      if (u / side == v / side && u != v) arcs.emplace_back(u, v, weight);
    }
    if (u == side - 1) arcs.emplace_back(u, side, 5);
  }
  return arcs;
}

/// The bound that a choice has if it may scan arcs as often as it needs.
template <class R>
std::int64_t bound_of(const Csr<R>& graph) {
  return std::min(summarise(graph.view()).sum,
                  bound_through_roots(graph.view(), 0, 10'000).value_or(no_bound));
}

TEST(ApspAccumulator, BoundGoesThroughARoot) {
  // No two vertices are more than 8000 + 8000 apart; the sum over all vertices is 100 * 8000.
  const Csr<std::int32_t> near = graph_of<std::int32_t>(100, clusters(50, 8000));
  EXPECT_EQ(bound_of(near), 8000 + 8000 + 5 + 8000 + 8000);
  EXPECT_EQ(choose_accumulator(near.view(), 1), Accumulator::uint16);
  EXPECT_EQ(choose_accumulator(near.view(), 0), Accumulator::int32);
  const Csr<std::int32_t> far = graph_of<std::int32_t>(100, clusters(50, 8191));
  EXPECT_EQ(bound_of(far), 4 * 8191 + 5);
  EXPECT_EQ(choose_accumulator(far.view(), 1), Accumulator::int32);
}

TEST(ApspAccumulator, BoundIsNeverBelowADistance) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const vertex_t n = 30;
    const Csr<std::int64_t> graph =
        test::random_graph<std::int64_t>(n, static_cast<edge_t>(10 + 5 * seed), seed);
    std::vector<std::int64_t> d(std::size_t{n} * n, 1'000'000);
    const auto at = [](vertex_t i, vertex_t j) { return static_cast<std::size_t>(i * n + j); };
    for (vertex_t u = 0; u < n; ++u) {
      d[at(u, u)] = 0;
      for (edge_t e = graph.view().begin(u); e < graph.view().end(u); ++e) {
        std::int64_t& place = d[at(u, graph.view().heads[e])];
        place = std::min(place, graph.view().weights[e]);
      }
    }
    for (vertex_t k = 0; k < n; ++k) {
      for (vertex_t i = 0; i < n; ++i) {
        for (vertex_t j = 0; j < n; ++j)
          d[at(i, j)] = std::min(d[at(i, j)], d[at(i, k)] + d[at(k, j)]);
      }
    }
    std::int64_t farthest = 0;
    for (const std::int64_t distance : d) {
      if (distance < 1'000'000) farthest = std::max(farthest, distance);
    }
    EXPECT_GE(bound_of(graph), farthest);
    EXPECT_LE(bound_of(graph), 99 * n);
  }
}

TEST(ApspAccumulator, ConvertWhatFits) {
  EXPECT_EQ((from_accumulator<Accumulator::uint16, double>(32766)), 32766.0);
  EXPECT_EQ((from_accumulator<Accumulator::uint16, double>(32767)), infinity<double>());
  EXPECT_EQ((to_accumulator<Accumulator::int32, double>(infinity<double>())), (1 << 30) - 1);
  EXPECT_EQ((from_accumulator<Accumulator::int32, std::int32_t>(1 << 29)),
            infinity<std::int32_t>());
  EXPECT_FALSE(std::signbit(to_accumulator<Accumulator::float64, double>(-0.0)));
  const std::int64_t largest = infinity<std::int32_t>();
  EXPECT_TRUE((fits_result<Accumulator::int64, std::int32_t>(largest - 1)));
  EXPECT_FALSE((fits_result<Accumulator::int64, std::int32_t>(largest)));
  EXPECT_TRUE((fits_result<Accumulator::int64, std::int32_t>(-largest - 1)));
  EXPECT_FALSE((fits_result<Accumulator::int64, std::int32_t>(-largest - 2)));
  EXPECT_TRUE(
      (fits_result<Accumulator::int64, std::int32_t>(ArithmeticOf<Accumulator::int64>::infinity)));
}

}  // namespace
}  // namespace warpgraph
