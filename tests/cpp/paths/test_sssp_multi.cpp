// Shortest paths by several workers of the host against Dijkstra's algorithm.
#include "algorithms/bfs/bfs.hpp"
#include "paths/sssp_paths.hpp"
#include "support.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace warpgraph {
namespace {

using test::Paths;
using test::paths_alone;

template <class W>
Paths<W> by_workers(const CsrView<W>& graph, const SsspOptions<W>& options, std::size_t n) {
  Paths<W> found(graph.n_vertices);
  sssp_multi(graph, 0, std::vector<Device>(n), options, found.result());
  return found;
}

class SsspBy : public testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Workers, SsspBy, testing::Values(1, 2, 3, 5, 8));

TEST_P(SsspBy, FindsTheSamePaths) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Csr<double> graph = test::random_graph<double>(3000, 12000, seed);
    SsspOptions<double> options;
    EXPECT_EQ(by_workers(graph.view(), options, GetParam()), paths_alone(graph.view(), options));
    options.limit = 90;
    EXPECT_EQ(by_workers(graph.view(), options, GetParam()), paths_alone(graph.view(), options));
    const std::vector<vertex_t> targets{17, 2900, 1500, 17};
    options.targets = targets;
    EXPECT_EQ(by_workers(graph.view(), options, GetParam()), paths_alone(graph.view(), options));
  }
}

/// Workers take vertices from a heap in the end, since no width of buckets suits.
TEST_P(SsspBy, FindsPathsOfWeightsFarApart) {
  Csr<double> graph = test::random_graph<double>(20000, 60000, 3);
  for (double& weight : graph.weights) weight = std::pow(10.0, weight / 5 - 10);
  EXPECT_EQ(by_workers<double>(graph.view(), {}, GetParam()),
            paths_alone<double>(graph.view(), {}));
}

TEST_P(SsspBy, ReportsOverflow) {
  const std::int32_t big = 1 << 30;
  const Csr<std::int32_t> graph =
      test::graph_of<std::int32_t>(9, {{0, 8, big}, {3, 1, 1}, {8, 3, big}});
  const std::string message =
      test::message_of([&] { paths_alone<std::int32_t>(graph.view(), {}); });
  EXPECT_NE(message, "");
  EXPECT_EQ(test::message_of([&] { by_workers<std::int32_t>(graph.view(), {}, GetParam()); }),
            message);
}

TEST_P(SsspBy, CountsHops) {
  const Csr<float> graph = test::random_graph<float>(5000, 9000, 1);
  std::vector<vertex_t> hops(5000), tree(5000), expected(5000), expected_tree(5000);
  for (const vertex_t limit : {3, 1000}) {
    BfsOptions options;
    options.limit = limit;
    bfs_reference(graph.view(), options, expected, expected_tree);
    bfs_multi(graph.view(), std::vector<Device>(GetParam()), options, hops, tree);
    EXPECT_EQ(hops, expected);
    EXPECT_EQ(tree, expected_tree);
  }
}

}  // namespace
}  // namespace warpgraph
