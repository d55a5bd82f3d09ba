// Every parallel algorithm against its slow truth, with more threads than cores: what the Python
// tests do on more graphs, here in a form that thread and address sanitizers can watch.
#include "algorithms/connected_components/connected_components.hpp"
#include "algorithms/mst/mst.hpp"
#include "graph/symmetry.hpp"
#include "graph/upper_triangle.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

namespace warpgraph {
namespace {

class Algorithms : public testing::TestWithParam<edge_t> {
 protected:
  static constexpr vertex_t n = 5000;
  const test::ScopedThreads threads_{4};
  const Csr<double> graph_ = test::random_graph<double>(n, GetParam(), 11);
};

// Scattered, at the threshold of one giant component, dense.
INSTANTIATE_TEST_SUITE_P(Arcs, Algorithms, testing::Values(0, 2000, 5000, 60'000));

TEST_P(Algorithms, ConnectedComponents) {
  std::vector<vertex_t> expected(n);
  std::vector<vertex_t> labels(n);
  const vertex_t count = connected_components_reference(graph_.view(), expected);
  EXPECT_EQ(connected_components_cpu(graph_.view(), false, labels), count);
  EXPECT_EQ(labels, expected);
}

TEST_P(Algorithms, MinimumSpanningForest) {
  const Csr<double> upper = upper_triangle(graph_.view()).graph;
  const Csr<double> mirrored = symmetrise(upper.view());
  for (const bool maximum : {false, true}) {
    for (const Csr<double>* graph : {&upper, &mirrored}) {
      MstOptions options;
      options.maximum = maximum;
      options.mirrored = graph == &mirrored;
      const SpanningForest<double> expected = mst_reference(graph->view(), options);
      const SpanningForest<double> forest = mst_cpu(graph->view(), options);
      EXPECT_EQ(forest.positions, expected.positions);
      EXPECT_EQ(forest.ends, expected.ends);
      EXPECT_EQ(forest.weights, expected.weights);
    }
  }
}

}  // namespace
}  // namespace warpgraph
