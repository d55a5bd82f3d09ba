// Predecessors of rows of distances on a device, against those of the CPU version. Small enough for
// compute-sanitizer.
#include "algorithms/sssp/sssp.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/stream_pool.hpp"
#include "primitives/path_trees/row_trees.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <type_traits>
#include <vector>

namespace warpgraph {
namespace {

template <class W>
class RowTreesOf : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << cuda_unavailable_reason();
  }
};
using Weights = testing::Types<float, double, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(RowTreesOf, Weights);

/// Arcs with weights 0 .. most; half of them end in one vertex.
template <class W>
Csr<W> graph_with_a_hub(vertex_t n, int degree, std::uint64_t most) {
  const CounterRandom random(3, 0);
  Csr<W> graph;
  std::uint64_t next = 0;
  for (vertex_t u = 0; u < n; ++u) {
    for (int i = 0; i < degree; ++i) {
      const auto head = static_cast<vertex_t>(random.below(next++, static_cast<std::uint64_t>(n)));
      graph.heads.push_back(i % 2 == 0 ? n / 2 : head);
      graph.weights.push_back(static_cast<W>(random.below(next++, most + 1)));
    }
    graph.offsets.push_back(static_cast<edge_t>(graph.heads.size()));
  }
  return graph;
}

/// Distances from every vertex, added along paths; if `rounded`, with errors in the last bits.
template <class W>
std::vector<W> all_distances(const CsrView<W>& graph, bool rounded) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  std::vector<W> rows(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::span<W> row(rows.data() + i * n, n);
    SsspResult<W> result;
    result.distances = row;
    sssp_cpu(graph, static_cast<vertex_t>(i), SsspOptions<W>{}, result);
    for (std::size_t j = 0; rounded && j < n; j += 3) row[j] += row[j] / (W{1 << 22});
  }
  return rows;
}

template <class W>
std::vector<vertex_t> trees_on_device(const CsrView<W>& graph, const std::vector<W>& rows,
                                      std::span<const vertex_t> sources, std::int64_t max_rows,
                                      Sums sums) {
  const cuda::BorrowedStream stream(Device::parse("cuda"));
  const std::int64_t n = graph.n_vertices;
  const auto on_device = cuda::to_device(std::span<const W>(rows), *stream);
  std::vector<vertex_t> trees(rows.size(), -7);
  shortest_paths::RowTrees<W> row_trees(graph, n, nullptr, max_rows, nullptr, *stream);
  cuda::Staging staging(Device::parse("cuda"));
  const auto row_of = [&](std::int64_t row) { return trees.data() + row * n; };
  for (std::int64_t first = 0; first < n; first += max_rows) {
    row_trees.attach(on_device.data() + first * n, n, first, std::min(max_rows, n - first), sums);
    row_trees.copy(staging, row_of);
  }
  staging.finish();
  const auto unfinished = row_trees.unfinished(0, n);
  EXPECT_TRUE(unfinished.empty() || sums == Sums::in_any_order);
  finish_trees<W>(graph, {sources, rows.data(), n}, {sums}, unfinished, trees.data());
  return trees;
}

TYPED_TEST(RowTreesOf, EqualThoseOfTheCpu) {
  using W = TypeParam;
  for (const std::uint64_t most : {std::uint64_t{2}, std::uint64_t{1000}}) {
    const Csr<W> owner = graph_with_a_hub<W>(97, 12, most);
    const CsrView<W> graph = owner.view();
    std::vector<vertex_t> sources(97);
    std::iota(sources.begin(), sources.end(), 0);
    for (const Sums sums : {Sums::along_paths, Sums::in_any_order}) {
      const bool rounded = sums == Sums::in_any_order;
      if (rounded && std::is_integral_v<W>) continue;
      const std::vector<W> rows = all_distances(graph, rounded);
      std::vector<vertex_t> expected(rows.size());
      recover_trees<W>(graph, {sources, rows.data(), 97}, {sums}, expected.data());
      for (const std::int64_t max_rows : {32, 50, 97}) {
        EXPECT_EQ(trees_on_device<W>(graph, rows, sources, max_rows, sums), expected);
      }
    }
  }
}

TEST(RowTreesOnDevice, FindTheFarthestVertex) {
  if (cuda_device_count() == 0) GTEST_SKIP() << cuda_unavailable_reason();
  const cuda::BorrowedStream stream(Device::parse("cuda"));
  std::vector<double> rows(70 * 40, 3.5);
  rows[69 * 40 + 38] = 12.25;
  rows[69 * 40 + 39] = 99;  // beyond the last column
  rows[5] = infinity<double>();
  const auto on_device = cuda::to_device(std::span<const double>(rows), *stream);
  EXPECT_EQ(shortest_paths::farthest_on(on_device.data(), 40, 70, 39, *stream), 12.25);
}

}  // namespace
}  // namespace warpgraph
