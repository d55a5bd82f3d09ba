// The dendrogram on a device against the one by union-find.
#include "algorithms/single_linkage/single_linkage.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/memory/memory_budget.hpp"
#include "on_device.hpp"
#include "support.hpp"
#include "trees/single_linkage_trees.hpp"

#include <gtest/gtest.h>

namespace warpgraph::test {
namespace {

class SingleLinkageCuda : public OnDeviceWith<TreeShape> {
 protected:
  std::vector<double> link(const Tree& tree, MemoryBudget budget = {}) const {
    const auto ends = cuda::to_device(std::span<const vertex_t>(tree.ends), stream());
    const auto weights = cuda::to_device(std::span<const double>(tree.weights), stream());
    const std::size_t n_rows = static_cast<std::size_t>(tree.n_vertices) - 1;
    const cuda::DeviceBuffer<double> rows(4 * n_rows, stream());
    single_linkage_cuda(
        {tree.n_vertices, {ends.data(), ends.size()}, {weights.data(), weights.size()}},
        {rows.data(), rows.size()}, budget.on(device()), stream());
    return fetched(rows);
  }
};

TEST_P(SingleLinkageCuda, EqualsUnionFind) {
  for (const vertex_t n : {2, 3, 10, 4097, 20'000}) {
    const Tree tree = make_tree(GetParam(), n);
    ASSERT_EQ(link(tree), reference_of(tree)) << n << " vertices";
  }
}

TEST_P(SingleLinkageCuda, ReportsTheMemoryItNeeds) {
  const Tree tree = make_tree(GetParam(), 1000);
  EXPECT_NE(message_of([&] { link(tree, MemoryBudget({}, 1000)); }).find("1000 vertices"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Shapes, SingleLinkageCuda, testing::ValuesIn(all_shapes));

}  // namespace
}  // namespace warpgraph::test
