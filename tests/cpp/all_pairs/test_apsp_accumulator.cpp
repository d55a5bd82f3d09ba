// The accumulators of all-pairs sums: at the bound of each proof, and one unit beyond it.
#include "algorithms/apsp/accumulator.hpp"
#include "support.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace warpgraph {
namespace {

using namespace apsp_detail;
using test::Arcs;
using test::graph_of;

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

TEST(ApspAccumulator, FollowFromABoundThroughARoot) {
  const Csr<std::int32_t> near = test::two_cliques(50, 8000);
  EXPECT_EQ(choose_accumulator(near.view(), 1), Accumulator::uint16);
  EXPECT_EQ(choose_accumulator(near.view(), 0), Accumulator::int32);
  const Csr<std::int32_t> far = test::two_cliques(50, 8191);
  EXPECT_EQ(choose_accumulator(far.view(), 1), Accumulator::int32);
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
