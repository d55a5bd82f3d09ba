// Breadth-first search on a device against the sequential one: hubs, rows longer than a warp tries,
// both directions and the changes between them, arcs one way, high diameter.
#include "algorithms/bfs/bfs.hpp"
#include "graph/device_csr.hpp"
#include "on_device.hpp"
#include "search/bfs_graphs.hpp"

#include <gtest/gtest.h>

namespace warpgraph::test {
namespace {

class BfsCuda : public OnDevice {
 protected:
  void expect_right(const Csr<float>& graph, BfsOptions options) const {
    for (const bool by_levels : {true, false}) {
      options.by_levels = by_levels;
      expect_right_by_one(graph, options);
    }
  }

 private:
  void expect_right_by_one(const Csr<float>& graph, const BfsOptions& options) const {
    const auto n = graph.offsets.size() - 1;
    std::vector<vertex_t> hops(n), tree(n), expected_hops(n), expected_tree(n);
    bfs_reference(graph.view(), options, expected_hops, expected_tree);
    const DevicePattern on_device(graph.view(), stream());
    bfs_cuda(on_device.view(), graph.view(), options, {hops, tree}, stream());
    EXPECT_EQ(hops, expected_hops);
    EXPECT_EQ(tree, expected_tree);
    const cuda::DeviceBuffer<vertex_t> resident(n, stream());
    bfs_cuda(on_device.view(), graph.view(), options, {{resident.data(), n}, {}, true}, stream());
    EXPECT_EQ(fetched(resident), expected_hops);
  }
};

TEST_F(BfsCuda, FromBothSides) {
  const Csr<float> graph = graph_of(6000, power_law(6000, 60'000), true);
  for (const vertex_t source : {0, 1500, 5999}) {
    for (const vertex_t limit : {infinity<vertex_t>(), 0, 2}) {
      expect_right(graph, {.source = source, .limit = limit, .symmetric = true});
    }
  }
}

TEST_F(BfsCuda, ArcsOneWay) {
  const Csr<float> graph = graph_of(6000, power_law(6000, 60'000), false);
  for (const vertex_t source : {0, 1500, 5999}) expect_right(graph, {.source = source});
}

TEST_F(BfsCuda, AHubThatIsReachedByItsLastArc) {
  const vertex_t n_leaves = 9000;
  const vertex_t n_core = 1500;
  const Csr<float> graph = graph_of(n_leaves + n_core + 31, late_hub(n_leaves, n_core), true);
  for (const vertex_t source : {n_leaves + n_core, n_leaves + n_core - 1, n_leaves, 17}) {
    expect_right(graph, {.source = source, .symmetric = true});
  }
}

TEST_F(BfsCuda, ManyLevelsOfManyArcs) {
  const Csr<float> graph = graph_of(50 * 12, chain_of_cliques(50, 12), true);
  expect_right(graph, {.source = 0, .symmetric = true});
  expect_right(graph, {.source = 300, .symmetric = true});
}

TEST_F(BfsCuda, APath) {
  expect_right(graph_of(2000, path(2000), true), {.source = 700, .symmetric = true});
  expect_right(graph_of(2000, path(2000), false), {.source = 700, .limit = 500});
  expect_right(graph_of(1, {}, true), {.source = 0, .symmetric = true});
}

}  // namespace
}  // namespace warpgraph::test
