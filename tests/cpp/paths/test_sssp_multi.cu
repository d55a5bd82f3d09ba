// Shortest paths by several workers on devices against Dijkstra's algorithm: on one device, and
// over all where there are some.
#include "core/device.hpp"
#include "core/error.hpp"
#include "graph/partition/device_partition.hpp"
#include "paths/sssp_paths.hpp"
#include "support.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace warpgraph {
namespace {

#if defined(__CUDACC__)
constexpr vertex_t size = 20000;
#else
constexpr vertex_t size = 200;  // emulated
#endif

using test::Paths;

class SsspOnDevicesBy : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << cuda_unavailable_reason();
  }
  /// Workers on the first device, and over all.
  static std::vector<std::vector<Device>> lists() {
    std::vector<std::vector<Device>> all(1, std::vector<Device>(n(), device(0)));
    const int n_devices = std::min(cuda_device_count(), GetParam());
    if (n_devices < 2) return all;
    all.emplace_back();
    for (int w = 0; w < GetParam(); ++w) all.back().push_back(device(w % n_devices));
    return all;
  }
  template <class W>
  static void expect_as_alone(const CsrView<W>& graph, SsspOptions<W> options = {}) {
    const Paths<W> expected = test::paths_alone(graph, options);
    for (const std::vector<Device>& devices : lists()) {
      DevicePartition parts(graph, devices);
      options.parts = &parts;
      for (int call = 0; call < 2; ++call) {  // the first one copies the parts
        Paths<W> found(graph.n_vertices);
        sssp_multi(graph, 0, devices, options, found.result());
        EXPECT_EQ(found, expected);
      }
    }
  }

 private:
  static std::size_t n() { return static_cast<std::size_t>(GetParam()); }
  static Device device(int i) { return {Device::Kind::cuda, i}; }
};

INSTANTIATE_TEST_SUITE_P(Workers, SsspOnDevicesBy, testing::Values(1, 2, 3, 5, 8));

TEST_P(SsspOnDevicesBy, FindsPathsOfEveryType) {
  expect_as_alone(test::random_graph<float>(size, 4 * size, 0).view());
  expect_as_alone(test::random_graph<double>(size, 3 * size, 1).view());
  expect_as_alone(test::random_graph<std::int32_t>(size, 2 * size, 2).view());
  expect_as_alone(test::random_graph<std::int64_t>(size, 4 * size, 3).view());
}

TEST_P(SsspOnDevicesBy, FindsSomeOfThePaths) {
  const Csr<double> graph = test::random_graph<double>(size, 4 * size, 4);
  SsspOptions<double> options;
  options.limit = 90;
  expect_as_alone(graph.view(), options);
  const std::vector<vertex_t> targets{17, size - 3, size / 2, 17};
  options.targets = targets;
  expect_as_alone(graph.view(), options);
}

TEST_P(SsspOnDevicesBy, CountsHopsWithoutWeights) {
  const Csr<float> graph = test::random_graph<float>(size, 3 * size, 5);
  CsrView<vertex_t> unweighted;
  static_cast<CsrPattern&>(unweighted) = graph.view();
  expect_as_alone(unweighted);
}

TEST_P(SsspOnDevicesBy, FindsPathsOfWeightsFarApart) {
  Csr<double> graph = test::random_graph<double>(size, 3 * size, 6);
  for (double& weight : graph.weights) weight = std::pow(10.0, weight / 5 - 10);
  expect_as_alone(graph.view());
}

TEST_P(SsspOnDevicesBy, ReportsOverflowAndLackOfMemory) {
  const std::int32_t big = 1 << 30;
  const Csr<std::int32_t> graph =
      test::graph_of<std::int32_t>(9, {{0, 8, big}, {3, 1, 1}, {8, 3, big}});
  for (const std::vector<Device>& devices : lists()) {
    Paths<std::int32_t> found(9);
    DevicePartition parts(graph.view(), devices);
    SsspOptions<std::int32_t> options;
    options.parts = &parts;
    EXPECT_THROW(sssp_multi(graph.view(), 0, devices, options, found.result()),
                 std::overflow_error);
    options.budget = MemoryBudget({}, 64);
    EXPECT_THROW(sssp_multi(graph.view(), 0, devices, options, found.result()), OutOfMemory);
  }
}

}  // namespace
}  // namespace warpgraph
