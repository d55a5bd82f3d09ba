// Customizable hierarchies: cuts, orders, structures, and distances against those of sssp.
#include "algorithms/hierarchy/customizable/customizable.hpp"
#include "algorithms/hierarchy/customizable/vertex_cut.hpp"
#include "algorithms/sssp/sssp.hpp"
#include "graph/symmetry/symmetry.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace warpgraph {
namespace {

using hierarchy_detail::SparseGraph;
using hierarchy_detail::VertexCut;

SparseGraph grid(vertex_t rows, vertex_t columns) {
  SparseGraph made;
  for (vertex_t v = 0; v < rows * columns; ++v) {
    made.ids.push_back(v);
    if (v >= columns) made.heads.push_back(v - columns);
    if (v % columns > 0) made.heads.push_back(v - 1);
    if (v % columns + 1 < columns) made.heads.push_back(v + 1);
    if (v + columns < rows * columns) made.heads.push_back(v + columns);
    made.offsets.push_back(static_cast<edge_t>(made.heads.size()));
  }
  return made;
}

/// Expects that no edge joins the two sides of a cut, and that sinks are not near the sources.
void expect_separated(const SparseGraph& graph, const std::vector<VertexCut::Side>& sides,
                      const VertexCut& cut, std::int64_t size) {
  std::int64_t n_in_cut = 0;
  for (vertex_t v = 0; v < graph.size(); ++v) {
    n_in_cut += cut.in_cut(v) ? 1 : 0;
    if (cut.in_cut(v)) continue;
    EXPECT_FALSE(sides[at(v)] == VertexCut::sink && cut.near_sources(v));
    for (const vertex_t* u = graph.begin(v); u != graph.end(v); ++u) {
      EXPECT_TRUE(cut.in_cut(*u) || cut.near_sources(*u) == cut.near_sources(v));
    }
  }
  EXPECT_EQ(n_in_cut, size);
}

TEST(VertexCut, OfAGridIsAColumn) {
  const SparseGraph graph = grid(7, 30);
  std::vector<VertexCut::Side> sides(at(graph.size()), VertexCut::between);
  for (vertex_t v = 0; v < graph.size(); ++v) {
    if (v % 30 < 8) sides[at(v)] = VertexCut::source;
    if (v % 30 > 21) sides[at(v)] = VertexCut::sink;
  }
  VertexCut cut(graph, sides);
  EXPECT_EQ(cut.run(100), 7);
  expect_separated(graph, sides, cut, 7);
  EXPECT_GT(VertexCut(graph, sides).run(4), 4);
}

TEST(VertexCut, SeparatesRandomSets) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    const Csr<double> random = symmetrise(test::random_graph<double>(40, 60, seed).view());
    SparseGraph graph;
    std::vector<VertexCut::Side> sides;
    for (vertex_t v = 0; v < 40; ++v) {
      graph.ids.push_back(v);
      for (edge_t e = random.offsets[at(v)]; e < random.offsets[at(v) + 1]; ++e) {
        const vertex_t u = random.heads[at(e)];
        const bool seen = std::find(graph.heads.begin() + graph.offsets.back(), graph.heads.end(),
                                    u) != graph.heads.end();
        if (u != v && !seen) graph.heads.push_back(u);
      }
      graph.offsets.push_back(static_cast<edge_t>(graph.heads.size()));
      sides.push_back(v < 10 ? VertexCut::source : v < 30 ? VertexCut::between : VertexCut::sink);
    }
    VertexCut cut(graph, sides);
    const std::int64_t size = cut.run(40);
    expect_separated(graph, sides, cut, size);
  }
}

TEST(HierarchyStructure, IsChordal) {
  const Csr<double> graph = symmetrise(test::random_graph<double>(3000, 4000, 5).view());
  const HierarchyStructure s = find_hierarchy_structure(graph.view(), {}, {});
  std::vector<vertex_t> vertices(s.order.begin(), s.order.end());
  std::sort(vertices.begin(), vertices.end());
  std::vector<vertex_t> all(3000);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(vertices, all);
  for (std::size_t r = 0; r < 3000; ++r) {
    const auto first = s.heads.begin() + s.offsets[r];
    const auto last = s.heads.begin() + s.offsets[r + 1];
    EXPECT_TRUE(std::is_sorted(first, last));
    if (first == last) continue;
    EXPECT_GT(*first, static_cast<vertex_t>(r));
    const auto parent = at(*first);
    EXPECT_TRUE(std::includes(s.heads.begin() + s.offsets[parent],
                              s.heads.begin() + s.offsets[parent + 1], first + 1, last));
  }
  // The same order gives the same structure.
  const HierarchyStructure again = find_hierarchy_structure(graph.view(), s.order, {});
  EXPECT_EQ(again.heads.size(), s.heads.size());
}

TEST(HierarchyStructure, RefusesWhatIsNoOrder) {
  const Csr<double> graph = symmetrise(test::random_graph<double>(4, 4, 5).view());
  const std::vector<vertex_t> short_one{0, 1, 2};
  const std::vector<vertex_t> twice{0, 1, 1, 2};
  EXPECT_THROW((void)find_hierarchy_structure(graph.view(), short_one, {}), std::invalid_argument);
  EXPECT_THROW((void)find_hierarchy_structure(graph.view(), twice, {}), std::invalid_argument);
}

/// Expects distances of sssp from some vertices.
template <class W>
void expect_distances_of_sssp(const HierarchyStructure& structure, const CsrView<W>& graph) {
  const AnyHierarchy made = customize_hierarchy(structure, graph, {});
  std::vector<vertex_t> sources;
  for (vertex_t v = 0; v < graph.n_vertices; v += 301) sources.push_back(v);
  HierarchyQuery<W> query;
  query.sources = sources;
  std::vector<W> rows(sources.size() * at(graph.n_vertices));
  std::visit(
      [&](const auto& hierarchy) {
        if constexpr (!std::is_same_v<decltype(hierarchy), const Hierarchy<double>&> ||
                      std::is_floating_point_v<W>) {
          sweep_cpu(hierarchy, query, HierarchyResult<W>{rows.data(), graph.n_vertices, false});
        }
      },
      made);
  std::vector<W> expected(at(graph.n_vertices));
  std::vector<vertex_t> tree(expected.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    sssp_cpu<W>(graph, sources[i], {}, {expected, tree});
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(),
                           rows.begin() + static_cast<std::ptrdiff_t>(i * expected.size())));
  }
}

TEST(Customization, HasTheDistancesOfSearches) {
  const test::ScopedThreads threads(4);
  Csr<std::int64_t> graph = test::random_graph<std::int64_t>(3000, 6000, 7);
  const HierarchyStructure structure = find_hierarchy_structure(graph.view(), {}, {});
  expect_distances_of_sssp(structure, graph.view());
  for (std::int64_t& weight : graph.weights) weight = weight * 977 % 31;
  expect_distances_of_sssp(structure, graph.view());
  for (std::int64_t& weight : graph.weights) weight <<= 30;
  expect_distances_of_sssp(structure, graph.view());
  const Csr<std::int64_t> both = symmetrise(graph.view());
  expect_distances_of_sssp(find_hierarchy_structure(both.view(), {}, {}), both.view());
}

}  // namespace
}  // namespace warpgraph
