// Sums over rows on a device equal those of the host bit by bit.
#include "on_device.hpp"
#include "primitives/row_sums/device_row_sums.cuh"
#include "row_sums_graphs.hpp"

namespace warpgraph::cuda {
namespace {

/// Twice, so that the second time finds the shared memory as the first one leaves it. Counts how
/// often each row is passed.
__global__ void write_row_sums(CsrPattern graph, RowPartition::View rows,
                               test::WeightTimesHead value, double* segment_sums, double* sums,
                               int* counts) {
  __shared__ RowSumsScratch scratch;
  for (int time = 0; time < 2; ++time) {
    const auto write = [&](vertex_t u, double sum) {
      sums[u] = sum;
      atomicAdd(counts + u, 1);
    };
    sum_rows(graph, rows, value, write, segment_sums, scratch);
    cooperative_groups::this_grid().sync();
  }
}

class DeviceRowSums : public test::OnDevice {
 protected:
  /// `blocks`: the number for which the rows are divided; fewer may run.
  [[nodiscard]] std::vector<double> sums_of(const CsrView<double>& graph,
                                            std::int64_t blocks) const {
    const auto n = static_cast<std::size_t>(graph.n_vertices);
    const DeviceBuffer<double> sums(n, stream());
    const DeviceBuffer<int> counts(n, stream());
    fill_bytes(sums.data(), 0x11, n, stream());
    fill_bytes(counts.data(), 0, n, stream());
    const RowPartition rows(graph, blocks, stream());
    const DeviceBuffer<double> segment_sums(static_cast<std::size_t>(rows.view().n_segments),
                                            stream());
    EXPECT_LE(rows.bytes() + segment_sums.bytes(), RowPartition::bytes_needed(graph));
    launch_cooperative(stream(), resident_blocks(stream(), write_row_sums, threads_per_block, 0),
                       threads_per_block, 0, write_row_sums, graph, rows.view(),
                       test::WeightTimesHead{graph.weights}, segment_sums.data(), sums.data(),
                       counts.data());
    EXPECT_EQ(fetched(counts), std::vector<int>(n, 2));
    return fetched(sums);
  }
};

TEST_F(DeviceRowSums, EqualTheDefinition) {
  const Csr<double> graph = test::graph_of_all_orders();
  const CsrView<double> host = graph.view();
  const test::CopiedGraph<double> copy(host, stream());
  const auto expected = test::row_sums_by_reference(host, test::WeightTimesHead{host.weights});
  // Ranges of the largest size, of the smallest, and of one between them.
  for (const std::int64_t blocks : {std::int64_t{1}, std::int64_t{1} << 20, host.n_arcs / 900}) {
    EXPECT_EQ(sums_of(copy.view(), blocks), expected) << blocks;
  }
}

TEST_F(DeviceRowSums, TakeGraphsWithoutLongRowsOrWithoutArcs) {
  for (const edge_t n_arcs : {0, 3000}) {
    const Csr<double> graph = test::random_graph<double>(100, n_arcs, 5);
    const test::CopiedGraph<double> copy(graph.view(), stream());
    EXPECT_EQ(
        sums_of(copy.view(), 3),
        test::row_sums_by_reference(graph.view(), test::WeightTimesHead{graph.weights.data()}));
  }
}

TEST_F(DeviceRowSums, EndForAGraphWithoutVertices) {
  const Csr<double> graph;
  const test::CopiedGraph<double> copy(graph.view(), stream());
  EXPECT_TRUE(sums_of(copy.view(), 1).empty());
}

}  // namespace
}  // namespace warpgraph::cuda
