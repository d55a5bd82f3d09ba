// Core numbers, triangles and truss numbers, by several threads.
#include "algorithms/core_numbers/core_numbers.hpp"
#include "algorithms/triangles/triangles.hpp"
#include "algorithms/truss_numbers/truss_numbers.hpp"
#include "core/containers/at.hpp"
#include "graph/symmetry/symmetry.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

namespace warpgraph {
namespace {

/// Random edges both ways; half of them are among a tenth of the vertices.
Csr<std::int32_t> dense_and_sparse(vertex_t n, edge_t n_arcs) {
  Csr<std::int32_t> graph = test::random_graph<std::int32_t>(n, n_arcs, 5);
  for (std::size_t e = 0; e < graph.heads.size(); e += 2) graph.heads[e] %= n / 10;
  return symmetrise(graph.view());
}

TEST(CoreNumbers, AreThoseOfTheReference) {
  constexpr vertex_t n = 3000;
  const auto graph = dense_and_sparse(n, 80'000);
  std::vector<vertex_t> expected(at(n)), found(at(n));
  core_numbers_reference(graph.view(), expected);
  for (const int threads : {1, 2, 8}) {
    const test::ScopedThreads some(threads);
    core_numbers_cpu(graph.view(), {}, found);
    EXPECT_EQ(found, expected);
  }
}

TEST(CoreNumbers, OfALongChain) {
  constexpr vertex_t n = 200'000;
  test::Arcs<std::int32_t> arcs;
  for (vertex_t v = 0; v + 1 < n; ++v) arcs.emplace_back(v, v + 1, 1);
  const auto graph = symmetrise(test::graph_of<std::int32_t>(n, arcs).view());
  std::vector<vertex_t> found(at(n));
  for (const int threads : {1, 2, 8}) {
    const test::ScopedThreads some(threads);
    core_numbers_cpu(graph.view(), {}, found);
    EXPECT_EQ(found, std::vector<vertex_t>(at(n), 1));
  }
}

TEST(Triangles, AreThoseOfTheReference) {
  constexpr vertex_t n = 2000;
  for (const edge_t n_arcs : {2'000, 60'000}) {
    const auto graph = dense_and_sparse(n, n_arcs);
    std::vector<std::int64_t> expected(at(n)), found(at(n));
    std::vector<vertex_t> expected_degrees(at(n)), degrees(at(n));
    triangles_reference(graph.view(), {expected, expected_degrees});
    for (const int threads : {1, 2, 8}) {
      const test::ScopedThreads some(threads);
      triangles_cpu(graph.view(), {}, {found, degrees});
      EXPECT_EQ(found, expected);
      EXPECT_EQ(degrees, expected_degrees);
    }
  }
}

TEST(TrussNumbers, AreThoseOfTheReference) {
  for (const edge_t n_arcs : {0, 300, 2'000}) {
    const auto graph = dense_and_sparse(100, n_arcs);
    const TrussNumbers expected = truss_numbers_reference(graph.view());
    for (const int threads : {1, 2, 8}) {
      const test::ScopedThreads some(threads);
      const TrussNumbers found = truss_numbers_cpu(graph.view(), {});
      EXPECT_EQ(found.offsets, expected.offsets);
      EXPECT_EQ(found.heads, expected.heads);
      EXPECT_EQ(found.numbers, expected.numbers);
    }
  }
}

}  // namespace
}  // namespace warpgraph
