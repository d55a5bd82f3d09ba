// All pairs on CPU cores: micro kernels against their definition, the blocked method against three
// loops over the same tiles, bit by bit, and apsp_cpu against the naive method.
#include "algorithms/apsp/apsp.hpp"
#include "algorithms/apsp/tiles/blocked_floyd.hpp"
#include "core/error.hpp"
#include "support.hpp"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace warpgraph {
namespace {

using namespace apsp_detail;

template <Accumulator acc_>
struct AccumulatorTag {
  static constexpr Accumulator acc = acc_;
};

/// A matrix with 0 on the diagonal, missing arcs, and floats whose sums are rounded.
template <Accumulator acc>
std::vector<AccumulatorValue<acc>> random_matrix(vertex_t n, bool negative) {
  using Value = AccumulatorValue<acc>;
  const CounterRandom weights(5, 0);
  const CounterRandom missing(5, 1);
  const CounterRandom potentials(5, 2);
  std::vector<Value> matrix;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(n); ++i) {
    for (std::uint64_t j = 0; j < static_cast<std::uint64_t>(n); ++j) {
      const std::uint64_t at = i * static_cast<std::uint64_t>(n) + j;
      auto value = static_cast<Value>(weights.below(at, 1000) + 1);
      if constexpr (std::is_floating_point_v<Value>) value /= Value{7};
      if (negative) {
        // Potentials cancel along a cycle, so none becomes negative.
        value += static_cast<Value>(potentials.below(i, 500));
        value -= static_cast<Value>(potentials.below(j, 500));
      }
      const bool is_missing = missing.below(at, 10) < 8;
      matrix.push_back(i == j ? Value{0} : is_missing ? ArithmeticOf<acc>::infinity : value);
    }
  }
  return matrix;
}

/// c = min(c, a (x) b) in min-plus algebra, for tiles of a matrix given by their corners.
template <Accumulator acc>
void multiply_plainly(std::vector<AccumulatorValue<acc>>& d, vertex_t n, vertex_t tile,
                      vertex_t row, vertex_t middle, vertex_t column) {
  const std::vector<AccumulatorValue<acc>> old = d;
  const auto at = [&](vertex_t i, vertex_t j) { return static_cast<std::size_t>(i) * n + j; };
  for (vertex_t i = row; i < std::min(n, row + tile); ++i) {
    for (vertex_t j = column; j < std::min(n, column + tile); ++j) {
      for (vertex_t k = middle; k < std::min(n, middle + tile); ++k) {
        const auto through = ArithmeticOf<acc>::add(old[at(i, k)], old[at(k, j)]);
        d[at(i, j)] = std::min(d[at(i, j)], through);
      }
    }
  }
}

/// The definition of the blocked method.
template <Accumulator acc>
void block_plainly(std::vector<AccumulatorValue<acc>>& d, vertex_t n, vertex_t tile) {
  const auto at = [&](vertex_t i, vertex_t j) { return static_cast<std::size_t>(i) * n + j; };
  for (vertex_t round = 0; round < n; round += tile) {
    const vertex_t end = std::min(n, round + tile);
    for (vertex_t k = round; k < end; ++k) {
      for (vertex_t i = round; i < end; ++i) {
        for (vertex_t j = round; j < end; ++j) {
          const auto through = ArithmeticOf<acc>::add(d[at(i, k)], d[at(k, j)]);
          d[at(i, j)] = std::min(d[at(i, j)], through);
        }
      }
    }
    for (vertex_t t = 0; t < n; t += tile) {
      if (t == round) continue;
      multiply_plainly<acc>(d, n, tile, round, round, t);
      multiply_plainly<acc>(d, n, tile, t, round, round);
    }
    for (vertex_t i = 0; i < n; i += tile) {
      for (vertex_t j = 0; j < n; j += tile) {
        if (i != round && j != round) multiply_plainly<acc>(d, n, tile, i, round, j);
      }
    }
  }
}

template <class Tag>
class ApspIn : public testing::Test {};

using Accumulators =
    testing::Types<AccumulatorTag<Accumulator::uint16>, AccumulatorTag<Accumulator::int32>,
                   AccumulatorTag<Accumulator::int64>,
                   AccumulatorTag<Accumulator::saturating_int64>,
                   AccumulatorTag<Accumulator::float32>, AccumulatorTag<Accumulator::float64>>;
TYPED_TEST_SUITE(ApspIn, Accumulators);

TYPED_TEST(ApspIn, KernelsOfEveryLevelMultiply) {
  constexpr Accumulator acc = TypeParam::acc;
  using Value = AccumulatorValue<acc>;
  const std::vector<Value> numbers = random_matrix<acc>(128, false);
  for (const SimdLevel level : {SimdLevel::baseline, SimdLevel::avx2, SimdLevel::avx512}) {
    if (level > simd_level()) continue;
    for (const bool negative : {false, true}) {
      const MicroKernel<Value> kernel = micro_kernel<acc>(level, negative);
      ASSERT_LE(kernel.rows, max_kernel_rows);
      ASSERT_LE(kernel.columns, max_kernel_columns);
      ASSERT_EQ(64 % kernel.rows, 0);
      ASSERT_EQ(64 % kernel.columns, 0);
      constexpr std::int64_t steps = 37;
      const Value* const a = numbers.data() + 1;
      const Value* const b = numbers.data() + 777;
      std::vector<Value> c(numbers.end() - max_kernel_rows * (max_kernel_columns + 3),
                           numbers.end());
      std::vector<Value> expected = c;
      const std::int64_t stride = max_kernel_columns + 3;
      for (std::int64_t i = 0; i < kernel.rows; ++i) {
        for (std::int64_t j = 0; j < kernel.columns; ++j) {
          Value& best = expected[static_cast<std::size_t>(i * stride + j)];
          for (std::int64_t k = 0; k < steps; ++k) {
            best = std::min(
                best, ArithmeticOf<acc>::add(a[k * kernel.rows + i], b[k * kernel.columns + j]));
          }
        }
      }
      kernel.relax(steps, a, b, c.data(), stride);
      EXPECT_EQ(c, expected) << "level " << static_cast<int>(level);
    }
  }
}

TYPED_TEST(ApspIn, BlockedMatchesItsDefinition) {
  constexpr Accumulator acc = TypeParam::acc;
  using Value = AccumulatorValue<acc>;
  const bool may_be_negative = acc != Accumulator::uint16;
  for (const vertex_t n : {1, 7, 64, 65, 129, 200}) {
    for (const vertex_t tile : {64, 128}) {
      for (const bool negative : {false, may_be_negative}) {
        const std::vector<Value> matrix = random_matrix<acc>(n, negative);
        std::vector<Value> expected = matrix;
        block_plainly<acc>(expected, n, tile);
        for (const int threads : {1, 4}) {
          const test::ScopedThreads scope(threads);
          std::vector<Value> distances = matrix;
          BlockedFloyd<acc>({distances.data(), n, n, n}, tile, negative).run();
          ASSERT_EQ(std::memcmp(distances.data(), expected.data(), sizeof(Value) * matrix.size()),
                    0)
              << n << " vertices, tiles of " << tile << ", " << threads << " threads";
        }
      }
    }
  }
}

/// Uses rows with gaps between them, and checks that nothing is written there.
template <class R>
std::vector<R> solve(const CsrView<R>& graph, ApspMethod method, MemoryBudget budget = {}) {
  constexpr R untouched{77};
  const vertex_t n = graph.n_vertices;
  const std::int64_t stride = n + 3;
  std::vector<R> rows(static_cast<std::size_t>(n * stride), untouched);
  apsp_cpu<R>(graph, {method, budget}, {rows.data(), stride, false});
  std::vector<R> distances;
  for (vertex_t u = 0; u < n; ++u) {
    const auto row = rows.begin() + u * stride;
    distances.insert(distances.end(), row, row + n);
    EXPECT_EQ(std::vector<R>(row + n, row + stride), std::vector<R>(3, untouched));
  }
  return distances;
}

template <class R>
class ApspOf : public testing::Test {};

using Weights = testing::Types<float, double, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(ApspOf, Weights);

TYPED_TEST(ApspOf, BlockedAgreesWithNaive) {
  const test::ScopedThreads threads(4);
  for (const vertex_t n : {0, 1, 2, 63, 150}) {
    for (const edge_t arcs : {n / 2, 2 * n, n * n / 4}) {
      const auto graph = test::random_graph<TypeParam>(n, n == 0 ? 0 : arcs, 3);
      EXPECT_EQ(solve(graph.view(), ApspMethod::blocked), solve(graph.view(), ApspMethod::naive));
      CsrView<TypeParam> unweighted = graph.view();
      unweighted.weights = nullptr;
      EXPECT_EQ(solve(unweighted, ApspMethod::blocked), solve(unweighted, ApspMethod::naive));
    }
  }
}

/// Weights of every magnitude that has its own accumulator.
TYPED_TEST(ApspOf, LargeWeightsAgreeWithNaive) {
  const test::ScopedThreads threads(4);
  for (const std::int64_t factor : {1'000LL, 1'000'000LL, 1LL << 40, 1LL << 53}) {
    if (factor > (1LL << 24) && sizeof(TypeParam) == 4) continue;
    for (const bool negative : {false, true}) {
      auto graph = test::random_graph<TypeParam>(100, 400, 8);
      const vertex_t n = 100;
      for (vertex_t u = 0; u < n; ++u) {
        for (edge_t e = graph.view().begin(u); e < graph.view().end(u); ++e) {
          const auto at = static_cast<std::size_t>(e);
          // The vertex numbers are potentials: arcs may become negative, cycles not.
          if (negative) graph.weights[at] += static_cast<TypeParam>(graph.heads[at] - u);
          graph.weights[at] *= static_cast<TypeParam>(factor);
        }
      }
      if (std::is_same_v<TypeParam, float> && factor > 1000) continue;
      EXPECT_EQ(solve(graph.view(), ApspMethod::blocked), solve(graph.view(), ApspMethod::naive));
    }
  }
}

Csr<double> triangle(double there, double on, double back) {
  Csr<double> graph;
  graph.offsets = {0, 1, 2, 3};
  graph.heads = {1, 2, 0};
  graph.weights = {there, on, back};
  return graph;
}

TEST(Apsp, NegativeCyclesAreNamed) {
  const Csr<double> zero = triangle(2, 3, -5);
  EXPECT_EQ(solve(zero.view(), ApspMethod::blocked), solve(zero.view(), ApspMethod::naive));
  for (const double back : {-6., -5.5}) {  // with two accumulators
    const Csr<double> negative = triangle(2, 3, back);
    for (const ApspMethod method : {ApspMethod::naive, ApspMethod::blocked}) {
      try {
        solve(negative.view(), method);
        FAIL() << "no exception";
      } catch (const NegativeCycle& cycle) {
        EXPECT_EQ(cycle.vertex, 2);  // the first pivot whose distance to itself is negative
      }
    }
  }
}

TEST(Apsp, NegativeCyclesFarDownAreFound) {
  const test::ScopedThreads threads(4);
  Csr<std::int32_t> graph = test::random_graph<std::int32_t>(300, 3000, 2);
  graph.offsets.push_back(graph.offsets.back() + 1);  // vertex 300 with a negative loop
  graph.heads.push_back(300);
  graph.weights.push_back(-1);
  for (const ApspMethod method : {ApspMethod::naive, ApspMethod::blocked}) {
    try {
      solve(graph.view(), method);
      FAIL() << "no exception";
    } catch (const NegativeCycle& cycle) {
      EXPECT_EQ(cycle.vertex, 300);
    }
  }
}

template <class R>
Csr<R> path(std::vector<R> weights) {
  Csr<R> graph;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    graph.heads.push_back(static_cast<vertex_t>(i) + 1);
    graph.offsets.push_back(static_cast<edge_t>(i) + 1);
  }
  graph.offsets.push_back(static_cast<edge_t>(weights.size()));
  graph.weights.assign(weights.begin(), weights.end());
  return graph;
}

template <class R>
void expect_overflow(const Csr<R>& graph, bool overflows) {
  for (const ApspMethod method : {ApspMethod::naive, ApspMethod::blocked}) {
    if (overflows) {
      EXPECT_THROW(solve(graph.view(), method), std::overflow_error);
    } else {
      EXPECT_NO_THROW(solve(graph.view(), method));
    }
  }
}

TEST(Apsp, OverflowIsNeverAWrongNumber) {
  const std::int32_t most = std::numeric_limits<std::int32_t>::max();
  expect_overflow(path<std::int32_t>({most - 2, 1}), false);
  expect_overflow(path<std::int32_t>({most - 2, 2}), true);
  expect_overflow(path<std::int32_t>({most - 2, 2, -1}), true);
  expect_overflow(path<std::int32_t>({-most, -1}), false);
  expect_overflow(path<std::int32_t>({-most, -2}), true);
  const std::int64_t longest = std::numeric_limits<std::int64_t>::max();
  expect_overflow(path<std::int64_t>({longest - 2, 1}), false);
  expect_overflow(path<std::int64_t>({longest - 2, 2}), true);
  expect_overflow(path<std::int64_t>({-longest, -1}), false);
  expect_overflow(path<std::int64_t>({-longest, -2}), true);
  const Csr<std::int32_t> named = path<std::int32_t>({5, most - 2, 2});
  EXPECT_EQ(test::message_of([&] { solve(named.view(), ApspMethod::blocked); }),
            "the distance 2147483650 from vertex 0 to vertex 2 does not fit the distances' type; "
            "ask for a wider dtype");
}

TEST(Apsp, LightestOfParallelArcsAndNoInfiniteOnes) {
  Csr<double> graph;
  graph.offsets = {0, 4, 5, 5};
  graph.heads = {1, 1, 0, 2, 2};
  graph.weights = {7, -0.0, 4, infinity<double>(), infinity<double>()};
  const double inf = infinity<double>();
  const std::vector<double> expected{0, 0, inf, inf, 0, inf, inf, inf, 0};
  for (const ApspMethod method : {ApspMethod::naive, ApspMethod::blocked}) {
    const std::vector<double> distances = solve(graph.view(), method);
    EXPECT_EQ(distances, expected);
    EXPECT_FALSE(std::signbit(distances[1]));
  }
}

TEST(Apsp, LittleMemoryIsEnoughInPlace) {
  const CallThreads few(4);  // bytes() is for all threads, and solve() takes fewer for little work
  const Csr<double> graph = test::random_graph<double>(1000, 4000, 4);
  const std::vector<double> expected = solve(graph.view(), ApspMethod::blocked);
  const std::size_t panels = BlockedFloyd<Accumulator::float64>::bytes(1000, tile_side(1000));
  EXPECT_EQ(solve(graph.view(), ApspMethod::blocked, MemoryBudget({}, panels)), expected);
  const std::string message = test::message_of(
      [&] { solve(graph.view(), ApspMethod::blocked, MemoryBudget({}, panels - 1)); });
  EXPECT_NE(message.find(std::to_string(panels)), std::string::npos) << message;
}

}  // namespace
}  // namespace warpgraph
