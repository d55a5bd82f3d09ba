// Every mapping of arcs to threads visits every arc of the frontier once, and no other arc.
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/worklist.cuh"
#include "graph/device_csr.hpp"
#include "graph/for_each_edge.cuh"
#include "on_device.hpp"
#include "support.hpp"

#include <cooperative_groups.h>

#include <gtest/gtest.h>
#include <numeric>

namespace warpgraph::cuda {
namespace {

/// Visits of the arc at a position.
struct Visits {
  int count;
  vertex_t tail;
  vertex_t head;
};

struct RecordVisit {
  Visits* visits;
  __device__ void operator()(vertex_t tail, vertex_t head, edge_t position) const {
    atomicAdd(&visits[position].count, 1);
    visits[position].tail = tail;
    visits[position].head = head;
  }
};

/// Degrees from 0 to thousands. Rows without arcs at both ends and in long runs.
Csr<float> uneven_graph() {
  constexpr vertex_t n = 5000;
  const CounterRandom random(5, 0);
  Csr<float> graph;
  for (vertex_t u = 0; u < n; ++u) {
    edge_t degree = u % 7 == 0 ? 3 : u % 5;
    if (u < 10 || u > n - 10 || (u > 1000 && u < 4000)) degree = 0;
    if (u == 2500) degree = 9999;
    if (u == 500) degree = 2048;
    for (edge_t e = 0; e < degree; ++e) {
      graph.heads.push_back(static_cast<vertex_t>(random.below(graph.heads.size(), n)));
    }
    graph.offsets.push_back(static_cast<edge_t>(graph.heads.size()));
  }
  graph.weights.resize(graph.heads.size());
  return graph;
}

class ForEachEdge : public test::OnDeviceWith<EdgeMapping> {
 protected:
  /// Visits the arcs of `vertices` (nullptr: of all vertices) and checks the visits.
  void check(const Csr<float>& graph, const std::vector<vertex_t>* vertices) const {
    const DevicePattern pattern(graph.view(), stream());
    const DeviceBuffer<Visits> visits(graph.heads.size(), stream());
    fill_bytes(visits.data(), 0, visits.size(), stream());
    DeviceBuffer<vertex_t> list;
    if (vertices == nullptr) {
      for_each_edge(stream(), pattern.view(), AllVertices{pattern.view().n_vertices}, GetParam(),
                    RecordVisit{visits.data()});
    } else {
      list = to_device(std::span<const vertex_t>(*vertices), stream());
      for_each_edge(stream(), pattern.view(), VertexList{list.data(), std::ssize(*vertices)},
                    GetParam(), RecordVisit{visits.data()});
    }
    expect_visited(graph, vertices, fetched(visits));
  }

  static void expect_visited(const Csr<float>& graph, const std::vector<vertex_t>* vertices,
                             const std::vector<Visits>& found) {
    const CsrView<float> view = graph.view();
    for (vertex_t u = 0; u < view.n_vertices; ++u) {
      const bool listed = vertices == nullptr ||
                          std::find(vertices->begin(), vertices->end(), u) != vertices->end();
      for (edge_t e = view.begin(u); e < view.end(u); ++e) {
        const Visits& arc = found[static_cast<std::size_t>(e)];
        ASSERT_EQ(arc.count, listed ? 1 : 0) << "of arc " << e << " of vertex " << u;
        if (!listed) continue;
        ASSERT_EQ(arc.tail, u);
        ASSERT_EQ(arc.head, view.heads[e]);
      }
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Mappings, ForEachEdge,
                         testing::Values(EdgeMapping::thread, EdgeMapping::warp, EdgeMapping::block,
                                         EdgeMapping::merge_path));

TEST_P(ForEachEdge, VisitsAllVertices) {
  check(uneven_graph(), nullptr);
  check(test::random_graph<float>(3000, 200'000, 4), nullptr);
}

TEST_P(ForEachEdge, VisitsAList) {
  const Csr<float> graph = uneven_graph();
  std::vector<vertex_t> every_third;
  for (vertex_t u = 4999; u >= 0; u -= 3) every_third.push_back(u);
  check(graph, &every_third);
  const std::vector<vertex_t> hub{2500};
  check(graph, &hub);
  const std::vector<vertex_t> without_arcs{0, 1, 2, 3000, 4999};
  check(graph, &without_arcs);
  const std::vector<vertex_t> nothing;
  check(graph, &nothing);
}

TEST_P(ForEachEdge, VisitsNothingOfAGraphWithoutArcs) {
  check(test::random_graph<float>(1, 0, 1), nullptr);
  check(test::random_graph<float>(10'000, 0, 1), nullptr);
}

/// after[i] = before[i] + before[i + n / 2], through memory that other blocks write before the
/// barrier.
__global__ void sum_of_pairs(const int* before, int* between, int* after, int n) {
  const auto grid = cooperative_groups::this_grid();
  const auto rank = static_cast<int>(grid.thread_rank());
  for (int i = rank; i < n; i += static_cast<int>(grid.size())) between[i] = before[i];
  grid.sync();
  for (int i = rank; i < n; i += static_cast<int>(grid.size())) {
    after[i] = between[i] + between[(i + n / 2) % n];
  }
}

class CooperativeLaunch : public test::OnDevice {};

TEST_F(CooperativeLaunch, BlocksSynchroniseAtTheBarrier) {
  constexpr int n = 1'000'003;
  const DeviceBuffer<int> before(n, stream());
  const DeviceBuffer<int> between(n, stream());
  const DeviceBuffer<int> after(n, stream());
  iota(before.data(), n, stream());
  launch_cooperative(stream(), resident_blocks(stream(), sum_of_pairs, 256, 0), 256, 0,
                     sum_of_pairs, before.data(), between.data(), after.data(), n);
  const std::vector<int> found = fetched(after);
  for (int i = 0; i < n; ++i) ASSERT_EQ(found[static_cast<std::size_t>(i)], i + (i + n / 2) % n);
}

}  // namespace
}  // namespace warpgraph::cuda
