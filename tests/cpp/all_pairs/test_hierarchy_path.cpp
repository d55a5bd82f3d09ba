// Paths in hierarchies against those of sssp, with queries of several threads at a time.
#include "algorithms/hierarchy/path/path.hpp"
#include "algorithms/sssp/sssp.hpp"
#include "graph/symmetry/symmetry.hpp"
#include "support.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

namespace warpgraph {
namespace {

constexpr vertex_t n = 3000;
constexpr vertex_t n_sources = 12;
constexpr vertex_t target_step = 97;

/// Asks for paths from `first` and every second source after it; counts those that differ.
template <class T, class W>
void ask(const Hierarchy<T>& hierarchy, PathQueries<T>& queries, const CsrView<W>& graph,
         vertex_t first, std::atomic<int>& n_wrong) {
  std::vector<W> distances(n);
  std::vector<vertex_t> tree(n);
  for (vertex_t source = first; source < n_sources; source += 2) {
    sssp_cpu<W>(graph, source, {}, {distances, tree});
    for (vertex_t target = source; target < n; target += target_step) {
      const auto found = queries.find(hierarchy, graph, graph, source, target, {});
      const Paths expected = reconstruct_paths(tree, source, std::span(&target, 1));
      if (!found || found->length != distances[at(target)] ||
          found->vertices != expected.vertices) {
        ++n_wrong;
      }
    }
  }
}

template <class W>
void expect_paths_of_sssp(const CsrView<W>& graph) {
  HierarchyOptions options;
  options.symmetric = true;
  options.core_vertices = 3;
  const AnyHierarchy built = build_hierarchy(graph, options);
  std::visit(
      [&]<class T>(const Hierarchy<T>& hierarchy) {
        PathQueries<T> queries;
        std::atomic<int> n_wrong{0};
        std::thread other([&] { ask(hierarchy, queries, graph, 1, n_wrong); });
        ask(hierarchy, queries, graph, 0, n_wrong);
        other.join();
        EXPECT_EQ(n_wrong, 0);
        EXPECT_GT(queries.bytes(), at(n));
      },
      built);
}

TEST(HierarchyPath, IsThatOfSearches) {
  const test::ScopedThreads threads(4);
  for (const edge_t n_arcs : {edge_t{0}, edge_t{n}, edge_t{n} * 5 / 4}) {
    Csr<double> graph = symmetrise(test::random_graph<double>(n, n_arcs, 5).view());
    expect_paths_of_sssp<double>(graph.view());
    for (double& weight : graph.weights) weight *= 0.37;  // sums round
    expect_paths_of_sssp<double>(graph.view());
    Csr<float> narrow;
    narrow.offsets = graph.offsets;
    narrow.heads = graph.heads;
    for (const double weight : graph.weights) narrow.weights.push_back(static_cast<float>(weight));
    expect_paths_of_sssp<float>(narrow.view());
  }
}

TEST(ArcCounts, BoundTheArcsOfAPath) {
  const std::vector<edge_t> offsets{0, 0, 1, 2, 4, 5};
  const std::vector<vertex_t> tails{0, 1, 2, 0, 3};
  const std::vector<double> weights{1, 2, 4, 0, 0};
  CsrView<double> transposed;
  transposed.n_vertices = 5;
  transposed.n_arcs = 5;
  transposed.offsets = Offsets(offsets.data());
  transposed.heads = tails.data();
  transposed.weights = weights.data();
  const ArcCounts counts(transposed);
  EXPECT_EQ(counts.heaviest(), 4);
  EXPECT_EQ(counts.max_arcs(0), 0);
  EXPECT_EQ(counts.max_arcs(1), 1);
  EXPECT_EQ(counts.max_arcs(2.9), 1);
  EXPECT_EQ(counts.max_arcs(3), 2);
  EXPECT_EQ(counts.max_arcs(7), 3);
  EXPECT_EQ(counts.max_arcs(1e300), 3);
}

}  // namespace
}  // namespace warpgraph
