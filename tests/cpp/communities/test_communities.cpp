// Communities by several threads: the same bits, and a quality that chance does not reach.
#include "algorithms/communities/communities.hpp"
#include "core/containers/at.hpp"
#include "graph/symmetry/symmetry.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

namespace warpgraph {
namespace {

/// Groups of twenty vertices with edges inside, and random edges.
Csr<double> groups(vertex_t n, edge_t n_arcs) {
  Csr<double> graph = test::random_graph<double>(n, n_arcs, 3);
  const CsrView<double> view = graph.view();
  for_each_arc(view, 0, view.n_arcs, [&](vertex_t u, vertex_t v, edge_t e) {
    if (e % 8 != 0) graph.heads[at(e)] = u / 20 * 20 + v % 20;
  });
  return symmetrise(graph.view());
}

TEST(Communities, AreTheSameForAnyNumberOfThreads) {
  constexpr vertex_t n = 20'000;
  const Csr<double> graph = groups(n, 150'000);
  using enum CommunityMethod;
  for (const CommunityMethod method : {leiden, louvain, label_propagation}) {
    std::vector<vertex_t> expected(at(n)), found(at(n));
    const CommunitiesOptions options{.method = method, .seed = 7};
    CommunitiesResult first;
    {
      const test::ScopedThreads one(1);
      first = communities_cpu(graph.view(), options, expected);
    }
    EXPECT_GT(first.quality, 0.7);
    for (const int threads : {2, 8}) {
      const test::ScopedThreads some(threads);
      const CommunitiesResult result = communities_cpu(graph.view(), options, found);
      EXPECT_EQ(result.n_communities, first.n_communities);
      EXPECT_EQ(result.quality, first.quality);
      EXPECT_EQ(found, expected);
    }
  }
}

TEST(Communities, NamesAnInfiniteWeight) {
  const auto graph = test::graph_of<double>(2, {{0, 1, infinity<double>()}, {1, 0, 1.0}});
  std::vector<vertex_t> labels(2);
  const std::string message = test::message_of([&] { communities_cpu(graph.view(), {}, labels); });
  EXPECT_NE(message.find("entry (0, 1)"), std::string::npos) << message;
}

}  // namespace
}  // namespace warpgraph
