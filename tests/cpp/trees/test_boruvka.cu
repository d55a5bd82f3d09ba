// The steps of Boruvka's algorithm over sorted rows, on the device and divided with the host.
#include "algorithms/mst/sorted_rows/device_boruvka.hpp"
#include "algorithms/mst/sorted_rows/mst_boruvka.hpp"
#include "core/cuda/copies/upload.hpp"
#include "on_device.hpp"
#include "primitives/boruvka/device_step.cuh"
#include "support.hpp"
#include "trees/boruvka_steps.hpp"
#include "trees/divided_boruvka.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace warpgraph::mst {
namespace {

using Boruvka = DividedBoruvka;

/// A path of n vertices; the edge between i and i + 1 has the weight weight_of(i).
template <class WeightOf>
Csr<double> path(vertex_t n, WeightOf&& weight_of) {
  Csr<double> graph;
  for (vertex_t v = 0; v < n; ++v) {
    if (v + 1 < n) {
      graph.heads.push_back(v + 1);
      graph.weights.push_back(weight_of(v));
    }
    graph.offsets.push_back(static_cast<edge_t>(graph.heads.size()));
  }
  return graph;
}

TEST_F(Boruvka, RowsAreSortedInKruskalsOrder) {
  const Csr<double> graph = test::random_graph<double>(300, 4000, 1);
  for (const bool maximum : {false, true}) {
    const PreparedRows rows = prepare_rows(graph.view(), maximum);
    const CsrView<double> view = graph.view();
    ASSERT_TRUE(
        std::is_sorted(rows.positions.begin(), rows.positions.end(), [&](edge_t a, edge_t b) {
          const double of_a = maximum ? -view.weights[a] : view.weights[a];
          const double of_b = maximum ? -view.weights[b] : view.weights[b];
          return of_a != of_b ? of_a < of_b : a < b;
        }));
    std::vector<int> visits(rows.positions.size());
    const CsrPattern pattern = rows.view();
    for (vertex_t u = 0; u < pattern.n_vertices; ++u) {
      for (edge_t e = pattern.begin(u); e < pattern.end(u); ++e) {
        const rank_t rank = rows.ranks[static_cast<std::size_t>(e)];
        ASSERT_TRUE(e == pattern.begin(u) || rows.ranks[static_cast<std::size_t>(e) - 1] < rank);
        const edge_t position = rows.positions[rank];
        ASSERT_EQ(std::minmax(u, pattern.heads[e]),
                  std::minmax(tail_of(view, position), view.heads[position]));
        ++visits[rank];
      }
    }
    EXPECT_EQ(visits, std::vector<int>(visits.size(), 2));
  }
}

TEST_F(Boruvka, RowsAreTheSameWhereverTheyArePrepared) {
  for (const edge_t arcs : {0, 1, 5000}) {
    const Csr<float> graph = test::random_graph<float>(700, arcs, 2);
    const test::CopiedGraph<float> resident(graph.view(), stream());
    const PreparedRows rows = prepare_rows(graph.view(), true);
    const DevicePreparedRows on_device(resident.view(), true, {}, stream());
    const RowsView view = on_device.view();
    ASSERT_EQ(view.n_arcs, static_cast<edge_t>(rows.ranks.size()));
    EXPECT_EQ(fetched(view.offsets.wide(), view.n_vertices + 1),
              std::vector<edge_t>(rows.offsets.begin(), rows.offsets.end()));
    EXPECT_EQ(fetched(view.heads, view.n_arcs),
              std::vector<vertex_t>(rows.heads.begin(), rows.heads.end()));
    EXPECT_EQ(fetched(view.ranks, view.n_arcs),
              std::vector<rank_t>(rows.ranks.begin(), rows.ranks.end()));
    EXPECT_EQ(fetched(on_device.positions(), view.n_arcs / 2),
              std::vector<edge_t>(rows.positions.begin(), rows.positions.end()));
  }
}

TEST_F(Boruvka, ForestIsTheSameHoweverTheRowsAreDivided) {
  for (const edge_t arcs : {200, 2000}) {
    const Csr<std::int32_t> graph = test::random_graph<std::int32_t>(500, arcs, 3);
    const PreparedRows rows = prepare_rows(graph.view(), false);
    const test::CopiedGraph<std::int32_t> resident(graph.view(), stream());
    const DevicePreparedRows on_device(resident.view(), false, {}, stream());
    const std::vector<rank_t> expected =
        ranks_of(rows, mst_reference(graph.view(), MstOptions{}).positions);
    for (const vertex_t cut : {0, 1, 33, 250, 500}) {
      EXPECT_EQ(divided(rows, on_device.view(), [=](vertex_t) { return cut; }), expected) << cut;
    }
    const auto moving = [](vertex_t round) { return (100 + 217 * round) % 501; };
    EXPECT_EQ(divided(rows, on_device.view(), moving), expected);
  }
}

TEST_F(Boruvka, LongPathsOfTreesAreMerged) {
  const vertex_t n = 5000;
  const auto rising = [](vertex_t v) { return static_cast<double>(v); };
  const auto falling = [&](vertex_t v) { return static_cast<double>(n - v); };
  for (const Csr<double>& graph : {path(n, rising), path(n, falling)}) {
    const test::CopiedGraph<double> resident(graph.view(), stream());
    const auto forest = mst_boruvka_cuda_to_host(resident.view(), MstOptions{}, stream());
    EXPECT_EQ(forest.positions, mst_reference(graph.view(), MstOptions{}).positions);
    const cuda::DeviceBuffer<edge_t> there(static_cast<std::size_t>(n) - 1, stream());
    EXPECT_EQ(mst_boruvka_cuda(resident.view(), MstOptions{}, there.data(), stream()), n - 1);
    std::vector<edge_t> all(static_cast<std::size_t>(n) - 1);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(fetched(there.data(), n - 1), all);
  }
}

struct TargetInArray {
  const vertex_t* targets;
  WARPGRAPH_HOST_DEVICE vertex_t operator()(vertex_t tree) const { return targets[tree]; }
};

struct ListHooked {
  vertex_t* hooked;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t tree, bool is_hooked, std::int64_t i) const {
    if (is_hooked) hooked[i] = static_cast<vertex_t>(tree);
  }
};

TEST_F(Boruvka, StepEqualsItsDefinition) {
  const cuda::DeviceBuffer<unsigned> unfinished(boruvka::n_unfinished_flags, stream());
  cuda::fill_bytes(unfinished.data(), 0, unfinished.size(), stream());
  for (const std::vector<vertex_t>& targets : test::step_targets()) {
    const auto n = static_cast<std::int64_t>(targets.size());
    const auto on_device = cuda::to_device(std::span<const vertex_t>(targets), stream());
    const cuda::DeviceBuffer<vertex_t> tree_of(targets.size(), stream());
    const cuda::DeviceBuffer<vertex_t> parent(targets.size(), stream());
    const cuda::DeviceBuffer<vertex_t> numbers(targets.size() + 1, stream());
    const cuda::DeviceBuffer<vertex_t> hooked(targets.size(), stream());
    cuda::iota(tree_of.data(), n, stream());
    boruvka::join_trees(boruvka::DeviceStep{stream(), unfinished.data()},
                        {n, n, tree_of.data(), parent.data(), numbers.data()},
                        TargetInArray{on_device.data()}, ListHooked{hooked.data()});
    const std::vector<vertex_t> expected = boruvka::join_trees_reference(targets);
    EXPECT_EQ(fetched(parent), expected);
    EXPECT_EQ(fetched(tree_of), expected);
    const vertex_t n_roots = fetched(numbers).back();
    EXPECT_EQ(n_roots, 1 + *std::max_element(expected.begin(), expected.end()));
    for (const vertex_t tree : fetched(hooked.data(), n - n_roots)) {
      EXPECT_NE(targets[static_cast<std::size_t>(tree)], no_vertex) << tree;
    }
    EXPECT_EQ(fetched(unfinished), std::vector<unsigned>(unfinished.size(), 0));
  }
}

TEST_F(Boruvka, ChoicesCompareByTheirEdges) {
  EXPECT_LT(make_choice(1, 7), make_choice(2, 3));
  EXPECT_LT(make_choice(0xfffffffe, 0x7fffffff), no_choice);
  EXPECT_EQ(rank_of(make_choice(5, 9)), 5u);
  EXPECT_EQ(target_of(make_choice(5, 9)), 9);
  EXPECT_EQ(target_of(no_choice), no_vertex);
}

TEST_F(Boruvka, TooManyEdgesAreRefused) {
  EXPECT_NO_THROW(check_rankable(max_ranked_edges));
  EXPECT_NE(test::message_of([] { check_rankable(max_ranked_edges + 1); }).find("4294967296"),
            std::string::npos);
}

}  // namespace
}  // namespace warpgraph::mst
