// Components and PageRank on several endpoints of the host against those of a single device.
#include "algorithms/connected_components/connected_components.hpp"
#include "algorithms/pagerank/pagerank.hpp"
#include "support.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace warpgraph::test {
namespace {

class VirtualDevices : public ::testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] static std::vector<Device> devices() { return std::vector<Device>(GetParam()); }
};

Csr<float> reversed(const CsrView<float>& graph) {
  Arcs<float> arcs;
  for (vertex_t u = 0; u < graph.n_vertices; ++u) {
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
      arcs.emplace_back(graph.heads[e], u, graph.weights[e]);
    }
  }
  std::stable_sort(arcs.begin(), arcs.end(),
                   [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
  return graph_of(graph.n_vertices, arcs);
}

TEST_P(VirtualDevices, LabelComponentsAsTheReference) {
  for (const edge_t arcs : {0, 1500, 4000, 30000}) {
    const Csr<float> graph = random_graph<float>(4000, arcs, 7);
    std::vector<vertex_t> expected(4000);
    std::vector<vertex_t> labels(4000);
    const vertex_t n = connected_components_reference(graph.view(), expected);
    EXPECT_EQ(connected_components_multi(graph.view(), false, no_vertex, devices(), labels), n);
    EXPECT_EQ(labels, expected);
  }
}

TEST_P(VirtualDevices, RankWithTheBitsOfOne) {
  const Csr<float> graph = random_graph<float>(3000, 9000, 8);
  const Csr<float> transposed = reversed(graph.view());
  std::vector<double> sums(3000);
  EXPECT_TRUE(sum_leaving_weights(graph.view(), sums).in_range);
  PageRankVectors vectors;
  vectors.weight_sums = sums;
  PageRankOptions options;
  options.change_bound = 3e-9;
  std::vector<double> expected(3000);
  std::vector<double> scores(3000);
  const PageRankResult one = pagerank_cpu(transposed.view(), vectors, options, {expected});
  const PageRankResult several =
      pagerank_multi(transposed.view(), vectors, options, {scores}, devices());
  EXPECT_EQ(several.sweeps, one.sweeps);
  EXPECT_EQ(several.change, one.change);
  EXPECT_EQ(scores, expected);
}

INSTANTIATE_TEST_SUITE_P(Several, VirtualDevices, ::testing::Values(1, 2, 3, 5, 8));

}  // namespace
}  // namespace warpgraph::test
