// Sums over rows on a device equal those of the host bit by bit.
#include "on_device.hpp"
#include "primitives/row_sums/device_row_sums.cuh"
#include "primitives/row_sums_graphs.hpp"

namespace warpgraph::cuda {
namespace {

/// Counts how often each row is passed.
struct WriteSum {
  CsrPattern graph;
  double* sums;
  int* counts;
  __device__ vertex_t load(vertex_t u) const { return u; }
  __device__ void operator()(vertex_t u, edge_t degree, vertex_t loaded, double sum) const {
    sums[u] = sum;
    if (loaded == u && degree == graph.degree(u)) atomicAdd(counts + u, 1);
  }
};

/// Twice: the second time finds what the first one leaves.
template <bool stages_octets>
__global__ void write_row_sums(CsrPattern graph, RowClasses::View rows, test::WeightTimesHead value,
                               double* segment_sums, WriteSum write) {
  for (int time = 0; time < 2; ++time) {
    sum_rows<stages_octets>(graph, rows, value, write, segment_sums,
                            dynamic_shared<OctetStages>() + threadIdx.x / warp_lanes);
    cooperative_groups::this_grid().sync();
  }
}

class DeviceRowSums : public test::OnDevice {
 protected:
  /// Both forms give the same sums.
  [[nodiscard]] std::vector<double> sums_of(const CsrView<double>& graph,
                                            std::int64_t max_blocks = 1 << 10) const {
    std::vector<double> sums = sums_by(write_row_sums<false>, 0, graph, max_blocks);
    constexpr std::size_t stages = threads_per_block / warp_lanes * sizeof(OctetStages);
    EXPECT_EQ(sums_by(write_row_sums<true>, stages, graph, max_blocks), sums);
    return sums;
  }

 private:
  template <class Kernel>
  [[nodiscard]] std::vector<double> sums_by(Kernel kernel, std::size_t shared,
                                            const CsrView<double>& graph,
                                            std::int64_t max_blocks) const {
    const auto n = static_cast<std::size_t>(graph.n_vertices);
    const DeviceBuffer<double> sums(n, stream());
    const DeviceBuffer<int> counts(n, stream());
    fill_bytes(sums.data(), 0x11, n, stream());
    fill_bytes(counts.data(), 0, n, stream());
    const std::int64_t blocks =
        std::min(max_blocks, resident_blocks(stream(), kernel, threads_per_block, shared));
    const RowClasses rows(graph, stream());
    const DeviceBuffer<double> segment_sums(static_cast<std::size_t>(rows.view().n_segments),
                                            stream());
    EXPECT_LE(rows.bytes() + segment_sums.bytes(), RowClasses::bytes_needed(graph));
    launch_cooperative(stream(), blocks, threads_per_block, shared, kernel, graph, rows.view(),
                       test::WeightTimesHead{graph.weights}, segment_sums.data(),
                       WriteSum{graph, sums.data(), counts.data()});
    EXPECT_EQ(fetched(counts), std::vector<int>(n, 2));
    return fetched(sums);
  }
};

TEST_F(DeviceRowSums, EqualTheDefinition) {
  const Csr<double> graph = test::graph_of_all_orders();
  const CsrView<double> host = graph.view();
  const test::CopiedGraph<double> copy(host, stream());
  const auto expected = test::row_sums_by_reference(host, test::WeightTimesHead{host.weights});
  for (const std::int64_t blocks : {1, 3, 1 << 10}) {
    EXPECT_EQ(sums_of(copy.view(), blocks), expected) << blocks;
  }
}

TEST_F(DeviceRowSums, TakeGraphsWithoutLongRowsOrWithoutArcs) {
  for (const edge_t n_arcs : {0, 3000}) {
    const Csr<double> graph = test::random_graph<double>(100, n_arcs, 5);
    const test::CopiedGraph<double> copy(graph.view(), stream());
    EXPECT_EQ(sums_of(copy.view()), test::row_sums_by_reference(
                                        graph.view(), test::WeightTimesHead{graph.weights.data()}));
  }
}

TEST_F(DeviceRowSums, TakeOctetsOnBothSidesOfTheLimit) {
  // Ends of octets, and of the graph, are at all places of a copy of four heads.
  for (int last = 1; last <= 4; ++last) {
    Csr<double> graph;
    const CounterRandom random(11, last);
    for (std::size_t u = 0; u < 1600; ++u) {
      const edge_t most = u % 64 < 32 ? 110 : 40;  // 440 or 160 arcs an octet on average
      const edge_t degree = u == 1599 ? last : static_cast<edge_t>(random.below(u, most + 1));
      for (edge_t e = 0; e < degree; ++e) {
        graph.heads.push_back(static_cast<vertex_t>(random.below(graph.heads.size() + 5000, 1600)));
        graph.weights.push_back(static_cast<double>(random.below(graph.heads.size(), 1000)) / 7);
      }
      graph.offsets.push_back(static_cast<edge_t>(graph.heads.size()));
    }
    const test::CopiedGraph<double> copy(graph.view(), stream());
    EXPECT_EQ(sums_of(copy.view()), test::row_sums_by_reference(
                                        graph.view(), test::WeightTimesHead{graph.weights.data()}));
  }
}

TEST_F(DeviceRowSums, EndForAGraphWithoutVertices) {
  const Csr<double> graph;
  const test::CopiedGraph<double> copy(graph.view(), stream());
  EXPECT_TRUE(sums_of(copy.view()).empty());
}

}  // namespace
}  // namespace warpgraph::cuda
