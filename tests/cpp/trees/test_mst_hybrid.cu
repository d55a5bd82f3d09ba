// A device alone, or with CPU threads that search parts of the same rows: for any parts, the forest
// is Kruskal's.
#include "algorithms/mst/hybrid/block_deque.hpp"
#include "algorithms/mst/hybrid/hybrid.hpp"
#include "algorithms/mst/mst.hpp"
#include "algorithms/mst/sorted_rows/device_boruvka.hpp"
#include "algorithms/mst/sorted_rows/host_row_search.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/generate/generate.hpp"
#include "on_device.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <thread>

namespace warpgraph::mst {
namespace {

using test::ScopedThreads;

class HybridOnDevice : public test::OnDevice {};

std::shared_ptr<const PreparedRows> prepare(const Csr<std::int32_t>& graph) {
  return std::make_shared<const PreparedRows>(prepare_rows(graph.view(), false));
}

/// The positions of Kruskal's forest.
std::vector<edge_t> expected(const Csr<std::int32_t>& graph) {
  const HostVector<edge_t> positions = mst_reference(graph.view(), {}).positions;
  return {positions.begin(), positions.end()};
}

std::vector<edge_t> found(const PreparedRows& rows, const HostVector<rank_t>& ranks) {
  std::vector<edge_t> positions;
  for (const rank_t rank : ranks) positions.push_back(rows.positions[rank]);
  return positions;
}

std::vector<Csr<std::int32_t>> graphs() {
  const WeightRule few{WeightRule::Kind::integer, 1, 9};
  std::vector<Csr<std::int32_t>> result;
  result.push_back(rmat<std::int32_t>({.scale = 10}, few, 1));
  result.push_back(ssca2<std::int32_t>({.scale = 10, .max_clique_size = 9}, few, 2));
  result.push_back(grid<std::int32_t>({.rows = 40, .cols = 30, .removed = 0.2}, few, 3));
  result.push_back(test::random_graph<std::int32_t>(500, 700, 4));
  result.emplace_back();                                      // no vertex
  result.back() = test::random_graph<std::int32_t>(7, 0, 5);  // no edge
  return result;
}

/// Against a sequential search for the lightest choice of each tree.
TEST(HostRowSearch, FindsTheLightestEdgesOfTrees) {
  for (const auto& graph : graphs()) {
    const auto rows = prepare(graph);
    const RowsView view = rows->view();
    const HostRowSearch search(view);
    std::vector<vertex_t> tree_of(static_cast<std::size_t>(view.n_vertices));
    for (vertex_t v = 0; v < view.n_vertices; ++v) tree_of[static_cast<std::size_t>(v)] = v;
    for (const vertex_t n_trees : {view.n_vertices, 37, 3, 1}) {
      for (vertex_t& tree : tree_of) tree %= std::max(n_trees, 1);
      for (const vertex_t giant : {no_vertex, 1}) {
        std::vector<choice_t> choices(tree_of.size() + 1, no_choice);
        std::vector<choice_t> lightest = choices;
        for (vertex_t u = 0; u < view.n_vertices; ++u) {
          const vertex_t tree = tree_of[static_cast<std::size_t>(u)];
          for (edge_t e = view.offsets[u]; e < view.offsets[u + 1]; ++e) {
            const vertex_t target = tree_of[static_cast<std::size_t>(view.heads[e])];
            if (target == tree || tree == giant) continue;
            choice_t& choice = lightest[static_cast<std::size_t>(tree)];
            choice = std::min(choice, make_choice(view.ranks[e], target));
          }
        }
        TreeRange trees;
        for (vertex_t first = 0; first < view.n_vertices; first += 100) {
          const vertex_t last = std::min(first + 100, view.n_vertices);
          trees = trees + search.search(first, last, tree_of.data(), giant, choices.data());
        }
        EXPECT_EQ(choices, lightest);
        for (vertex_t tree = 0; tree < view.n_vertices; ++tree) {
          if (choices[static_cast<std::size_t>(tree)] == no_choice) continue;
          EXPECT_LE(trees.first, tree);
          EXPECT_GE(trees.last, tree);
        }
      }
    }
  }
}

TEST(BlockDeque, IsPoppedFromBothEnds) {
  BlockDeque blocks(10);
  EXPECT_EQ(blocks.pop_front(4).last, 4);
  const BlockRange back = blocks.pop_back(3);
  EXPECT_EQ(back.first, 7);
  EXPECT_EQ(back.last, 10);
  EXPECT_EQ(blocks.remaining().size(), 3);
  EXPECT_EQ(blocks.pop_back(5).first, 4);
  EXPECT_EQ(blocks.pop_front(1).size(), 0);
  EXPECT_EQ(blocks.pop_back(1).size(), 0);
}

TEST(BlockDeque, ReturnsEveryBlockOnce) {
  constexpr std::int64_t n = 20'000;
  BlockDeque blocks(n);
  std::vector<int> taken(n, 0);
  const auto take = [&](auto&& pop) {
    for (BlockRange range = pop(); range.size() > 0; range = pop()) {
      for (std::int64_t b = range.first; b < range.last; ++b) ++taken[static_cast<std::size_t>(b)];
    }
  };
  std::vector<std::thread> threads;
  threads.emplace_back([&] { take([&] { return blocks.pop_front(7); }); });
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] { take([&] { return blocks.pop_back(1); }); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::count(taken.begin(), taken.end(), 1), n);
}

TEST_F(HybridOnDevice, IsKruskals) {
  for (const auto& graph : graphs()) {
    const auto rows = prepare(graph);
    for (const int threads : {1, 4}) {
      const ScopedThreads scoped(threads);
      const auto forest = make_hybrid_forest(*rows, MemoryBudget(device()));
      for (int again = 0; again < 7; ++again) {
        EXPECT_EQ(found(*rows, forest->solve()), expected(graph));
      }
      EXPECT_EQ(forest->n_resident_arcs(), rows->view().n_arcs);
    }
  }
}

/// The smallest memory limit and larger ones; the threads or the device read what does not fit.
TEST_F(HybridOnDevice, WithEdgesThatDoNotFit) {
  const auto graph = rmat<std::int32_t>({.scale = 12}, {WeightRule::Kind::integer, 1, 99}, 1);
  const auto rows = prepare(graph);
  const std::vector<edge_t> kruskals = expected(graph);
  const ScopedThreads scoped(4);
  std::size_t low = 0;
  for (std::size_t high = 1 << 24; high - low > 1;) {
    const std::size_t middle = (low + high) / 2;
    try {
      make_hybrid_forest(*rows, MemoryBudget(device(), middle));
      high = middle;
    } catch (const OutOfMemory& error) {
      EXPECT_NE(std::string(error.what()).find("memory_limit"), std::string::npos);
      low = middle;
    }
  }
  edge_t n_resident = -1;
  for (const std::size_t bytes : {low + 1, low + (1 << 18), low + (1 << 19), low + (1 << 22)}) {
    const auto forest = make_hybrid_forest(*rows, MemoryBudget(device(), bytes));
    EXPECT_GT(forest->n_resident_arcs(), n_resident);
    n_resident = forest->n_resident_arcs();
    for (int again = 0; again < 6; ++again) EXPECT_EQ(found(*rows, forest->solve()), kruskals);
  }
  EXPECT_EQ(n_resident, rows->view().n_arcs);
}

struct Interrupted : std::exception {};

/// Interrupts a call at its n-th poll.
class InterruptAt final : public CallHooks {
 public:
  explicit InterruptAt(int n) : left_(n) {}
  void poll() override {
    if (left_-- == 0) throw Interrupted();
  }
  void progress(std::int64_t, std::int64_t) override {}

 private:
  int left_;
};

TEST_F(HybridOnDevice, IsRightAfterAnInterruptedCall) {
  const auto graph = rmat<std::int32_t>({.scale = 11}, {WeightRule::Kind::integer, 1, 99}, 1);
  const auto rows = prepare(graph);
  const std::vector<edge_t> kruskals = expected(graph);
  const ScopedThreads scoped(3);
  for (const std::size_t limit : {MemoryBudget::no_limit, std::size_t{400'000}}) {
    const auto forest = make_hybrid_forest(*rows, MemoryBudget(device(), limit));
    for (int n = 0; n < 40; n += 8) {
      InterruptAt hooks(n);
      {
        const ScopedHooks installed(hooks);
        if (n == 0) {
          EXPECT_THROW(forest->solve(), Interrupted);
        } else {
          try {
            forest->solve();
          } catch (const Interrupted&) {
          }
        }
      }
      EXPECT_EQ(found(*rows, forest->solve()), kruskals);
    }
  }
}

}  // namespace
}  // namespace warpgraph::mst
