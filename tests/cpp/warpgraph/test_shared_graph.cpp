// Graphs of a program of C++: of arrays that it shares, without Python.
#include "warpgraph/client.hpp"
#include "warpgraph/graph.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>
#include <vector>

namespace warpgraph {
namespace {

/// The path 0 - 1 - 2, with each edge both ways.
class PathGraph : public testing::Test {
 protected:
  static SharedArray offsets() { return SharedArray::of(std::vector<std::int64_t>{0, 1, 3, 4}); }
  static SharedArray heads() { return SharedArray::of(std::vector<vertex_t>{1, 0, 2, 1}); }
};

TEST_F(PathGraph, SharesItsArraysWithTheirOwners) {
  const SharedArray given = heads();
  const SharedArray lengths = SharedArray::of(std::vector<float>{1, 1, 2, 2});
  {
    Graph graph(offsets(), given);
    graph.set_weights(lengths);
    EXPECT_EQ(graph.type_of_caller(), Number::float32);
    EXPECT_EQ(graph.view<float>().weights, lengths.data);
    EXPECT_EQ(graph.heads_on_host().data, given.data);
    EXPECT_EQ(graph.host_bytes(), 4 * sizeof(std::int64_t) + 4 * sizeof(vertex_t) + 16);
    EXPECT_EQ(given.owner.use_count(), 2);
  }
  EXPECT_EQ(given.owner.use_count(), 1);
  EXPECT_EQ(lengths.owner.use_count(), 1);
}

TEST_F(PathGraph, FindsFactsOnce) {
  Graph graph(offsets(), heads());
  graph.set_weights(SharedArray::of(std::vector<double>{1, 1, 2, 3}));
  EXPECT_EQ(graph.longest_row(), 2);
  EXPECT_TRUE(graph.has_mirrored_structure());
  EXPECT_FALSE(graph.is_mirrored());
  EXPECT_EQ(graph.first_not_positive(), -1);
  EXPECT_EQ(graph.depth_from_hub().hops, 1);
}

TEST_F(PathGraph, NarrowsWideHeads) {
  Graph graph(offsets(), SharedArray::of(std::vector<std::int64_t>{1, 0, 2, 1}), true);
  EXPECT_FALSE(graph.has_heads_on_host());
  EXPECT_EQ(graph.pattern().heads[2], 2);
  EXPECT_EQ(graph.heads_on_host().items<vertex_t>()[2], 2);
}

TEST_F(PathGraph, RefusesWhatIsNoGraph) {
  EXPECT_THROW(Graph(SharedArray::of(std::vector<std::int64_t>{}), heads()), std::invalid_argument);
  EXPECT_THROW(Graph(offsets(), SharedArray::of(std::vector<vertex_t>{1, 0, 3, 1})),
               std::invalid_argument);
  EXPECT_THROW(Graph(offsets(), SharedArray::of(std::vector<float>{1, 0, 2, 1})),
               std::invalid_argument);
  Graph graph(offsets(), heads());
  EXPECT_THROW(graph.set_weights(SharedArray::of(std::vector<float>{1})), std::invalid_argument);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(graph.set_weights(SharedArray::of(std::vector<float>{1, nan, 2, 2})),
               std::invalid_argument);
  EXPECT_FALSE(graph.type_of_caller().has_value());
}

/// Counts what it runs.
class CountingClient final : public Client {
 public:
  void run(FunctionRef<void()> work) const override {
    ++n_runs;
    work();
  }
  mutable int n_runs = 0;
};

TEST_F(PathGraph, IsCheckedByTheClientOfTheLibrary) {
  static const CountingClient counting;
  const Client& before = client();
  set_client(counting);
  const Graph graph(offsets(), heads());
  set_client(before);
  EXPECT_EQ(counting.n_runs, 2);  // the offsets, and the heads
}

}  // namespace
}  // namespace warpgraph
