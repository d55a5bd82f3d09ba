// Weak and strong components on a device against the sequential ones: with and without a giant
// component, rows longer than a chunk, arcs within tiles and across them, arcs one way, long paths.
#include "algorithms/connected_components/afforest/afforest.cuh"
#include "algorithms/connected_components/connected_components.hpp"
#include "core/error.hpp"
#include "graph/device_csr.hpp"
#include "graph/partition/device_partition.hpp"
#include "on_device.hpp"
#include "primitives/graph_shape.hpp"
#include "support.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <utility>

namespace warpgraph::test {
namespace {

using Ends = std::vector<std::pair<vertex_t, vertex_t>>;
constexpr vertex_t tile = afforest::tile_vertices;
constexpr auto chunk = static_cast<vertex_t>(afforest::chunk_arcs);

enum class Rows { as_given, reversed };  // the order of a row decides which arcs are sampled

Csr<float> graph_of(vertex_t n, const Ends& ends, bool both_ways, Rows order = Rows::as_given) {
  Arcs<float> arcs;
  for (const auto& [tail, head] : ends) {
    arcs.emplace_back(tail, head, 1.0f);
    if (both_ways && tail != head) arcs.emplace_back(head, tail, 1.0f);
  }
  if (order == Rows::reversed) std::reverse(arcs.begin(), arcs.end());
  std::stable_sort(arcs.begin(), arcs.end(),
                   [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
  return test::graph_of(n, arcs);
}

Ends random_ends(vertex_t n, std::size_t m, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<vertex_t> vertex(0, n - 1);
  Ends ends(m);
  for (auto& arc : ends) arc = {vertex(random), vertex(random)};
  return ends;
}

/// The ends with other numbers.
Ends shuffled(Ends ends, vertex_t n, unsigned seed) {
  std::vector<vertex_t> number(static_cast<std::size_t>(n));
  std::iota(number.begin(), number.end(), 0);
  std::shuffle(number.begin(), number.end(), std::mt19937(seed));
  const auto of = [&](vertex_t v) { return number[static_cast<std::size_t>(v)]; };
  for (auto& [tail, head] : ends) {
    tail = of(tail);
    head = of(head);
  }
  return ends;
}

Ends path(vertex_t first, vertex_t last) {
  Ends ends;
  for (vertex_t v = first; v < last; ++v) ends.emplace_back(v, v + 1);
  return ends;
}

Ends grid(vertex_t rows, vertex_t columns) {
  Ends ends;
  for (vertex_t v = 0; v < rows * columns; ++v) {
    if (v % 19 != 0 && (v + 1) % columns != 0) ends.emplace_back(v, v + 1);
    if (v % 23 != 0 && v + columns < rows * columns) ends.emplace_back(v, v + columns);
  }
  return ends;
}

class ConnectedComponentsCuda : public OnDevice {
 protected:
  void expect_right(const Csr<float>& graph, bool symmetric) const {
    std::vector<vertex_t> expected(graph.offsets.size() - 1);
    const vertex_t count = connected_components_reference(graph.view(), expected);
    const DevicePattern copy(graph.view(), stream());
    for (const vertex_t hub : hubs_of(graph.view())) {
      expect_found(expected, count, [&](const ComponentLabels& labels) {
        return connected_components_cuda(copy.view(), symmetric, hub, labels, {}, stream());
      });
    }
    expect_right_on_team(graph, symmetric, expected, count);
  }

  /// On three members, which may share a device.
  static void expect_right_on_team(const Csr<float>& graph, bool symmetric,
                                   const std::vector<vertex_t>& expected, vertex_t count) {
    std::vector<Device> devices;
    for (int i = 0; i < 3; ++i) devices.push_back({Device::Kind::cuda, i % cuda_device_count()});
    DevicePartition parts(graph.view(), devices);
    for (const vertex_t hub : hubs_of(graph.view())) {
      std::vector<vertex_t> labels(expected.size());
      EXPECT_EQ(
          connected_components_multi(graph.view(), symmetric, hub, devices, labels, {}, &parts),
          count);
      EXPECT_EQ(labels, expected);
    }
  }

  /// None, and some: the labels are right whatever vertex the giant component grows from.
  static std::vector<vertex_t> hubs_of(const CsrPattern& graph) {
    if (graph.n_vertices == 0) return {no_vertex};
    return {no_vertex, max_degree_vertex(graph), graph.n_vertices - 1};
  }

  void expect_right_strong(const Csr<float>& graph) const {
    std::vector<vertex_t> expected(graph.offsets.size() - 1);
    const vertex_t count = strong_components_reference(graph.view(), expected);
    const DevicePattern copy(graph.view(), stream());
    expect_found(expected, count, [&](const ComponentLabels& labels) {
      return strong_components_cuda(copy.view(), labels, {}, stream());
    });
  }

  /// For both orders of the rows, as a graph that is known to be symmetric and as one that is not,
  /// and with the arcs one way only.
  void expect_right_all_ways(vertex_t n, const Ends& ends) const {
    for (const Rows order : {Rows::as_given, Rows::reversed}) {
      const Csr<float> both_ways = graph_of(n, ends, true, order);
      expect_right(both_ways, true);
      expect_right(both_ways, false);
      expect_right(graph_of(n, ends, false, order), false);
    }
  }

 private:
  /// The labels are right in host memory and in device memory.
  template <class Find>
  void expect_found(const std::vector<vertex_t>& expected, vertex_t count, Find&& find) const {
    std::vector<vertex_t> labels(expected.size());
    EXPECT_EQ(find({labels, false}), count);
    EXPECT_EQ(labels, expected);
    const cuda::DeviceBuffer<vertex_t> resident(expected.size(), stream());
    EXPECT_EQ(find({{resident.data(), resident.size()}, true}), count);
    EXPECT_EQ(fetched(resident), expected);
  }
};

TEST_F(ConnectedComponentsCuda, NoVertexAndOne) {
  for (const vertex_t n : {0, 1}) {
    expect_right(graph_of(n, {}, true), true);
    expect_right(graph_of(n, {}, true), false);
    expect_right_strong(graph_of(n, {}, true));
  }
  expect_right(graph_of(1, {{0, 0}}, true), true);
}

TEST_F(ConnectedComponentsCuda, NoArcs) {
  for (const vertex_t n : {31, 32, 33, tile, tile + 1, 3 * tile - 5}) {
    expect_right(graph_of(n, {}, true), true);
    expect_right(graph_of(n, {}, true), false);
  }
}

TEST_F(ConnectedComponentsCuda, RandomGraphsWithAndWithoutAGiant) {
  const vertex_t n = 3 * tile + 77;
  for (const std::size_t m : {1000, 3000, 6000, 20'000}) {
    expect_right_all_ways(n, random_ends(n, m, static_cast<unsigned>(m)));
  }
}

TEST_F(ConnectedComponentsCuda, LoopsAndParallelArcs) {
  const vertex_t n = 500;
  Ends ends = random_ends(n, 300, 5);
  for (vertex_t v = 0; v < n; v += 3) ends.insert(ends.begin(), 3, {v, v});
  ends.insert(ends.end(), ends.begin(), ends.begin() + 200);
  expect_right_all_ways(n, ends);
}

TEST_F(ConnectedComponentsCuda, Paths) {
  const vertex_t n = 4 * tile;
  expect_right_all_ways(n, path(0, n - 2));
  expect_right_all_ways(n, shuffled(path(0, n - 2), n, 1));
}

TEST_F(ConnectedComponentsCuda, AGrid) {
  expect_right_all_ways(90 * 80, grid(90, 80));
  expect_right_all_ways(90 * 80, shuffled(grid(90, 80), 90 * 80, 2));
}

TEST_F(ConnectedComponentsCuda, Stars) {
  const vertex_t n = 2 * tile + 100;
  for (const vertex_t centre : {0, tile + 3, n - 1}) {
    Ends ends;
    for (vertex_t v = 0; v < n; ++v) {
      if (v != centre && v % 50 != 7) ends.emplace_back(centre, v);
    }
    expect_right_all_ways(n, ends);
  }
}

/// All components are stars of more arcs than a chunk, whose centres are outside any giant
/// component, and some of which only their last arcs join.
TEST_F(ConnectedComponentsCuda, ManyHubs) {
  const vertex_t n_hubs = 9;
  const vertex_t leaves = 2 * chunk + 10;
  Ends ends;
  for (vertex_t hub = 0; hub < n_hubs; ++hub) {
    for (vertex_t i = 0; i < leaves; ++i) ends.emplace_back(hub, n_hubs + hub * leaves + i);
    if (hub % 3 == 2) ends.emplace_back(hub, hub - 1);
  }
  expect_right_all_ways(n_hubs * (leaves + 1), ends);
  expect_right_all_ways(n_hubs * (leaves + 1), shuffled(ends, n_hubs * (leaves + 1), 3));
}

/// A giant component, in which a hub has the only arcs to islands; rows of exactly a chunk.
TEST_F(ConnectedComponentsCuda, AGiantBesideIslands) {
  const vertex_t n = 2 * tile;
  Ends ends = path(100, n - 200);
  for (vertex_t i = 0; i < chunk; ++i) ends.emplace_back(n - 201, 100 + i);
  for (vertex_t i = 0; i < 90; i += 3) ends.emplace_back(n - 201, i);
  for (vertex_t i = 1; i < 60; i += 3) ends.emplace_back(i, n - 200 + i);
  for (const vertex_t more : {0, 1, 2, 3, 300}) {
    for (vertex_t i = 0; i < more; ++i) ends.emplace_back(n - 201, 700 + i);
    expect_right_all_ways(n, ends);
  }
}

/// The giant component's root gets a smaller parent by an arc that is not sampled, while others
/// already follow it.
TEST_F(ConnectedComponentsCuda, TheGiantGetsASmallerRootLast) {
  const vertex_t n = 3 * tile;
  Ends ends = path(tile / 2, n - 1);
  for (const auto& [tail, head] : Ends{{1, 5}, {1, 7}, {1, tile + 9}, {3, 900}, {900, 901}}) {
    ends.emplace_back(tail, head);
  }
  ends.emplace_back(6, n - 1);
  expect_right_all_ways(n, ends);
}

/// It takes several passes from the hub to the ends of a tree, of which each vertex has some arcs
/// to others of its depth, and isolated vertices lie in between.
TEST_F(ConnectedComponentsCuda, AGiantGrowsInSeveralPasses) {
  const vertex_t n = 4 * tile + 17;
  Ends ends;
  for (vertex_t v = 1; v < n; ++v) {
    if (v % 5 == 0) continue;
    ends.emplace_back(v, v / 7 % 5 == 0 ? v / 7 + 1 : v / 7);
    if (v % 3 == 0) ends.emplace_back(v, v - 1);
  }
  expect_right_all_ways(n, ends);
  expect_right_all_ways(n, shuffled(ends, n, 4));
}

TEST_F(ConnectedComponentsCuda, StrongOnes) {
  for (const std::size_t m : {100, 500, 900, 4000}) {
    expect_right_strong(graph_of(500, random_ends(500, m, static_cast<unsigned>(m)), false));
  }
}

TEST_F(ConnectedComponentsCuda, NamesTheBytesThatItNeeds) {
  const Csr<float> graph = graph_of(1000, random_ends(1000, 3000, 9), true);
  const DevicePattern copy(graph.view(), stream());
  std::vector<vertex_t> labels(1000);
  const auto with_limit = [&](std::size_t limit, bool strong) {
    const MemoryBudget budget({}, limit);
    return message_of([&] {
      if (strong) {
        strong_components_cuda(copy.view(), {labels}, budget, stream());
      } else {
        connected_components_cuda(copy.view(), true, no_vertex, {labels}, budget, stream());
      }
    });
  };
  for (const bool strong : {false, true}) {
    EXPECT_NE(with_limit(100, strong).find("100 bytes"), std::string::npos);
    EXPECT_EQ(with_limit(1 << 20, strong), "");
  }
}

}  // namespace
}  // namespace warpgraph::test
