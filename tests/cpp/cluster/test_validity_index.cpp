// Validity of clusters of points and of their distances in a matrix, on several threads: for the
// sanitizers. Python tests compare with the definition.
#include "algorithms/validity_index/validity_index.hpp"
#include "support.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace warpgraph {
namespace {

constexpr vertex_t n_points = 600;

/// Points on a line, many of them at the same places, and their labels: noise, two large clusters,
/// one of two points and one of a single point.
class ValidityIndex : public testing::TestWithParam<double> {
 protected:
  ValidityIndex() {
    const CounterRandom random(3, 0);
    for (vertex_t i = 0; i < n_points; ++i) {
      places_.push_back(static_cast<float>(random.below(static_cast<std::uint64_t>(i), 200)));
      labels_.push_back(i < 2 ? 9 : i == 2 ? 20 : i % 3 - 1);
    }
    // Coordinates decide between equal distances of points, and rows between those of a matrix.
    std::ranges::sort(places_);
    for (const float a : places_) {
      for (const float b : places_) distances_.push_back(std::abs(a - b));
    }
  }

  const test::ScopedThreads threads_{4};
  const ValidityOptions options_{.exponent = GetParam()};
  std::vector<float> places_;
  std::vector<float> distances_;
  std::vector<vertex_t> labels_;
};

INSTANTIATE_TEST_SUITE_P(Exponents, ValidityIndex, testing::Values(0.0, 1.0, 3.0));

TEST_P(ValidityIndex, IsThatOfGivenDistances) {
  std::vector<std::int64_t> done;
  const auto report = [&](std::int64_t number, std::int64_t) { done.push_back(number); };
  const PairsByMetric<float> pairs{{places_.data(), n_points, 1}, {MetricName::manhattan}};
  const ClusterValidity wanted = validity_of_points(pairs, labels_, options_, report);
  EXPECT_EQ(done, (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
  const DistanceMatrix<float> matrix{distances_.data(), n_points};
  const ClusterValidity found = validity_of_matrix(matrix, labels_, options_, report);
  EXPECT_EQ(found.labels, (HostVector<vertex_t>{0, 1, 9, 20}));
  EXPECT_EQ(found.labels, wanted.labels);
  EXPECT_EQ(found.sizes, wanted.sizes);
  EXPECT_EQ(found.validity, wanted.validity);
}

TEST_P(ValidityIndex, RefusesIslands) {
  const auto report = [](std::int64_t, std::int64_t) {};
  for (std::size_t i = 0; i < n_points; ++i) {
    distances_[i] = distances_[i * n_points] = infinity<float>();
  }
  const DistanceMatrix<float> matrix{distances_.data(), n_points};
  EXPECT_THROW((void)validity_of_matrix(matrix, labels_, options_, report), std::invalid_argument);
}

}  // namespace
}  // namespace warpgraph
