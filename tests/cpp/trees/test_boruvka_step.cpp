// The step of Boruvka's algorithm on CPU threads, against its definition.
#include "primitives/boruvka/host_step.hpp"
#include "support.hpp"
#include "trees/boruvka_steps.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace warpgraph::boruvka {
namespace {

struct ListHooked {
  const vertex_t* targets;
  vertex_t* hooked;
  void operator()(std::int64_t tree, bool is_hooked, std::int64_t i) const {
    if (is_hooked) hooked[i] = static_cast<vertex_t>(tree);
  }
};

TEST(BoruvkaStep, EqualsItsDefinition) {
  const test::ScopedThreads threads(4);
  for (const std::vector<vertex_t>& targets : test::step_targets()) {
    const std::vector<vertex_t> expected = join_trees_reference(targets);
    const std::size_t n = targets.size();
    std::vector<vertex_t> tree_of(n);
    std::iota(tree_of.rbegin(), tree_of.rend(), 0);
    std::vector<vertex_t> parent(n), numbers(n + 1), hooked(n, no_vertex);
    const auto n_trees = static_cast<std::int64_t>(n);
    join_trees(
        HostStep{}, {n_trees, n_trees, tree_of.data(), parent.data(), numbers.data()},
        [&](vertex_t tree) { return targets[static_cast<std::size_t>(tree)]; },
        ListHooked{targets.data(), hooked.data()});
    EXPECT_EQ(parent, expected);
    EXPECT_EQ(numbers.back(), 1 + *std::max_element(expected.begin(), expected.end()));
    std::reverse(tree_of.begin(), tree_of.end());
    EXPECT_EQ(tree_of, expected);
    hooked.resize(n - static_cast<std::size_t>(numbers.back()));
    EXPECT_TRUE(std::is_sorted(hooked.begin(), hooked.end()));
    for (const vertex_t tree : hooked) {
      EXPECT_NE(targets[static_cast<std::size_t>(tree)], no_vertex) << tree;
    }
  }
}

TEST(BoruvkaStep, SmallerTreeOfAMutualPairIsItsRoot) {
  EXPECT_EQ(join_trees_reference(std::vector<vertex_t>{2, no_vertex, 0, 2}),
            (std::vector<vertex_t>{0, 1, 0, 0}));
  std::vector<vertex_t> parent{0, 1, 2, 3};
  hook_along(2, 0, true, true, parent.data());
  hook_along(3, 1, true, false, parent.data());
  EXPECT_EQ(parent, (std::vector<vertex_t>{0, 1, 0, 1}));
  hook_along(3, 1, false, true, parent.data());
  EXPECT_EQ(parent[1], 3);
}

}  // namespace
}  // namespace warpgraph::boruvka
