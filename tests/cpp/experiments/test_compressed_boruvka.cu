// Boruvka's algorithm over sorted rows on a device, with compressed heads.
#include "algorithms/mst/sorted_rows/row_search.cuh"
#include "experiments/mst/boruvka.hpp"
#include "experiments/mst/device_compressed_rows.hpp"
#include "support.hpp"
#include "trees/divided_boruvka.hpp"

namespace warpgraph::experiments {
namespace {

using namespace mst;

using CompressedBoruvka = DividedBoruvka;

TEST_F(CompressedBoruvka, ForestIsTheSameHoweverTheRowsAreDivided) {
  for (const edge_t arcs : {200, 2000}) {
    const Csr<std::int32_t> graph = test::random_graph<std::int32_t>(500, arcs, 3);
    const PreparedRows rows = prepare_rows(graph.view(), false);
    const test::CopiedGraph<std::int32_t> resident(graph.view(), stream());
    const DeviceCompressedRows compressed(resident.view(), false, {}, stream());
    ASSERT_EQ(compressed.view().heads, nullptr);
    const auto search = [&](DeviceRowSearch& by, const auto&... some) {
      by.search_along(compressed.heads(), some...);
    };
    const auto moving = [](vertex_t round) { return (100 + 217 * round) % 501; };
    EXPECT_EQ(divided(rows, compressed.view(), moving, search),
              ranks_of(rows, mst_reference(graph.view(), MstOptions{}).positions));
  }
}

TEST_F(CompressedBoruvka, FindsTheForest) {
  const Csr<double> graph = test::random_graph<double>(3000, 20'000, 4);
  const test::CopiedGraph<double> resident(graph.view(), stream());
  const HostVector<edge_t> expected = mst_reference(graph.view(), MstOptions{}).positions;
  const BoruvkaOptions options{.compressed = true};
  EXPECT_EQ(compressed_boruvka_to_host(resident.view(), options, stream()).positions, expected);
  EXPECT_EQ(boruvka_on_cores(graph.view(), options).positions, expected);
  EXPECT_EQ(boruvka_on_cores(graph.view(), {}).positions, expected);
  const cuda::DeviceBuffer<edge_t> there(3000, stream());
  const auto n = compressed_boruvka(resident.view(), options, there.data(), stream());
  std::vector<edge_t> found = fetched(there.data(), n);
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
  EXPECT_TRUE(std::is_permutation(found.begin(), found.end(), expected.begin(), expected.end()));
}

}  // namespace
}  // namespace warpgraph::experiments
