// Forests found on a device, against Kruskal's algorithm.
#include "algorithms/mst/mst.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "graph/generate/random.hpp"
#include "on_device.hpp"

#include <algorithm>
#include <bit>
#include <gtest/gtest.h>

namespace warpgraph {
namespace {

struct Shape {
  vertex_t n_vertices;
  std::int64_t n_edges;
  int n_weights;  // 1: all edges tie
  bool symmetric;
  bool has_hub;
};

/// Random edges, some of them parallel or loops, in rows that are not sorted.
template <class W>
Csr<W> draw(const Shape& shape, std::uint64_t seed) {
  struct Arc {
    vertex_t tail;
    vertex_t head;
    W weight;
  };
  const CounterRandom random(seed, 7);
  std::uint64_t drawn = 0;
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random.below(drawn++, static_cast<std::uint64_t>(n)));
  };
  std::vector<Arc> arcs;
  for (std::int64_t i = 0; i < shape.n_edges; ++i) {
    auto u = static_cast<vertex_t>(below(shape.n_vertices));
    auto v = static_cast<vertex_t>(below(shape.n_vertices));
    if (shape.has_hub && i % 2 == 0) v = shape.n_vertices / 3;
    if (v < u) std::swap(u, v);
    const auto weight = static_cast<W>(below(shape.n_weights) - shape.n_weights / 2);
    arcs.push_back({u, v, weight});
    if (shape.symmetric && u != v) arcs.push_back({v, u, weight});
  }
  std::stable_sort(arcs.begin(), arcs.end(),
                   [](const Arc& a, const Arc& b) { return a.tail < b.tail; });
  Csr<W> graph;
  graph.offsets = HostVector<edge_t>(static_cast<std::size_t>(shape.n_vertices) + 1);
  std::fill(graph.offsets.begin(), graph.offsets.end(), 0);
  for (const Arc& arc : arcs) {
    ++graph.offsets[static_cast<std::size_t>(arc.tail) + 1];
    graph.heads.push_back(arc.head);
    graph.weights.push_back(arc.weight);
  }
  for (std::size_t v = 1; v < graph.offsets.size(); ++v) graph.offsets[v] += graph.offsets[v - 1];
  return graph;
}

template <class W>
void expect_kruskals(const Csr<W>& graph, const MstOptions& options, const cuda::Stream& stream) {
  MstOptions unlimited = options;
  unlimited.budget = {};
  const SpanningForest<W> expected = mst_reference(graph.view(), unlimited);
  const test::CopiedGraph<W> copied(graph.view(), stream);
  const CsrView<W> there = copied.view();
  const SpanningForest<W> found = mst_cuda_to_host(there, options, stream);
  EXPECT_TRUE(std::ranges::equal(expected.positions, found.positions));
  EXPECT_TRUE(std::ranges::equal(expected.ends, found.ends));

  const cuda::DeviceBuffer<edge_t> positions(expected.positions.size() + 1, stream);
  const std::int64_t n = mst_cuda(there, options, positions.data(), stream);
  ASSERT_EQ(n, static_cast<std::int64_t>(expected.positions.size()));
  std::vector<edge_t> rising(static_cast<std::size_t>(n));
  cuda::copy(rising.data(), positions.data(), rising.size(), stream);
  stream.synchronize();
  EXPECT_TRUE(std::ranges::is_sorted(rising));
  std::vector<edge_t> sorted(expected.positions.begin(), expected.positions.end());
  std::ranges::sort(sorted);
  EXPECT_EQ(rising, sorted);
}

const Shape shapes[] = {
    {1, 1, 5, true, false},      {700, 900, 50, true, false},    {700, 900, 1, false, false},
    {300, 9000, 40, true, true}, {2500, 4000, 3, true, true},    {90, 6000, 1, true, false},
    {5000, 60, 9, false, false}, {400, 12000, 250, true, false}, {900, 1500, 4, true, false},
};

template <class W>
edge_t longest_row(const Csr<W>& graph) {
  edge_t longest = 0;
  for (std::size_t v = 1; v < graph.offsets.size(); ++v) {
    longest = std::max(longest, graph.offsets[v] - graph.offsets[v - 1]);
  }
  return longest;
}

template <class W>
void expect_kruskals_on_all_shapes(const cuda::Stream& stream) {
  for (const Shape& shape : shapes) {
    const Csr<W> graph = draw<W>(shape, 3);
    for (const bool maximum : {false, true}) {
      for (const bool with_longest_row : {false, true}) {
        MstOptions options;
        options.maximum = maximum;
        options.symmetric = shape.symmetric;
        if (with_longest_row) options.longest_row = longest_row(graph);
        SCOPED_TRACE(testing::Message()
                     << shape.n_vertices << " vertices, " << shape.n_edges << " edges, maximum "
                     << maximum << ", with longest_row " << with_longest_row);
        expect_kruskals(graph, options, stream);
      }
    }
  }
}

/// A path with these weights, stored in both directions.
Csr<std::int32_t> path(const std::vector<std::int32_t>& weights) {
  Csr<std::int32_t> graph;
  const auto n = static_cast<vertex_t>(weights.size() + 1);
  for (vertex_t v = 0; v < n; ++v) {
    if (v > 0) {
      graph.heads.push_back(v - 1);
      graph.weights.push_back(weights[static_cast<std::size_t>(v) - 1]);
    }
    if (v + 1 < n) {
      graph.heads.push_back(v + 1);
      graph.weights.push_back(weights[static_cast<std::size_t>(v)]);
    }
    graph.offsets.push_back(static_cast<edge_t>(graph.heads.size()));
  }
  return graph;
}

class MstOnDevice : public test::OnDevice {};

TEST_F(MstOnDevice, IsKruskalsForFloats) { expect_kruskals_on_all_shapes<float>(stream()); }
TEST_F(MstOnDevice, IsKruskalsForDoubles) { expect_kruskals_on_all_shapes<double>(stream()); }
TEST_F(MstOnDevice, IsKruskalsForIntegers) {
  expect_kruskals_on_all_shapes<std::int32_t>(stream());
}
TEST_F(MstOnDevice, IsKruskalsForWideIntegers) {
  expect_kruskals_on_all_shapes<std::int64_t>(stream());
}

TEST_F(MstOnDevice, FollowsLongPaths) {
  constexpr int n = 9000;
  std::vector<std::int32_t> rising(n);
  std::vector<std::int32_t> falling(n);
  std::vector<std::int32_t> pairs(n);  // after a round, a path of pairs
  for (int i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    rising[at] = i;
    falling[at] = n - i;
    pairs[at] = i % 2 == 0 ? 0 : n - i;
  }
  MstOptions options;
  options.symmetric = true;
  for (const edge_t longest_row : {std::numeric_limits<edge_t>::max(), edge_t{2}}) {
    options.longest_row = longest_row;
    for (const auto& weights : {rising, falling, pairs}) {
      expect_kruskals(path(weights), options, stream());
    }
  }
}

/// Each round only halves the number of trees, so there are many rounds.
TEST_F(MstOnDevice, TakesManyRounds) {
  constexpr unsigned n = 30'000;
  std::vector<std::int32_t> weights(n - 1);
  for (unsigned i = 1; i < n; ++i) weights[i - 1] = std::countr_zero(i);
  MstOptions options;
  options.symmetric = true;
  options.longest_row = 2;
  expect_kruskals(path(weights), options, stream());
}

/// More edges than the sample predicts, for which the lists are too short, and many passes.
TEST_F(MstOnDevice, RunsWithLittleMemory) {
  const Shape shape{2000, 80'000, 60, false, true};
  const Csr<double> graph = draw<double>(shape, 5);
  for (const std::size_t kilobytes : {250, 400, 900}) {
    MstOptions options;
    options.budget = MemoryBudget({}, kilobytes << 10);
    SCOPED_TRACE(testing::Message() << kilobytes << " KiB");
    expect_kruskals(graph, options, stream());
  }
}

}  // namespace
}  // namespace warpgraph
