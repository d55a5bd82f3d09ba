// k-means with bounds on distances, against the plain algorithm, bit by bit.
#include "algorithms/kmeans/lloyd.hpp"
#include "graph/generate/random.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <span>
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

}  // namespace
}  // namespace warpgraph::kmeans_detail
