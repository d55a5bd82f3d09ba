// Bounds on distances: what one pass over the weights says, and the search through roots against
// the largest distance.
#include "algorithms/connected_components/connected_components.hpp"
#include "primitives/distance_bounds/distance_bound.hpp"
#include "primitives/distance_bounds/weight_summary.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

namespace warpgraph {
namespace {

using namespace shortest_paths;
using test::graph_of;

TEST(WeightSummary, TellsIntegersFromOthers) {
  const auto are_integers = [](double weight) {
    return summarise(graph_of<double>(2, {{0, 1, 3}, {1, 0, weight}}).view()).integers;
  };
  const double inf = infinity<double>();
  for (const double weight :
       {0., -7., 0x1p51 + 1, 0x1p52 - 1, 0x1p52 + 1, 0x1p53 - 1, 1e300, inf}) {
    EXPECT_TRUE(are_integers(weight)) << weight;
  }
  for (const double weight : {0.5, -0.5, 1e-300, 0x1p51 + 0.5, -0x1p51 - 0.5, 0x1p52 - 0.5}) {
    EXPECT_FALSE(are_integers(weight)) << weight;
  }
}

TEST(WeightSummary, AddsTheLargestArcOfEachVertex) {
  const auto graph = graph_of<std::int64_t>(3, {{0, 1, 5}, {0, 2, -9}, {1, 0, 4}, {2, 2, 0}});
  const WeightSummary weights = summarise(graph.view());
  EXPECT_TRUE(weights.integers && weights.negative);
  EXPECT_EQ(weights.largest, 9);
  EXPECT_EQ(weights.bound(), 9 + 4);
  CsrView<std::int64_t> view = graph.view();
  view.weights = nullptr;
  EXPECT_EQ(summarise(view).bound(), 3);
  EXPECT_EQ(summarise(graph_of<float>(2, {{0, 1, 0.5F}}).view()).bound(), no_bound);
}

TEST(WeightSummary, CountsTheLargestIntegerOnlyIfAsked) {
  const std::int64_t most = infinity<std::int32_t>();
  const auto graph = graph_of<std::int32_t>(2, {{0, 1, infinity<std::int32_t>()}, {1, 0, 1}});
  EXPECT_EQ(summarise(graph.view()).bound(), 1);
  EXPECT_EQ(summarise(graph.view(), std::int32_t{0}).bound(), most + 1);
  const auto wide = graph_of<std::int64_t>(2, {{0, 1, infinity<std::int64_t>()}, {1, 0, 1}});
  EXPECT_EQ(summarise(wide.view(), std::int64_t{0}).bound(), no_bound);
}

/// The bound after as many rounds as a search needs.
template <class R>
std::int64_t bound_of(const Csr<R>& graph) {
  std::vector<vertex_t> component(static_cast<std::size_t>(graph.view().n_vertices), 0);
  const auto search = [&](vertex_t n_components) {
    return bound_through_roots<R>(graph.view(), component, n_components, 0, 10'000);
  };
  if (const auto bound = search(1)) return std::min(summarise(graph.view()).bound(), *bound);
  const auto bound = search(strong_components_cpu(graph.view(), component));
  return std::min(summarise(graph.view()).bound(), bound.value_or(no_bound));
}

TEST(DistanceBound, GoesThroughARoot) {
  // No two vertices are more than 8000 + 8000 apart; the sum over all vertices is 100 * 8000.
  EXPECT_EQ(bound_of(test::two_cliques(50, 8000)), 8000 + 8000 + 5 + 8000 + 8000);
  EXPECT_EQ(bound_of(test::two_cliques(50, 8191)), 4 * 8191 + 5);
}

TEST(DistanceBound, IsNeverBelowADistance) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const vertex_t n = 30;
    const Csr<std::int64_t> graph =
        test::random_graph<std::int64_t>(n, static_cast<edge_t>(10 + 5 * seed), seed);
    EXPECT_GE(bound_of(graph), largest_distance_reference(graph.view()));
    EXPECT_LE(bound_of(graph), 99 * n);
  }
}

TEST(DistanceBound, ReferenceIsTheLargestDistance) {
  const double inf = infinity<double>();
  const auto graph = graph_of<double>(5, {{0, 1, 4}, {0, 2, 1}, {2, 1, 2}, {3, 4, inf}});
  EXPECT_EQ(largest_distance_reference(graph.view()), 3);
}

}  // namespace
}  // namespace warpgraph
