// HDBSCAN on a device equals HDBSCAN on the host, bit for bit.
#include "algorithms/hdbscan/device/device_hdbscan.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/memory/memory_budget.hpp"
#include "on_device.hpp"
#include "support.hpp"
#include "trees/single_linkage_trees.hpp"

#include <gtest/gtest.h>

namespace warpgraph::test {
namespace {

using hdbscan::DeviceCondensedTree;
using hdbscan::PointPlaces;

/// The tree and the answers of a device.
struct Answer {
  CondensedTree tree;
  std::vector<Selection> selections;
};

std::vector<SelectionOptions> all_options() {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  return {{},
          {.allow_single_cluster = true},
          {.method = SelectionMethod::leaf},
          {.max_cluster_size = 50},
          {.allow_single_cluster = true, .epsilon = 1e5},
          {.method = SelectionMethod::leaf, .epsilon = 1e7},
          {.allow_single_cluster = true, .epsilon_max = 1e6},
          {.allow_single_cluster = true, .epsilon = 0.5, .epsilon_max = infinite}};
}

class HdbscanCuda : public OnDeviceWith<TreeShape> {
 protected:
  Answer solve(std::span<const double> rows, vertex_t size,
               std::size_t limit = MemoryBudget::no_limit) const {
    const MemoryBudget budget(device(), limit);
    const auto linkage = cuda::to_device(rows, stream());
    const std::size_t n = rows.size() / 4 + 1;
    const cuda::DeviceBuffer<vertex_t> cluster(n, stream());
    const cuda::DeviceBuffer<double> lambda(n, stream());
    const PointPlaces places{{cluster.data(), n}, {lambda.data(), n}};
    DeviceCondensedTree found =
        condense_cuda({linkage.data(), linkage.size()}, size, places, budget, stream());
    Answer answer{std::move(found.clusters), {}};
    const cuda::DeviceBuffer<vertex_t> labels(n, stream());
    const cuda::DeviceBuffer<double> chances(n, stream());
    for (const SelectionOptions& options : all_options()) {
      Selection one =
          select_clusters_cuda(answer.tree.view(), found.least_lambda, places, options,
                               {{labels.data(), n}, {chances.data(), n}}, budget, stream());
      one.labels = cuda::to_host<HostVector<vertex_t>>(labels.data(), n, stream());
      one.probabilities = cuda::to_host<HostVector<double>>(chances.data(), n, stream());
      answer.selections.push_back(std::move(one));
    }
    answer.tree.point_cluster = cuda::to_host<HostVector<vertex_t>>(cluster.data(), n, stream());
    answer.tree.point_lambda = cuda::to_host<HostVector<double>>(lambda.data(), n, stream());
    return answer;
  }
};

void expect_equal(const CondensedTree& found, const CondensedTree& wanted) {
  EXPECT_EQ(found.parent, wanted.parent);
  EXPECT_EQ(found.birth, wanted.birth);
  EXPECT_EQ(found.death, wanted.death);
  EXPECT_EQ(found.size, wanted.size);
  EXPECT_EQ(found.stability, wanted.stability);
  EXPECT_EQ(found.point_cluster, wanted.point_cluster);
  EXPECT_EQ(found.point_lambda, wanted.point_lambda);
}

void expect_equal(const Selection& found, const Selection& wanted) {
  EXPECT_EQ(found.clusters, wanted.clusters);
  EXPECT_EQ(found.labels, wanted.labels);
  EXPECT_EQ(found.probabilities, wanted.probabilities);
  EXPECT_EQ(found.persistence, wanted.persistence);
}

TEST_P(HdbscanCuda, EqualsTheHost) {
  for (const vertex_t n : {2, 3, 10, 4097, 70'000}) {  // the last has sums of three levels
    const std::vector<double> rows = reference_of(make_tree(GetParam(), n));
    for (const vertex_t size : {2, 5, 100, n + 1}) {
      SCOPED_TRACE(testing::Message() << n << " points, clusters of " << size);
      const CondensedTree wanted = condense(rows, size);
      const Answer found = solve(rows, size);
      expect_equal(found.tree, wanted);
      for (std::size_t i = 0; i < found.selections.size(); ++i) {
        SCOPED_TRACE(i);
        expect_equal(found.selections[i], select_clusters(wanted.view(), all_options()[i]));
      }
      if (HasFailure()) return;
    }
  }
}

TEST_P(HdbscanCuda, ReportsTheMemoryItNeeds) {
  const std::vector<double> rows = reference_of(make_tree(GetParam(), 1000));
  EXPECT_NE(message_of([&] { solve(rows, 5, 1000); }).find("1000 points"), std::string::npos);
}

/// A forest has heights that are infinite, which a tree of points on a device has not.
INSTANTIATE_TEST_SUITE_P(Shapes, HdbscanCuda,
                         testing::Values(TreeShape::rising_path, TreeShape::shuffled_path,
                                         TreeShape::random_path, TreeShape::star, TreeShape::random,
                                         TreeShape::ties));

}  // namespace
}  // namespace warpgraph::test
