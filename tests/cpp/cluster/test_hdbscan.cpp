// HDBSCAN with several threads equals HDBSCAN with one, bit for bit, and the parts of its answer
// fit together. The Python tests compare it with its definition; these run under the sanitizers.
#include "algorithms/hdbscan/condense/dendrogram.hpp"
#include "algorithms/hdbscan/hdbscan.hpp"
#include "core/containers/at.hpp"
#include "core/threads/parallel.hpp"
#include "support.hpp"
#include "trees/single_linkage_trees.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace warpgraph::test {
namespace {

struct Answer {
  CondensedTree tree;
  Selection selection;
  HostVector<double> outliers;
  Exemplars typical;
};

Answer solve(std::span<const double> linkage, vertex_t size, double persistence) {
  Answer answer{simplify(condense(linkage, size), persistence), {}, {}, {}};
  answer.selection = select_clusters(answer.tree.view(), {});
  answer.outliers.resize(linkage.size() / 4 + 1);
  outlier_scores(answer.tree.view(), answer.outliers);
  answer.typical = exemplars(answer.tree.view(), answer.selection.clusters);
  return answer;
}

void expect_equal(const Answer& a, const Answer& b) {
  EXPECT_EQ(a.tree.point_cluster, b.tree.point_cluster);
  EXPECT_EQ(a.tree.point_lambda, b.tree.point_lambda);
  EXPECT_EQ(a.tree.stability, b.tree.stability);
  EXPECT_EQ(a.selection.labels, b.selection.labels);
  EXPECT_EQ(a.selection.probabilities, b.selection.probabilities);
  EXPECT_EQ(a.selection.persistence, b.selection.persistence);
  EXPECT_EQ(a.outliers, b.outliers);
  EXPECT_EQ(a.typical.points, b.typical.points);
}

/// Every point is in the clusters from the one that it leaves up to the root.
void expect_sizes_fit(const CondensedTree& tree) {
  std::vector<vertex_t> size(tree.parent.size(), 0);
  for (const vertex_t cluster : tree.point_cluster) ++size[at(cluster)];
  for (std::size_t c = size.size(); c-- > 1;) size[at(tree.parent[c])] += size[c];
  EXPECT_EQ(size, tree.size);
}

class Hdbscan : public testing::TestWithParam<TreeShape> {};

TEST_P(Hdbscan, ThreadsDoNotMatter) {
  for (const vertex_t n : {2, 3, 10, 60'000}) {
    const std::vector<double> linkage = reference_of(make_tree(GetParam(), n));
    for (const double persistence : {0.0, 0.1}) {
      for (const vertex_t size : {2, 5, 100}) {
        const ScopedThreads one(1);
        const Answer wanted = solve(linkage, size, persistence);
        expect_sizes_fit(wanted.tree);
        const ScopedThreads many(5);
        expect_equal(solve(linkage, size, persistence), wanted);
      }
    }
  }
}

TEST_P(Hdbscan, SweepEqualsSingleSizes) {
  const ScopedThreads many(4);
  constexpr vertex_t n = 20'000;
  const std::vector<double> linkage = reference_of(make_tree(GetParam(), n));
  const std::vector<vertex_t> sizes{2, 3, 5, 8, 13, 400, 30'000};
  std::vector<vertex_t> labels(sizes.size() * n);
  std::vector<double> chances(labels.size());
  const auto n_clusters = sweep_sizes(linkage, sizes, 0, {}, labels, chances);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Selection single = solve(linkage, sizes[i], 0).selection;
    EXPECT_EQ(n_clusters[i], std::ssize(single.clusters));
    EXPECT_TRUE(std::equal(single.labels.begin(), single.labels.end(), &labels[i * n]));
    EXPECT_TRUE(
        std::equal(single.probabilities.begin(), single.probabilities.end(), &chances[i * n]));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Hdbscan, testing::ValuesIn(all_shapes));

/// Sums of blocks, then of blocks of these sums.
double sum_in_blocks(std::vector<double> summands) {
  while (summands.size() > 1) {
    std::vector<double> sums;
    for (std::size_t i = 0; i < summands.size(); i += 256) {
      const auto begin = summands.begin() + static_cast<std::ptrdiff_t>(i);
      const auto end =
          summands.begin() + static_cast<std::ptrdiff_t>(std::min(i + 256, summands.size()));
      sums.push_back(std::accumulate(begin, end, 0.0));
    }
    summands = std::move(sums);
  }
  return summands.empty() ? 0 : summands[0];
}

TEST(HdbscanOrderedSums, AddInBlocks) {
  std::mt19937 random(5);
  std::lognormal_distribution<double> distribution(0, 9);
  hdbscan::UpperLevels levels;
  for (const std::size_t n : {0, 1, 255, 256, 257, 511, 512, 65'535, 65'536, 65'537, 65'800}) {
    std::vector<double> summands(n);
    hdbscan::OrderedSum sum;
    for (double& x : summands) levels.add(sum, x = distribution(random));
    EXPECT_EQ(levels.total(sum), sum_in_blocks(summands)) << n << " summands";
  }
}

TEST(HdbscanCentres, ThreadsDoNotMatter) {
  constexpr vertex_t n = 50'000;
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> coordinates(3 * n);
  std::vector<vertex_t> labels(n);
  std::vector<double> weights(n);
  for (double& x : coordinates) x = normal(random);
  for (vertex_t p = 0; p < n; ++p) {
    labels[at(p)] = p < 40'000 ? 0 : static_cast<vertex_t>(random() % 50) - 1;
    weights[at(p)] = 0.01 + std::abs(normal(random));
  }
  const PointsView<double> points{coordinates.data(), n, 3};
  const WeightedLabels clusters{labels, weights, 49};
  const ScopedThreads one(1);
  const auto wanted_medoids = medoids(points, clusters);
  const auto wanted_centroids = centroids(points, clusters);
  const ScopedThreads many(5);
  EXPECT_EQ(medoids(points, clusters), wanted_medoids);
  EXPECT_EQ(centroids(points, clusters), wanted_centroids);
}

}  // namespace
}  // namespace warpgraph::test
