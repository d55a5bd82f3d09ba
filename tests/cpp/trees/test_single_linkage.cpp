// The dendrogram by contraction against the one by union-find.
#include "algorithms/single_linkage/single_linkage.hpp"
#include "core/threads/parallel.hpp"
#include "support.hpp"
#include "trees/single_linkage_trees.hpp"

#include <gtest/gtest.h>

namespace warpgraph::test {
namespace {

class SingleLinkage : public testing::TestWithParam<TreeShape> {};

TEST_P(SingleLinkage, ContractionEqualsUnionFind) {
  for (const vertex_t n : {2, 3, 10, 4097, 60'000}) {
    const Tree tree = make_tree(GetParam(), n);
    const std::vector<double> wanted = reference_of(tree);
    for (const int threads : {1, 2, 5}) {
      const ScopedThreads scope(threads);
      std::vector<double> found(wanted.size());
      single_linkage_cpu(tree.view(), found, LinkageMethod::contraction);
      ASSERT_EQ(found, wanted) << n << " vertices, " << threads << " threads";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, SingleLinkage, testing::ValuesIn(all_shapes));

TEST(SingleLinkageOfForests, JoinsTreesInTheOrderOfTheirSmallestVertices) {
  const std::vector<vertex_t> ends{5, 3, 4, 1};
  const std::vector<double> weights{2, 1};
  std::vector<double> rows(20);
  single_linkage_cpu({6, ends, weights}, rows, LinkageMethod::contraction);
  const double inf = infinity<double>();
  EXPECT_EQ(rows, (std::vector<double>{1, 4, 1,   2, 3, 5, 2, 2, 0, 6, inf, 3, 2, 8, inf, 4,  //
                                       7, 9, inf, 6}));
}

TEST(SingleLinkageOfForests, ACycleIsNamed) {
  const std::vector<vertex_t> ends{0, 1, 1, 2, 2, 0, 3, 4};
  const std::vector<double> weights{1, 4, 3, 2};
  std::vector<double> rows(4 * 7);
  EXPECT_EQ(message_of([&] {
              single_linkage_cpu({8, ends, weights}, rows, LinkageMethod::contraction);
            }),
            "edge 1 (1, 2) closes a cycle: the edges are no forest");
}

}  // namespace
}  // namespace warpgraph::test
