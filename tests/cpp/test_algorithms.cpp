// Every parallel algorithm against its reference, with more threads than cores. The Python tests
// use more graphs; these run under the thread and address sanitizers.
#include "algorithms/bfs/bfs.hpp"
#include "algorithms/connected_components/connected_components.hpp"
#include "algorithms/emst/emst.hpp"
#include "algorithms/mst/mst.hpp"
#include "algorithms/pagerank/order/gather_order.hpp"
#include "algorithms/pagerank/pagerank.hpp"
#include "algorithms/sssp/sssp.hpp"
#include "algorithms/within/within.hpp"
#include "graph/symmetry/symmetry.hpp"
#include "graph/upper_triangle.hpp"
#include "primitives/path_trees/trees.hpp"
#include "support.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <span>

namespace warpgraph {
namespace {

class Algorithms : public testing::TestWithParam<edge_t> {
 protected:
  static constexpr vertex_t n = 40'000;
  const test::ScopedThreads threads_{4};
  const Csr<double> graph_ = test::random_graph<double>(n, GetParam(), 11);
  const Csr<double> symmetric_ = symmetrise(graph_.view());
};

// No arcs, many components, about one giant component, dense.
INSTANTIATE_TEST_SUITE_P(Arcs, Algorithms, testing::Values(0, 16'000, 40'000, 400'000));

TEST_P(Algorithms, Sssp) {
  const auto solve = [&](SsspMethod method) {
    std::pair<std::vector<double>, std::vector<vertex_t>> answer{n, n};
    SsspOptions<double> options;
    options.method = method;
    sssp_cpu<double>(graph_.view(), 0, options, {answer.first, answer.second});
    return answer;
  };
  const auto expected = solve(SsspMethod::dijkstra);
  EXPECT_EQ(solve(SsspMethod::delta_stepping), expected);
  EXPECT_EQ(solve(SsspMethod::bellman_ford), expected);
}

/// Short rows are sorted, long ones are passed over as a whole.
TEST_P(Algorithms, Within) {
  std::vector<vertex_t> sources;
  for (vertex_t v = 0; v < n; v += 2000) sources.push_back(v);
  for (const double limit : {0.0, 0.05, 0.3, 1e9}) {
    const auto expected = within_reference<double>(graph_.view(), sources, limit);
    const auto found = within_cpu<double>(graph_.view(), sources, limit, {});
    EXPECT_EQ(found.offsets, expected.offsets);
    EXPECT_EQ(found.vertices, expected.vertices);
    EXPECT_EQ(found.distances, expected.distances);
    std::vector<double> sums(sources.size());
    sums_within_cpu<double>(graph_.view(), sources, {{{limit}}, {}, sums}, {});
    for (std::size_t i = 0; i < sources.size(); ++i) {
      EXPECT_EQ(sums[i], static_cast<double>(found.offsets[i + 1] - found.offsets[i]));
    }
  }
}

/// With distances that are off by some ulps, no arc of a long path is tight.
TEST_P(Algorithms, Trees) {
  constexpr vertex_t n_rows = 70;  // enough for a batch, and no multiple of 16
  std::vector<vertex_t> sources(n_rows);
  std::vector<double> rows(static_cast<std::size_t>(n_rows) * n);
  std::vector<vertex_t> expected(rows.size());
  for (vertex_t i = 0; i < n_rows; ++i) {
    const std::size_t begin = static_cast<std::size_t>(i) * n;
    sources[static_cast<std::size_t>(i)] = 7 * i;
    sssp_cpu<double>(graph_.view(), 7 * i, {},
                     {std::span(rows).subspan(begin, n), std::span(expected).subspan(begin, n)});
  }
  std::vector<vertex_t> found(rows.size());
  const DistanceRows<double> exact{sources, rows.data(), n};
  recover_trees(graph_.view(), exact, {}, found.data());
  EXPECT_EQ(found, expected);

  for (std::size_t i = 0; i < rows.size(); i += 3) rows[i] *= 1 + 3e-16;
  recover_trees(graph_.view(), exact, {Sums::in_any_order}, found.data());
  for (const vertex_t i : {0, 33, n_rows - 1}) {
    const std::span<const vertex_t> tree = std::span(found).subspan(
        static_cast<std::size_t>(i) * static_cast<std::size_t>(n), static_cast<std::size_t>(n));
    std::vector<vertex_t> some;
    for (vertex_t v = 0; v < n; v += 97) some.push_back(v);
    const Paths paths = reconstruct_paths(tree, 7 * i, some);  // throws on a cycle
    for (std::size_t k = 0; k < some.size(); ++k) {
      const bool reached = exact.row(i)[some[k]] != infinity<double>();
      EXPECT_EQ(paths.offsets[k] != paths.offsets[k + 1], reached);
    }
  }
}

TEST_P(Algorithms, Bfs) {
  for (const bool symmetric : {false, true}) {
    const Csr<double>& graph = symmetric ? symmetric_ : graph_;
    const BfsOptions options{.source = 7, .symmetric = symmetric};
    std::vector<vertex_t> hops(n), previous(n), expected_hops(n), expected_previous(n);
    bfs_reference(graph.view(), options, expected_hops, expected_previous);
    bfs_cpu(graph.view(), options, hops, previous);
    EXPECT_EQ(hops, expected_hops);
    EXPECT_EQ(previous, expected_previous);
    bfs_cpu(graph.view(), options, hops, {});
    EXPECT_EQ(hops, expected_hops);
  }
}

TEST_P(Algorithms, BfsWithTransposedGraph) {
  const Csr<double> transposed = transpose(graph_.view());
  const CsrPattern entering = transposed.view();
  std::vector<vertex_t> hops(n), previous(n), expected_hops(n), expected_previous(n);
  for (const vertex_t source : {0, 7}) {
    const BfsOptions options{.source = source, .transposed = &entering};
    bfs_reference(graph_.view(), options, expected_hops, expected_previous);
    bfs_cpu(graph_.view(), options, hops, previous);
    EXPECT_EQ(hops, expected_hops);
    EXPECT_EQ(previous, expected_previous);
  }
}

TEST_P(Algorithms, BfsFromMany) {
  const Csr<double> transposed = transpose(graph_.view());
  const CsrPattern entering = transposed.view();
  std::vector<vertex_t> sources;
  for (vertex_t i = 0; i < 70; ++i) sources.push_back(i * i % 97 * 400);
  std::vector<vertex_t> rows(sources.size() * n);
  std::vector<vertex_t> expected(n);
  for (const CsrPattern* const known : {static_cast<const CsrPattern*>(nullptr), &entering}) {
    const BfsFromManyOptions options{.sources = sources, .transposed = known};
    bfs_from_many_cpu<vertex_t>(graph_.view(), options, {rows.data(), n, -1});
    for (std::size_t i = 0; i < sources.size(); i += 13) {
      bfs_reference(graph_.view(), {.source = sources[i]}, expected, {});
      const std::span<const vertex_t> row = std::span(rows).subspan(i * n, n);
      EXPECT_TRUE(std::equal(row.begin(), row.end(), expected.begin()));
    }
  }
}

TEST_P(Algorithms, ConnectedComponents) {
  for (const bool symmetric : {false, true}) {
    const Csr<double>& graph = symmetric ? symmetric_ : graph_;
    std::vector<vertex_t> expected(n), labels(n);
    const vertex_t count = connected_components_reference(graph.view(), expected);
    EXPECT_EQ(connected_components_cpu(graph.view(), symmetric, labels), count);
    EXPECT_EQ(labels, expected);
  }
}

TEST_P(Algorithms, StrongComponents) {
  std::vector<vertex_t> expected(n);
  std::vector<vertex_t> labels(n);
  const vertex_t count = strong_components_reference(graph_.view(), expected);
  for (const int threads : {1, 4}) {
    const test::ScopedThreads some(threads);
    EXPECT_EQ(strong_components_cpu(graph_.view(), labels), count);
    EXPECT_EQ(labels, expected);
  }
}

TEST_P(Algorithms, PageRank) {
  const Csr<double> transposed = transpose(graph_.view());
  for (const bool weighted : {true, false}) {
    CsrView<double> graph = graph_.view();
    CsrView<double> pulled = transposed.view();
    if (!weighted) graph.weights = pulled.weights = nullptr;
    std::vector<double> sums(n), expected(n), found(n), again(n);
    sum_leaving_weights(graph, sums);
    const PageRankVectors vectors{.weight_sums = sums};
    const PageRankOptions options{.change_bound = 4e-11, .max_sweeps = 300};
    EXPECT_TRUE(pagerank_reference(graph, vectors, options, {expected}).converged);
    const PageRankResult result = pagerank_cpu(pulled, vectors, options, {found});
    EXPECT_TRUE(result.converged);
    double difference = 0;
    for (std::size_t v = 0; v < found.size(); ++v) difference += std::abs(found[v] - expected[v]);
    EXPECT_LT(difference, 1e-9);
    const test::ScopedThreads alone(1);
    EXPECT_EQ(pagerank_cpu(pulled, vectors, options, {again}).sweeps, result.sweeps);
    EXPECT_EQ(again, found);
  }
}

TEST_P(Algorithms, PageRankInTheOrderOfDegrees) {
  const Csr<double> pulled = transpose(graph_.view());
  std::vector<double> sums(n), start(n, 0), found(n);
  sum_leaving_weights(graph_.view(), sums);
  start[7] = 1;
  const PageRankVectors vectors{.weight_sums = sums, .start = start};
  const PageRankOptions options{.change_bound = 1e-3};
  std::vector<double> expected(n);
  const PageRankResult result = pagerank_cpu(pulled.view(), vectors, options, {expected});
  for (const std::size_t n_endpoints : {1U, 3U}) {
    const auto make = [&](std::size_t limit) {
      return order_for_gathers(pulled.view(), graph_.view(), vectors, n_endpoints,
                               MemoryBudget({}, limit));
    };
    const std::size_t copy = 12 * static_cast<std::size_t>(n + graph_.view().n_arcs) + 8;
    const std::size_t of_call = 8 * static_cast<std::size_t>(n) * (3 + 2 * n_endpoints);
    EXPECT_FALSE(make(copy + of_call - 1));
    EXPECT_TRUE(make(2 * (copy + of_call)));
    EXPECT_FALSE(
        has_memory_in_order(pulled.view(), vectors, n_endpoints, MemoryBudget({}, of_call - 1)));
    const std::vector<Device> devices(n_endpoints);
    const auto made = make(MemoryBudget::no_limit);
    const PageRankResult again =
        pagerank_in_order(made->graph.view(), made->order, vectors, options, {found}, devices);
    EXPECT_EQ(again.sweeps, result.sweeps);
    EXPECT_EQ(found, expected);
    std::ranges::fill(found, -1);
  }
}

TEST_P(Algorithms, PageRankOfSymmetricGraphs) {
  const CsrView<double> graph = symmetric_.view();
  std::vector<double> sums(n), expected(n), found(n), again(n);
  sum_leaving_weights(graph, sums);
  std::vector<double> start(n, 0);
  start[7] = 1;
  for (const std::span<const double> at :
       {std::span<const double>(), std::span<const double>(start)}) {
    const PageRankVectors vectors{.weight_sums = sums, .personalization = at};
    const PageRankOptions options{.change_bound = 4e-11, .max_sweeps = 300, .symmetric = true};
    const PageRankResult slow = pagerank_reference(graph, vectors, options, {expected});
    const PageRankResult result = pagerank_cpu(graph, vectors, options, {found});
    EXPECT_TRUE(result.converged);
    EXPECT_LE(result.sweeps, slow.sweeps);
    double difference = 0;
    for (std::size_t v = 0; v < found.size(); ++v) difference += std::abs(found[v] - expected[v]);
    EXPECT_LT(difference, 1e-9);
    EXPECT_GE(*std::min_element(found.begin(), found.end()), 0);
    const test::ScopedThreads alone(1);
    EXPECT_EQ(pagerank_cpu(graph, vectors, options, {again}).sweeps, result.sweeps);
    EXPECT_EQ(again, found);
  }
}

TEST_P(Algorithms, MinimumSpanningForest) {
  const Csr<double> upper = upper_triangle(graph_.view()).graph;
  const Csr<double> symmetric = symmetrise(upper.view());
  for (const bool maximum : {false, true}) {
    for (const Csr<double>* graph : {&upper, &symmetric}) {
      MstOptions options;
      options.maximum = maximum;
      options.symmetric = graph == &symmetric;
      const SpanningForest<double> expected = mst_reference(graph->view(), options);
      const SpanningForest<double> forest = mst_cpu(graph->view(), options);
      EXPECT_EQ(forest.positions, expected.positions);
      EXPECT_EQ(forest.ends, expected.ends);
      EXPECT_EQ(forest.weights, expected.weights);
    }
  }
}

TEST(EuclideanTree, IsThatOfTheReference) {
  const test::ScopedThreads threads(4);
  const CounterRandom random(3, 0);
  constexpr vertex_t points = 1500;
  constexpr std::int64_t dimension = 3;
  std::vector<double> coordinates(points * dimension);
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    coordinates[i] = static_cast<double>(random.below(i, 32));  // many ties
  }
  const PointsView<double> view{coordinates.data(), points, dimension};
  const EuclideanTree expected = emst_reference(view, {});
  const EuclideanTree found = emst_cpu(view, {}, MemoryBudget());
  EXPECT_EQ(found.edges, expected.edges);
  EXPECT_EQ(found.weights, expected.weights);
}

}  // namespace
}  // namespace warpgraph
