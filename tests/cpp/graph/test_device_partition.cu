// Parts of a graph on devices: what their rows are, what is copied when, and what is stated before.
#include "core/error.hpp"
#include "graph/partition/device_partition.hpp"
#include "on_device.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <thread>

namespace warpgraph {
namespace {

class OnDevices : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << cuda_unavailable_reason();
  }
  static std::vector<Device> devices() {
    std::vector<Device> list;
    for (int i = 0; i < GetParam(); ++i) {
      list.push_back({Device::Kind::cuda, i % cuda_device_count()});
    }
    return list;
  }
};

INSTANTIATE_TEST_SUITE_P(Parts, OnDevices, testing::Values(1, 2, 3, 8));

template <class T>
std::vector<T> on_host(const T* items, std::size_t n, Device device) {
  const cuda::Stream stream(device);
  const cuda::DeviceGuard guard(device);
  std::vector<T> copy(n);
  cuda::copy(copy.data(), items, n, stream);
  stream.synchronize();
  return copy;
}

template <class W>
void expect_rows(const CsrView<W>& graph, DevicePartition& parts, int part) {
  const GraphPart expected(graph, parts.parts(), part);
  const CsrView<W> rows = parts.rows(part, graph);
  const Device device = parts.devices()[static_cast<std::size_t>(part)];
  const auto n_arcs = static_cast<std::size_t>(rows.n_arcs);
  ASSERT_EQ(rows.n_vertices, expected.rows.n_vertices);
  ASSERT_EQ(rows.n_arcs, expected.rows.n_arcs);
  EXPECT_EQ(parts.shape(part).n_vertices, rows.n_vertices);
  EXPECT_EQ(parts.shape(part).n_arcs, rows.n_arcs);
  const auto offsets = on_host(rows.offsets.wide(), expected.offsets.size(), device);
  EXPECT_TRUE(std::equal(offsets.begin(), offsets.end(), expected.offsets.begin()));
  const auto heads = on_host(rows.heads, n_arcs, device);
  EXPECT_TRUE(std::equal(heads.begin(), heads.end(), expected.rows.heads));
  if (graph.weights == nullptr) {
    EXPECT_EQ(rows.weights, nullptr);
    return;
  }
  const auto weights = on_host(rows.weights, n_arcs, device);
  EXPECT_TRUE(std::equal(weights.begin(), weights.end(), graph.weights + expected.first_arc));
}

TEST_P(OnDevices, HaveTheRowsOfTheirParts) {
  for (const vertex_t n : {0, 1, 5, 700}) {
    const Csr<float> graph = test::random_graph<float>(n, n == 0 ? 0 : 4 * n, 1);
    DevicePartition parts(graph.view(), devices());
    for (int part = 0; part < GetParam(); ++part) {
      expect_rows(with_weights<float>(graph.view(), nullptr), parts, part);
      expect_rows(graph.view(), parts, part);
    }
  }
}

TEST_P(OnDevices, AreCopiedOnce) {
  const Csr<double> graph = test::random_graph<double>(900, 5000, 2);
  DevicePartition parts(graph.view(), devices());
  EXPECT_EQ(parts.bytes(), 0);
  std::vector<std::thread> threads;
  std::vector<const double*> weights(2 * static_cast<std::size_t>(GetParam()));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    threads.emplace_back([&, i] {
      weights[i] = parts.rows(static_cast<int>(i) % GetParam(), graph.view()).weights;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int part = 0; part < GetParam(); ++part) {
    const auto i = static_cast<std::size_t>(part);
    EXPECT_EQ(weights[i], weights[i + weights.size() / 2]);
    EXPECT_EQ(parts.rows(part, graph.view()).weights, weights[i]);
    EXPECT_EQ(&parts.derived(part), &parts.derived(part));
  }
  std::size_t stated = 0;
  for (int i = 0; i < std::min(GetParam(), cuda_device_count()); ++i) {
    stated += parts.bytes_of_rows({Device::Kind::cuda, i}, graph.view());
  }
  EXPECT_EQ(parts.bytes(), stated);
}

TEST_P(OnDevices, StateTheirBytesAndThoseBeside) {
  const Csr<float> graph = test::random_graph<float>(900, 5000, 3);
  DevicePartition parts(graph.view(), devices());
  std::size_t most = 0;
  for (int i = 0; i < std::min(GetParam(), cuda_device_count()); ++i) {
    std::size_t needed = parts.bytes_of_rows({Device::Kind::cuda, i}, graph.view());
    for (int part = i; part < GetParam(); part += cuda_device_count()) needed += 1000;
    most = std::max(most, needed);
  }
  const auto require = [&](std::size_t limit) {
    parts.require_memory(
        "a test", graph.view(), [](int) { return std::size_t{1000}; }, MemoryBudget({}, limit));
  };
  for (int call = 0; call < 2; ++call) {  // copies that are kept count in the limit, too
    EXPECT_NO_THROW(require(MemoryBudget::no_limit));
    EXPECT_NO_THROW(require(most));
    EXPECT_THROW(require(most - 1), OutOfMemory);
    for (int part = 0; part < GetParam(); ++part) {
      ASSERT_EQ(parts.rows(part, graph.view()).n_arcs, parts.shape(part).n_arcs);
    }
  }
}

}  // namespace
}  // namespace warpgraph
