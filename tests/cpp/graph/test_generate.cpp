// Generated graphs: equal for any number of threads, and with the promised properties.
#include "core/error.hpp"
#include "graph/generate/generate.hpp"
#include "graph/generate/random_points.hpp"
#include "graph/symmetry/symmetry.hpp"
#include "support.hpp"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <set>

namespace warpgraph {
namespace {

constexpr WeightRule uniform{};
constexpr WeightRule small_integers{WeightRule::Kind::integer, 1, 5};

struct Case {
  const char* name;
  std::function<Csr<double>(std::uint64_t)> make;
  bool simple;
};

void PrintTo(const Case& c, std::ostream* os) { *os << c.name; }

class Generators : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(
    All, Generators,
    testing::Values(
        Case{"rmat", [](std::uint64_t seed) { return rmat<double>({.scale = 12}, uniform, seed); },
             true},
        Case{"noisy rmat with all that was drawn",
             [](std::uint64_t seed) {
               return rmat<double>({.scale = 12, .noise = 0.1, .edges = {false, true, true}},
                                   small_integers, seed);
             },
             false},
        Case{"ssca2",
             [](std::uint64_t seed) { return ssca2<double>({.scale = 13}, uniform, seed); }, true},
        Case{"grid",
             [](std::uint64_t seed) {
               return grid<double>({.rows = 201, .cols = 207, .removed = 0.1}, uniform, seed);
             },
             true}),
    [](const auto& tested) { return std::to_string(tested.index); });

TEST_P(Generators, ThreadsDoNotMatterAndSeedsDo) {
  const auto with = [&](int threads, std::uint64_t seed) {
    const test::ScopedThreads scope(threads);
    return GetParam().make(seed);
  };
  const Csr<double> one = with(1, 7);
  const Csr<double> four = with(4, 7);
  EXPECT_EQ(one.offsets, four.offsets);
  EXPECT_EQ(one.heads, four.heads);
  EXPECT_EQ(one.weights, four.weights);
  EXPECT_NE(one.weights, with(4, 8).weights);
}

TEST_P(Generators, GraphsAreSymmetric) {
  const Csr<double> graph = GetParam().make(7);
  EXPECT_NO_THROW(validate_structure(graph.view()));
  EXPECT_TRUE(is_symmetric(graph.view()));
  EXPECT_GT(graph.heads.size(), graph.offsets.size());
}

TEST_P(Generators, SimpleGraphsAreSimple) {
  if (!GetParam().simple) return;
  const Csr<double> graph = GetParam().make(7);
  const CsrView<double> view = graph.view();
  for (vertex_t u = 0; u < view.n_vertices; ++u) {
    for (edge_t e = view.begin(u); e < view.end(u); ++e) {
      ASSERT_NE(view.heads[e], u);
      if (e > view.begin(u)) {
        ASSERT_LT(view.heads[e - 1], view.heads[e]);
      }
    }
  }
}

TEST(Generators, WeightsFollowTheirRule) {
  const Csr<std::int32_t> graph = grid<std::int32_t>({50, 50, 0}, small_integers, 3);
  const std::set<std::int32_t> values(graph.weights.begin(), graph.weights.end());
  EXPECT_EQ(values, (std::set<std::int32_t>{1, 2, 3, 4, 5}));
  for (const float weight : grid<float>({50, 50, 0}, uniform, 3).weights) {
    ASSERT_GE(weight, 0.0f);
    ASSERT_LT(weight, 1.0f);
  }
  const WeightRule everything{WeightRule::Kind::integer, -infinity<std::int64_t>(),
                              infinity<std::int64_t>()};
  const Csr<std::int64_t> wide = grid<std::int64_t>({50, 50, 0}, everything, 3);
  EXPECT_LT(*std::min_element(wide.weights.begin(), wide.weights.end()), -(std::int64_t{1} << 62));
  EXPECT_GT(*std::max_element(wide.weights.begin(), wide.weights.end()), std::int64_t{1} << 62);
  EXPECT_THROW(grid<std::int32_t>({5, 5, 0}, uniform, 3), std::invalid_argument);
  EXPECT_THROW(grid<std::int32_t>({5, 5, 0}, everything, 3), std::invalid_argument);
}

TEST(Generators, GraphsThatDoNotFitAreRefused) {
  EXPECT_THROW(rmat<double>({.scale = 30, .edge_factor = 10'000}, uniform, 1), OutOfMemory);
}

TEST(Random, RelabellingIsABijection) {
  for (const std::uint64_t n : {1u, 2u, 3u, 5u, 64u, 65u, 1000u, 4096u, 100'003u}) {
    const RandomBijection relabel(n, 5);
    std::vector<char> seen(n);
    for (std::uint64_t v = 0; v < n; ++v) {
      ASSERT_LT(relabel(v), n);
      ASSERT_EQ(seen[relabel(v)]++, 0) << n;
    }
  }
}

TEST(Random, RelabellingScattersNeighbours) {
  constexpr std::uint64_t n = 1 << 16;
  const RandomBijection relabel(n, 5);
  double distance = 0;
  std::uint64_t fixed = 0;
  for (std::uint64_t v = 0; v + 1 < n; ++v) {
    distance += std::abs(static_cast<double>(relabel(v)) - static_cast<double>(relabel(v + 1)));
    fixed += relabel(v) == v;
  }
  EXPECT_NEAR(distance / n / n, 1.0 / 3, 0.02);  // that of two random numbers
  EXPECT_LT(fixed, 10u);
}

TEST(Random, NumbersAreUniformAndStreamsDiffer) {
  const CounterRandom random(1, 2);
  const CounterRandom other(1, 3);
  RandomSequence sequence = random.sequence(9);
  double sum = 0;
  double product = 0;
  double sequence_sum = 0;
  constexpr std::uint64_t n = 100'000;
  for (std::uint64_t i = 0; i < n; ++i) {
    sum += random.uniform(i);
    product += (random.uniform(i) - 0.5) * (other.uniform(i) - 0.5);
    sequence_sum += sequence.uniform();
  }
  EXPECT_NEAR(sum / n, 0.5, 0.005);
  EXPECT_NEAR(sequence_sum / n, 0.5, 0.005);
  EXPECT_NEAR(product / n, 0, 0.002);
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_LT(random.below(i, 7), 7u);
}

TEST(RandomPoints, BlobsCarryTheirLabels) {
  std::vector<double> points(3000);
  std::vector<std::int32_t> labels(1000);
  random_points<double>({PointOptions::Kind::blobs, 3, 4, 0.0}, 1, points, labels);
  for (std::size_t i = 1; i < labels.size(); ++i) {
    ASSERT_LT(labels[i], 4);
    ASSERT_EQ(labels[i] == labels[0],
              std::equal(&points[3 * i], &points[3 * i] + 3, points.data()));
  }
}

}  // namespace
}  // namespace warpgraph
