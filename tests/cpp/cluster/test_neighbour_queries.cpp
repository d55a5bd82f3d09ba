// Neighbours of queries and within a radius, trees by other metrics, and distances by functions,
// against all pairs compared one by one: for the sanitizers.
#include "algorithms/metric_points/function_pairs.hpp"
#include "algorithms/metric_points/metric_points.hpp"
#include "algorithms/neighbour_queries/neighbour_queries.hpp"
#include "support.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace warpgraph {
namespace {

constexpr vertex_t n_points = 500;

/// Coordinates are integers below `kinds`: ties, and copies of points if there are few kinds.
std::vector<double> whole_points(std::int64_t dimension, std::int64_t kinds) {
  const CounterRandom random(7, 0);
  std::vector<double> coordinates(static_cast<std::size_t>(n_points * dimension));
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    coordinates[i] = static_cast<double>(random.below(i, static_cast<std::uint64_t>(kinds)));
  }
  return coordinates;
}

using Row = std::vector<std::pair<double, vertex_t>>;

/// Returns all points as neighbours of a point, in order, by distance(a, b).
template <class Distance>
Row sorted_row(PointsView<double> points, const double* query, const Distance& distance) {
  Row row;
  for (vertex_t q = 0; q < points.n_points; ++q)
    row.emplace_back(distance(query, points.row(q)), q);
  std::sort(row.begin(), row.end());
  return row;
}

double sum_of_differences(const double* a, const double* b, std::intptr_t dimension) {
  double sum = 0;
  for (std::intptr_t k = 0; k < dimension; ++k) sum += std::abs(a[k] - b[k]);
  return sum;
}

/// Returns no distance for pairs of the points 70, 71, ... with later ones.
double refusing(const double* a, const double* b, std::intptr_t) {
  return *a >= 70 && *b > *a + 9 ? -1 : 1;
}

class Queries : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  const test::ScopedThreads threads_{4};
  const int dimension_ = std::get<0>(GetParam());
  const std::vector<double> coordinates_ = whole_points(dimension_, std::get<1>(GetParam()));
  const PointsView<double> points_{coordinates_.data(), n_points, dimension_};
  const MemoryBudget budget_{Device{}};

  [[nodiscard]] double euclidean(const double* a, const double* b) const {
    return std::sqrt(squared_distance(a, b, dimension_));
  }
  [[nodiscard]] double manhattan(const double* a, const double* b) const {
    return sum_of_differences(a, b, dimension_);
  }
};

INSTANTIATE_TEST_SUITE_P(Points, Queries,
                         testing::Combine(testing::Values(1, 2, 3, 7, 9),
                                          testing::Values(4, 1000)));

TEST_P(Queries, NearestAreThoseOfSortedRows) {
  constexpr std::int32_t k = 40;
  std::vector<vertex_t> ids(static_cast<std::size_t>(n_points) * k);
  std::vector<double> distances(ids.size());
  const auto check = [&](const auto& distance) {
    for (vertex_t p = 0; p < n_points; ++p) {
      const Row row = sorted_row(points_, points_.row(p), distance);
      for (std::size_t i = 0; i < k; ++i) {
        const std::size_t place = static_cast<std::size_t>(p) * k + i;
        ASSERT_EQ(std::make_pair(distances[place], ids[place]), row[i]);
      }
    }
  };
  const NeighboursView out{ids.data(), distances.data(), nullptr};
  const KnnOptions options{k, true};
  for (const bool by_products : {false, true}) {
    nearest_of_queries(points_, points_, {k, true, by_products}, out, budget_);
    check([&](const double* a, const double* b) { return euclidean(a, b); });
  }
  for (const bool in_boxes : {false, true}) {
    nearest_by_metric(points_, points_, {MetricName::manhattan}, options, false, in_boxes, out,
                      budget_);
    check([&](const double* a, const double* b) { return manhattan(a, b); });
  }
}

TEST_P(Queries, WithinARadiusAreThoseOfSortedRows) {
  const auto check = [&](const NeighbourRows& rows, double radius, const auto& distance) {
    for (vertex_t p = 0; p < n_points; ++p) {
      Row expected{{0.0, p}};
      for (const auto& [apart, q] : sorted_row(points_, points_.row(p), distance)) {
        if (q != p && apart <= radius) expected.emplace_back(apart, q);
      }
      Row found;
      const auto first = static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(p)]);
      const auto last = static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(p) + 1]);
      for (std::size_t i = first; i < last; ++i) {
        found.emplace_back(rows.distances[i], rows.ids[i]);
      }
      ASSERT_EQ(found, expected);
    }
  };
  for (const double radius : {0.0, 2.0, 300.0}) {
    RadiusOptions options{radius};
    for (const bool by_products : {false, true}) {
      options.by_products = by_products;
      check(radius_neighbours(points_, points_, options, budget_), radius,
            [&](const double* a, const double* b) { return euclidean(a, b); });
    }
    options.are_own = false;
    const NeighbourRows products = radius_neighbours(points_, points_, options, budget_);
    options.by_products = false;
    const NeighbourRows boxes = radius_neighbours(points_, points_, options, budget_);
    EXPECT_TRUE(std::ranges::equal(products.offsets, boxes.offsets));
    EXPECT_TRUE(std::ranges::equal(products.ids, boxes.ids));
    EXPECT_TRUE(std::ranges::equal(products.distances, boxes.distances));
    options.are_own = true;
    for (const bool in_boxes : {false, true}) {
      check(radius_by_metric(points_, points_, {MetricName::manhattan}, options, in_boxes, budget_),
            radius, [&](const double* a, const double* b) { return manhattan(a, b); });
    }
  }
}

TEST_P(Queries, TreesByMetricAreThoseOfTheMatrix) {
  std::vector<double> matrix;
  for (vertex_t p = 0; p < n_points; ++p) {
    for (vertex_t q = 0; q < n_points; ++q) {
      matrix.push_back(manhattan(points_.row(p), points_.row(q)));
    }
  }
  const DistanceMatrix<double> distances{matrix.data(), n_points};
  for (const std::int32_t min_samples : {1, 6}) {
    const std::vector<double> cores = core_distances(distances, min_samples);
    const DenseForest expected = dense_mst<double>(distances, cores, 1.5, budget_);
    const DenseForest found =
        mst_by_metric(points_, {MetricName::manhattan}, cores, {1.5, false}, budget_);
    EXPECT_EQ(found.ends, expected.ends);
    EXPECT_EQ(found.weights, expected.weights);
    const DenseForest boxed =
        mst_in_boxes(points_, {MetricName::manhattan}, {min_samples, 1.5}, budget_);
    EXPECT_EQ(boxed.ends, expected.ends);
    EXPECT_EQ(boxed.weights, expected.weights);
  }
}

TEST_P(Queries, BoxesHaveTheResultsOfAllPairs) {
  constexpr std::int32_t k = 12;
  const KnnOptions options{k, false};
  for (const Metric& metric : {Metric{MetricName::chebyshev}, Metric{MetricName::minkowski, 2.5}}) {
    std::vector<double> farthest(n_points);
    std::vector<double> expected(n_points);
    nearest_by_metric(points_, points_, metric, options, true, true,
                      {nullptr, nullptr, farthest.data()}, budget_);
    nearest_by_metric(points_, points_, metric, options, true, false,
                      {nullptr, nullptr, expected.data()}, budget_);
    EXPECT_EQ(farthest, expected);
    const DenseForest boxed = mst_in_boxes(points_, metric, {1, 1}, budget_);
    const DenseForest pairs = mst_by_metric(points_, metric, {}, {}, budget_);
    EXPECT_EQ(boxed.ends, pairs.ends);
    EXPECT_EQ(boxed.weights, pairs.weights);
  }
}

TEST_P(Queries, FunctionsAreCalledForAllPairs) {
  std::vector<double> expected;
  for (vertex_t p = 0; p < n_points; ++p) {
    for (vertex_t q = 0; q < n_points; ++q) {
      expected.push_back(manhattan(points_.row(p), points_.row(q)));
    }
  }
  std::vector<double> found(expected.size());
  EXPECT_EQ(matrix_by_function(points_, sum_of_differences, found).first, no_vertex);
  EXPECT_EQ(found, expected);
  std::fill(found.begin(), found.end(), -1);
  EXPECT_EQ(distances_by_function(points_, points_, sum_of_differences, found).first, no_vertex);
  EXPECT_EQ(found, expected);
}

TEST(FunctionPairs, TheFirstPairWithoutADistanceIsFoundByAllThreads) {
  std::vector<double> numbers(n_points);
  std::iota(numbers.begin(), numbers.end(), 0);
  const PointsView<double> points{numbers.data(), n_points, 1};
  std::vector<double> found(numbers.size() * numbers.size());
  for (const int threads : {1, 4}) {
    const test::ScopedThreads scoped(threads);
    for (const bool of_queries : {false, true}) {
      const RefusedPair refused = of_queries
                                      ? distances_by_function(points, points, refusing, found)
                                      : matrix_by_function(points, refusing, found);
      EXPECT_EQ(refused.first, 70);
      EXPECT_EQ(refused.second, 80);
    }
  }
}

}  // namespace
}  // namespace warpgraph
