// The device edge list of shortest paths in each order, and the cache that keeps it between calls.
#include "algorithms/sssp/device_searches.hpp"
#include "core/cuda/memory/derived_cache.hpp"
#include "graph/device_csr.hpp"
#include "on_device.hpp"
#include "primitives/relaxation/device_edge_list.cuh"
#include "support.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <tuple>

namespace warpgraph::shortest_paths {
namespace {

using Edge = std::tuple<vertex_t, vertex_t, double>;

class DeviceEdges : public test::OnDevice {
 protected:
  /// The list of a graph, as a plan orders it.
  std::vector<Edge> listed(const Csr<double>& graph, const DeviceEdgeListPlan& plan) const {
    const test::CopiedGraph<double> there(graph.view(), stream());
    const DeviceEdgeList<double> list(there.view(), plan, stream());
    const DeviceEdgeListView<double> view = list.view();
    EXPECT_EQ(view.both_ways, plan.symmetric);
    const std::vector<vertex_t> tails = fetched(view.tails, view.n_edges);
    const std::vector<vertex_t> heads = fetched(view.heads, view.n_edges);
    const std::vector<double> weight = fetched(view.weights, view.n_edges);
    std::vector<Edge> edges;
    for (std::size_t e = 0; e < tails.size(); ++e) {
      edges.emplace_back(tails[e], heads[e], weight[e]);
    }
    return edges;
  }
};

/// The arcs of a graph in the order of its rows. If `once`, without arcs to a smaller vertex.
std::vector<Edge> arcs_of(const Csr<double>& graph, bool once) {
  const CsrView<double> view = graph.view();
  std::vector<Edge> arcs;
  for_each_arc(view, 0, view.n_arcs, [&](vertex_t tail, vertex_t head, edge_t e) {
    if (!once || tail <= head) arcs.emplace_back(tail, head, view.weights[e]);
  });
  return arcs;
}

TEST_F(DeviceEdges, AreInTheOrderOfTheRows) {
  const Csr<double> graph = test::random_graph<double>(500, 3000, 1);
  EXPECT_EQ(listed(graph, {false, 0}), arcs_of(graph, false));
  EXPECT_EQ(listed(graph, {true, 0}), arcs_of(graph, true));
}

TEST_F(DeviceEdges, AreSortedByTheSegmentsOfHeadAndTail) {
  const Csr<double> graph = test::random_graph<double>(500, 3000, 2);
  for (const vertex_t length : {1, 7, 64, 499, 500, 1000}) {
    for (const bool symmetric : {false, true}) {
      std::vector<Edge> expected = arcs_of(graph, symmetric);
      std::stable_sort(expected.begin(), expected.end(), [=](const Edge& a, const Edge& b) {
        const auto segments = [=](const Edge& edge) {
          return std::pair(std::get<1>(edge) / length, std::get<0>(edge) / length);
        };
        return segments(a) < segments(b);
      });
      EXPECT_EQ(listed(graph, {symmetric, length}), expected) << length;
    }
  }
}

TEST_F(DeviceEdges, MayBeNone) {
  EXPECT_TRUE(listed(test::random_graph<double>(10, 0, 1), {true, 3}).empty());
}

TEST_F(DeviceEdges, HaveLengthsForTheCache) {
  const Device device = stream().device();
  const auto length = [&](vertex_t n) { return segment_length_for<double>(n, device); };
  const auto l2_cache = static_cast<vertex_t>(properties(device).l2_cache);
  EXPECT_EQ(length(3), 0) << "everything fits";
  EXPECT_EQ(length(l2_cache), l2_cache / 48);
}

struct Derived {
  int value;
  static std::size_t bytes() { return 100; }
};

TEST_F(DeviceEdges, AreMadeOnce) {
  cuda::DerivedCache cache(stream());
  int made = 0;
  const auto make = [&](const cuda::Stream&) { return Derived{++made}; };
  EXPECT_EQ(cache.find<Derived>(1), nullptr);
  EXPECT_EQ(cache.get<Derived>(1, make)->value, 1);
  EXPECT_EQ(cache.get<Derived>(1, make)->value, 1);
  EXPECT_EQ(cache.get<Derived>(2, make)->value, 2);
  EXPECT_EQ(cache.find<Derived>(1)->value, 1);
  EXPECT_EQ(cache.bytes(), 200u);
  const auto fail = [](const cuda::Stream&) -> Derived { throw OutOfMemory("no memory"); };
  EXPECT_THROW(static_cast<void>(cache.get<Derived>(3, fail)), OutOfMemory);
  EXPECT_EQ(cache.get<Derived>(3, make)->value, 3);
}

}  // namespace
}  // namespace warpgraph::shortest_paths
