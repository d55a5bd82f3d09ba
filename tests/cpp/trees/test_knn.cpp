// The neighbours of points, and the trees of mutual-reachability distances, against their
// references: for the sanitizers.
#include "algorithms/emst/emst.hpp"
#include "algorithms/knn/given/graph_cores.hpp"
#include "algorithms/knn/knn.hpp"
#include "core/error.hpp"
#include "primitives/kd_tree/knn_search.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <tuple>
#include <utility>
#include <vector>

namespace warpgraph {
namespace {

/// Coordinates are integers below `kinds`: ties, and copies of points if there are few kinds.
std::vector<float> lattice_points(vertex_t n, std::int64_t dimension, std::int64_t kinds) {
  const CounterRandom random(5, 0);
  std::vector<float> coordinates(static_cast<std::size_t>(n * dimension));
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    coordinates[i] = static_cast<float>(random.below(i, static_cast<std::uint64_t>(kinds)));
  }
  return coordinates;
}

/// Dimension, number of different coordinates, k.
class Neighbours : public testing::TestWithParam<std::tuple<int, int, int>> {
 protected:
  static constexpr vertex_t n = 900;
  const test::ScopedThreads threads_{4};
  const int dimension_ = std::get<0>(GetParam());
  const std::int32_t k_ = std::get<2>(GetParam());
  const std::vector<float> coordinates_ = lattice_points(n, dimension_, std::get<1>(GetParam()));
  const PointsView<float> points_{coordinates_.data(), n, dimension_};
};

INSTANTIATE_TEST_SUITE_P(Points, Neighbours,
                         testing::Combine(testing::Values(2, 3, 9, 100),
                                          testing::Values(6, 1'000'000),
                                          testing::Values(1, 7, 40, 41, 300)));

TEST_P(Neighbours, AreThoseOfTheReference) {
  for (const bool include_self : {true, false}) {
    const KnnOptions options{k_, include_self};
    const auto find = [&](auto&& search) {
      const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(k_);
      std::tuple<std::vector<vertex_t>, std::vector<double>, std::vector<double>> found{size, size,
                                                                                        n};
      search(NeighboursView{std::get<0>(found).data(), std::get<1>(found).data(),
                            std::get<2>(found).data()});
      return found;
    };
    const auto expected =
        find([&](const NeighboursView& out) { knn_reference(points_, options, out); });
    for (const bool by_products : {false, true}) {
      const KnnOptions how{k_, include_self, by_products};
      const auto found =
          find([&](const NeighboursView& out) { knn_cpu(points_, how, out, MemoryBudget()); });
      EXPECT_EQ(found, expected);
    }
  }
}

TEST_P(Neighbours, MakeTheTreeOfTheReference) {
  for (const double alpha : {1.0, 0.8, 1.25}) {
    const EmstOptions options{k_, alpha};
    const EuclideanTree expected = emst_reference(points_, options);
    const EuclideanTree found = emst_cpu(points_, options, MemoryBudget());
    EXPECT_EQ(found.edges, expected.edges);
    EXPECT_EQ(found.weights, expected.weights);
  }
}

/// Key and id of the neighbours of each point that is in a leaf.
template <int D>
std::vector<std::pair<float, vertex_t>> neighbours_by_tree(PointsView<float> points, int k) {
  const KdTree<float, D> tree(points);
  std::vector<std::pair<float, vertex_t>> found(static_cast<std::size_t>(points.n_points * k));
  for_each_knn_search(tree, k, true, points.n_points, [&](const auto& search, std::int32_t number) {
    const KdNode& leaf = tree.nodes()[static_cast<std::size_t>(number)];
    for (vertex_t p = leaf.first; p < leaf.last; ++p) {
      for (int j = 0; j < k; ++j) {
        const Neighbour<float> neighbour = search.neighbours(p - leaf.first)[j];
        found[static_cast<std::size_t>(tree.id(p) * k + j)] = {neighbour.key,
                                                               tree.id(neighbour.position)};
      }
    }
  });
  return found;
}

/// Machines with short vectors use trees of a dimension that is known at run time.
TEST_P(Neighbours, AreTheSameIfTheDimensionIsKnownAtRunTime) {
  const auto expected = dimension_ == 2   ? neighbours_by_tree<2>(points_, k_)
                        : dimension_ == 3 ? neighbours_by_tree<3>(points_, k_)
                                          : neighbours_by_tree<0>(points_, k_);
  EXPECT_EQ(neighbours_by_tree<0>(points_, k_), expected);
}

TEST(GraphCores, CountDistinctNeighbours) {
  Csr<double> graph;  // 0 - 1 twice, a loop at 0, 0 - 2
  graph.offsets = {0, 4, 6, 7};
  graph.heads = {0, 1, 1, 2, 0, 0, 0};
  graph.weights = {0.5, 4, 3, 5, 4, 3, 5};
  std::vector<double> cores(3);
  core_distances_of_graph<double>(graph.view(), 3, cores);
  EXPECT_EQ(cores, (std::vector<double>{5, infinity<double>(), infinity<double>()}));
  core_distances_of_graph<double>(graph.view(), 2, cores);
  EXPECT_EQ(cores, (std::vector<double>{3, 3, 5}));
  std::vector<double> weights(7);
  EXPECT_EQ(mutual_reachability_weights<double>(graph.view(), cores, 1, weights), -1);
  EXPECT_EQ(weights, (std::vector<double>{3, 4, 3, 5, 4, 3, 5}));
  EXPECT_EQ(mutual_reachability_weights<double>(graph.view(), {}, 2, weights), -1);
  EXPECT_EQ(weights, (std::vector<double>{0.25, 2, 1.5, 2.5, 2, 1.5, 2.5}));
  EXPECT_EQ(mutual_reachability_weights<double>(graph.view(), cores, 1e-308, weights), 1);
}

}  // namespace
}  // namespace warpgraph
