// k-means with bounds on distances, against the plain algorithm, bit by bit.
#include "algorithms/kmeans/lloyd.hpp"
#include "graph/generate/random.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <span>
#include <utility>
#include <vector>

namespace warpgraph::kmeans_detail {
namespace {

template <class T>
class KMeansBounds : public testing::Test {
 protected:
  /// Starts from the first k points.
  static void compare(const std::vector<T>& coordinates, std::int64_t dimension, std::int64_t k) {
    const auto n = static_cast<vertex_t>(static_cast<std::int64_t>(coordinates.size()) / dimension);
    const PointsView<T> points{coordinates.data(), n, dimension};
    const auto start = std::span(coordinates).first(static_cast<std::size_t>(k * dimension));
    const KMeansOptions options{15, 0};
    const KMeansResult<T> expected = run_lloyd<T>(points, start, options, false);
    const KMeansResult<T> found = run_lloyd<T>(points, start, options);
    EXPECT_EQ(found.centres, expected.centres);
    EXPECT_TRUE(found.labels == expected.labels);
    EXPECT_EQ(found.inertia, expected.inertia);
    EXPECT_EQ(found.iterations, expected.iterations);
    compare_weighted(points, start, options);
  }
  /// Weights of 1 are none; with others the bounds change nothing either.
  static void compare_weighted(PointsView<T> points, std::span<const T> start,
                               const KMeansOptions& options) {
    const auto n = static_cast<std::size_t>(points.n_points);
    const std::vector<double> ones(n, 1);
    const KMeansResult<T> plain = run_lloyd<T>(points, start, options);
    const KMeansResult<T> even = run_lloyd<T>({points, ones.data()}, start, options);
    EXPECT_EQ(even.centres, plain.centres);
    EXPECT_EQ(even.inertia, plain.inertia);
    std::vector<double> weights;
    for (std::size_t i = 0; i < n; ++i) weights.push_back(static_cast<double>(i % 3) / 7);
    const WeightedPoints<T> weighted{points, weights.data()};
    const KMeansResult<T> expected = run_lloyd<T>(weighted, start, options, false);
    const KMeansResult<T> found = run_lloyd<T>(weighted, start, options);
    EXPECT_EQ(found.centres, expected.centres);
    EXPECT_TRUE(found.labels == expected.labels);
    EXPECT_EQ(found.inertia, expected.inertia);
  }

 private:
  const test::ScopedThreads threads_{4};
};

using Coordinates = testing::Types<float, double>;
TYPED_TEST_SUITE(KMeansBounds, Coordinates);

/// Points around k centres.
TYPED_TEST(KMeansBounds, ChangeNothing) {
  struct Size {
    std::uint64_t n, dimension, k;
  };
  for (const auto& [n, dimension, k] : {Size{20'000, 2, 30}, {8000, 16, 64}, {8000, 3, 300}}) {
    const CounterRandom centres(1, 0);
    const CounterRandom moves(1, 1);
    std::vector<TypeParam> coordinates;
    for (std::uint64_t i = 0; i < n * dimension; ++i) {
      const std::uint64_t centre = i / dimension % k;
      const auto at =
          static_cast<TypeParam>(centres.below(centre * dimension + i % dimension, 997));
      coordinates.push_back(at + static_cast<TypeParam>(moves.below(i, 200)) / 3);
    }
    this->compare(coordinates, static_cast<std::int64_t>(dimension), static_cast<std::int64_t>(k));
  }
}

/// Many distances are equal, and far from the origin they are rounded.
TYPED_TEST(KMeansBounds, ChangeNothingAmongEqualDistances) {
  for (const TypeParam offset : {TypeParam{0}, TypeParam{1e2}, TypeParam{1e4}, TypeParam{1e7}}) {
    const CounterRandom random(3, 0);
    std::vector<TypeParam> coordinates;
    for (std::uint64_t i = 0; i < 15'000; ++i) {
      coordinates.push_back(offset + static_cast<TypeParam>(random.below(i, 5)) / 4);
    }
    for (const std::int64_t k : {1, 2, 9, 40}) this->compare(coordinates, 5, k);
  }
}

/// Threads change no draw, and points of weight 0 are never drawn.
TYPED_TEST(KMeansBounds, PlusPlusDrawsTheSamePointsWithAnyThreads) {
  const CounterRandom random(5, 0);
  std::vector<TypeParam> coordinates;
  std::vector<double> weights;
  std::vector<double> uniforms;
  for (std::uint64_t i = 0; i < 60'000; ++i) {
    coordinates.push_back(static_cast<TypeParam>(random.below(i, 1000)) / 3);
  }
  for (std::uint64_t i = 0; i < 20'000; ++i) weights.push_back(static_cast<double>(i % 5) / 3);
  for (std::uint64_t i = 0; i < 1 + 19 * 4; ++i) {
    uniforms.push_back(static_cast<double>(random.below(i, 1 << 20)) / (1 << 20));
  }
  const PointsView<TypeParam> points{coordinates.data(), 20'000, 3};
  const MemoryBudget budget{Device{}};
  const double* const unweighted = nullptr;
  for (const double* given : {unweighted, std::as_const(weights).data()}) {
    const WeightedPoints<TypeParam> weighted{points, given};
    const auto found = plus_plus_points<TypeParam>(weighted, 20, uniforms, budget);
    const test::ScopedThreads one(1);
    EXPECT_EQ(found, plus_plus_points<TypeParam>(weighted, 20, uniforms, budget));
    for (const vertex_t row : found) EXPECT_TRUE(weighted.counts(row));
  }
}

}  // namespace
}  // namespace warpgraph::kmeans_detail
