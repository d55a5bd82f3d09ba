// Breadth-first search on cores against its reference, with the arcs that enter each vertex known
// in every form: for the sanitizers.
#include "algorithms/bfs/bfs.hpp"
#include "graph/symmetry/symmetry.hpp"
#include "search/bfs_graphs.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace warpgraph {
namespace {

using Vertices = std::vector<vertex_t>;

struct Search {
  Vertices hops, predecessors;
};

Search reference(const CsrPattern& graph, vertex_t source) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  Search found{Vertices(n), Vertices(n)};
  BfsOptions options;
  options.source = source;
  bfs_reference(graph, options, found.hops, found.predecessors);
  return found;
}

void expect_reference(const CsrPattern& graph, const BfsOptions& options) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  const Search expected = reference(graph, options.source);
  Vertices hops(n);
  Vertices predecessors(n);
  bfs_cpu(graph, options, hops, predecessors);
  EXPECT_EQ(hops, expected.hops);
  EXPECT_EQ(predecessors, expected.predecessors);
  bfs_cpu(graph, options, hops, {});
  EXPECT_EQ(hops, expected.hops);
}

void expect_reference_from_many(const CsrPattern& graph, bool symmetric,
                                const CsrPattern* transposed) {
  const std::int64_t n = graph.n_vertices;
  Vertices sources;
  for (vertex_t i = 0; i < 40; ++i) sources.push_back(7 * i);
  Vertices rows(static_cast<std::size_t>(n) * sources.size());
  BfsFromManyOptions options;
  options.sources = sources;
  options.symmetric = symmetric;
  options.transposed = transposed;
  bfs_from_many_cpu<vertex_t>(graph, options, {rows.data(), n, -1});
  auto row = rows.begin();
  for (const vertex_t source : sources) {
    EXPECT_EQ(Vertices(row, row + n), reference(graph, source).hops) << "from " << source;
    row += n;
  }
}

void search_in_every_form(const test::Ends& ends, vertex_t n, bool symmetric, int n_threads = 4) {
  const test::ScopedThreads threads(n_threads);
  const Csr<float> graph = test::graph_of(n, ends, symmetric);
  const Csr<float> transposed = transpose<float>(graph.view());
  const CsrPattern pattern = graph.view();
  const CsrPattern entering = transposed.view();
  BfsOptions options;
  options.source = 1;
  expect_reference(pattern, options);
  options.symmetric = symmetric;
  if (!symmetric) {
    options.transposed = &entering;
    expect_reference(pattern, options);
    options.ascending_heads = true;  // rows of a transposed graph are in order
  }
  expect_reference(pattern, options);
  expect_reference_from_many(pattern, symmetric, options.transposed);
}

/// Whether each arc has its reverse.
class Bfs : public testing::TestWithParam<bool> {};

TEST_P(Bfs, OfAPowerLaw) {
  search_in_every_form(test::power_law(20'000, 200'000), 20'000, GetParam());
}
TEST_P(Bfs, WithALateHub) {
  search_in_every_form(test::late_hub(20'000, 2'000), 22'032, GetParam());
}
TEST_P(Bfs, OfADeepGraph) {
  search_in_every_form(test::chain_of_cliques(4'000, 5), 20'000, GetParam());
}
TEST_P(Bfs, OfAGridWhoseLevelsThreadsDivide) {
  constexpr vertex_t width = 400;
  test::Ends ends;
  for (vertex_t v = 0; v < width * width; ++v) {
    if (v % width != 0) ends.emplace_back(v - 1, v);
    if (v >= width) ends.emplace_back(v - width, v);
  }
  search_in_every_form(ends, width * width, GetParam(), 3);
}

INSTANTIATE_TEST_SUITE_P(Symmetric, Bfs, testing::Bool());

}  // namespace
}  // namespace warpgraph
