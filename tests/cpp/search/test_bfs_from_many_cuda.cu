// Breadth-first search from many sources on a device against the sequential one from each: one and
// four words, batches that are not full, hubs, rows of several chunks, arcs one way, sources that
// reach nothing, more levels than the first bit planes hold, limits, targets, rows on the device.
#include "algorithms/bfs/bfs.hpp"
#include "core/cuda/copies/upload.hpp"
#include "graph/device_csr.hpp"
#include "on_device.hpp"
#include "search/bfs_graphs.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <string>

namespace warpgraph::test {
namespace {

class BfsFromManyCuda : public OnDevice {
 protected:
  /// The rows of the sources, from searches one by one.
  template <class T>
  static std::vector<T> expected_rows(const Csr<float>& graph, const BfsFromManyOptions& options) {
    std::vector<T> rows;
    std::vector<vertex_t> hops(graph.offsets.size() - 1);
    for (const vertex_t source : options.sources) {
      bfs_reference(graph.view(), {.source = source, .limit = options.limit}, hops, {});
      const auto add = [&](vertex_t h) { rows.push_back(h < 0 ? infinity<T>() : T(h)); };
      if (options.targets.empty()) {
        for (const vertex_t h : hops) add(h);
      } else {
        for (const vertex_t v : options.targets) add(hops[static_cast<std::size_t>(v)]);
      }
    }
    return rows;
  }

  /// Compares rows in host memory and on the device, with three unused columns between rows.
  template <class T>
  void expect_right(const Csr<float>& graph, const BfsFromManyOptions& options) const {
    const auto expected = expected_rows<T>(graph, options);
    const auto columns = static_cast<std::int64_t>(expected.size() / options.sources.size());
    const std::int64_t stride = columns + 3;
    const DevicePattern copy(graph.view(), stream());
    const std::vector<T> before(options.sources.size() * static_cast<std::size_t>(stride), T{7});
    std::vector<T> rows = before;
    bfs_from_many_cuda<T>(copy.view(), options, {rows.data(), stride, infinity<T>()}, stream());
    const auto resident = cuda::to_device(before.data(), before.size(), stream());
    bfs_from_many_cuda<T>(copy.view(), options, {resident.data(), stride, infinity<T>(), true},
                          stream());
    EXPECT_EQ(rows, fetched(resident));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<std::int64_t>(i) / stride;
      const std::int64_t column = static_cast<std::int64_t>(i) % stride;
      const T wanted =
          column < columns ? expected[static_cast<std::size_t>(row * columns + column)] : T{7};
      ASSERT_EQ(rows[i], wanted) << "row " << row << ", column " << column;
    }
  }

  static std::vector<vertex_t> some_sources(std::size_t k, vertex_t n) {
    std::mt19937 random(static_cast<unsigned>(k));
    std::uniform_int_distribution<vertex_t> vertex(0, n - 1);
    std::vector<vertex_t> sources(k);
    for (vertex_t& source : sources) source = vertex(random);
    return sources;
  }
};

TEST_F(BfsFromManyCuda, Hubs) {
  const vertex_t n = 1500;
  for (const bool symmetric : {false, true}) {
    const Csr<float> graph = graph_of(n, power_law(n, 12'000), symmetric);
    for (const std::size_t k : {1, 63, 64, 65, 300}) {
      const auto sources = some_sources(k, n);
      expect_right<vertex_t>(graph, {.sources = sources, .symmetric = symmetric});
    }
    const auto sources = some_sources(70, n);
    const auto targets = some_sources(45, n);
    expect_right<std::int64_t>(graph, {.sources = sources, .targets = targets});
    for (const vertex_t limit : {0, 1, 2}) {
      expect_right<double>(graph, {.sources = sources, .limit = limit, .symmetric = symmetric});
    }
  }
}

TEST_F(BfsFromManyCuda, SourcesOfOneVertex) {
  const Csr<float> graph = graph_of(800, power_law(800, 9000), true);
  const std::vector<vertex_t> sources(200, 3);
  expect_right<float>(graph, {.sources = sources, .symmetric = true});
}

TEST_F(BfsFromManyCuda, ALateHub) {
  const vertex_t n_leaves = 3000;
  const Csr<float> graph = graph_of(n_leaves + 231, late_hub(n_leaves, 200), true);
  const auto sources = some_sources(80, n_leaves + 231);
  for (const bool symmetric : {false, true}) {
    expect_right<float>(graph, {.sources = sources, .symmetric = symmetric});
  }
}

TEST_F(BfsFromManyCuda, MoreLevelsThanTheFirstPlanesHold) {
  const Csr<float> cliques = graph_of(40 * 9, chain_of_cliques(40, 9), true);
  const auto sources = some_sources(66, 40 * 9);
  expect_right<vertex_t>(cliques, {.sources = sources, .symmetric = true});
  for (const vertex_t n : {1, 2, 3, 16, 17, 300}) {
    for (const bool both_ways : {false, true}) {
      const Csr<float> graph = graph_of(n, path(n), both_ways);
      const std::vector<vertex_t> ends{0, n - 1, n / 2, 0};
      for (const vertex_t limit : {infinity<vertex_t>(), 15, 16}) {
        expect_right<double>(graph, {.sources = ends, .limit = limit, .symmetric = both_ways});
      }
    }
  }
}

TEST_F(BfsFromManyCuda, StatesTheMemoryThatItNeeds) {
  const Csr<float> graph = graph_of(600, power_law(600, 5000), true);
  const auto sources = some_sources(150, 600);
  std::vector<double> rows(sources.size() * 600);
  const BfsRows<double> result{rows.data(), 600, infinity<double>()};
  BfsFromManyOptions options{.sources = sources, .symmetric = true};
  const std::size_t needed = bfs_from_many_bytes_cuda<double>(graph.view(), options, result);
  options.budget = MemoryBudget({}, needed);
  expect_right<double>(graph, options);  // with the narrowest sets
  options.budget = MemoryBudget({}, needed - 1);
  const DevicePattern copy(graph.view(), stream());
  const std::string message =
      message_of([&] { bfs_from_many_cuda<double>(copy.view(), options, result, stream()); });
  EXPECT_NE(message.find("breadth-first search from many sources"), std::string::npos) << message;
}

}  // namespace
}  // namespace warpgraph::test
