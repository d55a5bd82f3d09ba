// Paths by landmarks against those of sssp, and the choice of landmarks with one thread and
// several.
#include "algorithms/shortest_path/landmarks.hpp"
#include "algorithms/sssp/sssp.hpp"
#include "graph/symmetry/symmetry.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

namespace warpgraph {
namespace {

constexpr vertex_t n = 3000;
constexpr vertex_t n_sources = 6;
constexpr vertex_t target_step = 97;

template <class W>
void expect_paths_of_sssp(const CsrView<W>& graph, const CsrView<W>& transposed,
                          const Landmarks& landmarks) {
  const LandmarkDistances kept{landmarks.from, landmarks.to, std::ssize(landmarks.vertices)};
  std::vector<W> distances(n);
  std::vector<vertex_t> tree(n);
  for (vertex_t source = 0; source < n_sources; ++source) {
    sssp_cpu<W>(graph, source, {}, {distances, tree});
    for (vertex_t target = source; target < n; target += target_step) {
      const ShortestPath<W> found =
          shortest_path_by_landmarks(graph, transposed, source, target, kept, {});
      const Paths expected = reconstruct_paths(tree, source, std::span(&target, 1));
      EXPECT_EQ(found.length, distances[at(target)]);
      EXPECT_EQ(found.vertices, expected.vertices);
    }
  }
}

template <class W>
void expect_landmarks_of_one_thread(const CsrView<W>& graph, const CsrView<W>* transposed) {
  LandmarkOptions options;
  options.n_chosen = 5;
  const auto find = [&](int threads) {
    const test::ScopedThreads fixed(threads);
    return find_landmarks(graph, transposed, options);
  };
  const Landmarks alone = find(1);
  const Landmarks together = find(4);
  EXPECT_EQ(alone.vertices, together.vertices);
  EXPECT_EQ(alone.from, together.from);
  EXPECT_EQ(alone.to, together.to);
  EXPECT_EQ(alone.to.empty(), transposed == nullptr);
  EXPECT_EQ(alone.from.size(), at(n) * alone.vertices.size());
  expect_paths_of_sssp(graph, transposed == nullptr ? graph : *transposed, together);
}

template <class W>
Csr<W> scaled(const Csr<double>& graph, double factor) {
  Csr<W> made;
  made.offsets = graph.offsets;
  made.heads = graph.heads;
  for (const double weight : graph.weights) {
    made.weights.push_back(static_cast<W>(weight * factor));
  }
  return made;
}

template <class W>
void expect_paths(const Csr<double>& graph, double factor) {
  const Csr<W> one_way = scaled<W>(graph, factor);
  const Csr<W> back = transpose(one_way.view());
  const CsrView<W> transposed = back.view();
  expect_landmarks_of_one_thread<W>(one_way.view(), &transposed);
  const Csr<W> both_ways = scaled<W>(symmetrise(graph.view()), factor);
  expect_landmarks_of_one_thread<W>(both_ways.view(), nullptr);
}

TEST(Landmarks, LeadToThePathsOfSearches) {
  for (const edge_t n_arcs : {edge_t{0}, edge_t{n}, edge_t{n} * 5 / 4, edge_t{n} * 3}) {
    const Csr<double> graph = test::random_graph<double>(n, n_arcs, 5);
    expect_paths<double>(graph, 0.37);  // sums round
    expect_paths<float>(graph, 0.37);
    expect_paths<std::int32_t>(graph, 3);
    expect_paths<std::int64_t>(graph, 0x1p48);
  }
}

TEST(Landmarks, MayBeGiven) {
  const Csr<double> graph = symmetrise(test::random_graph<double>(n, 2 * n, 6).view());
  const std::vector<vertex_t> given{7, n - 1, 5};
  LandmarkOptions options;
  options.given = given;
  const Landmarks found = find_landmarks<double>(graph.view(), nullptr, options);
  EXPECT_EQ(std::vector(found.vertices.begin(), found.vertices.end()), given);
  expect_paths_of_sssp<double>(graph.view(), graph.view(), found);
}

}  // namespace
}  // namespace warpgraph
