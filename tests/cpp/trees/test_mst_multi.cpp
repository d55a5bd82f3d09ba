// Forests of parts, found and merged by several threads of the host, against Kruskal's algorithm on
// the whole graph. The thread sanitizer sees whether what a thread sends outlives the sending.
#include "algorithms/mst/methods.hpp"
#include "algorithms/mst/multi/mst_multi.hpp"
#include "core/containers/at.hpp"
#include "support.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace warpgraph::mst {
namespace {

using Graph = Csr<std::int32_t>;

/// All vertices, with the entries first .. last - 1 only.
Graph part_of(const Graph& graph, edge_t first, edge_t last) {
  Graph part{graph.offsets,
             {graph.heads.begin() + first, graph.heads.begin() + last},
             {graph.weights.begin() + first, graph.weights.begin() + last}};
  for (edge_t& offset : part.offsets) offset = std::clamp(offset, first, last) - first;
  return part;
}

HostVector<edge_t> sorted(HostVector<edge_t> positions) {
  std::ranges::sort(positions);
  return positions;
}

TEST(MstMulti, MergesTheForestsOfParts) {
  const test::ScopedThreads threads(4);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto graph =
        test::random_graph<std::int32_t>(50 + 5 * static_cast<vertex_t>(seed), 900, seed);
    const MstOptions options;
    const auto wanted = sorted(mst_reference(graph.view(), options).positions);
    for (const std::size_t n_parts : {2, 3, 5, 8}) {
      std::vector<edge_t> first_entries;
      for (std::size_t i = 0; i <= n_parts; ++i) {
        first_entries.push_back(std::ssize(graph.heads) * static_cast<edge_t>(i) /
                                static_cast<edge_t>(n_parts));
      }
      ForestSolver<std::int32_t> solver;
      solver.of_part = [&](Device, std::size_t i, MemoryBudget) {
        const Graph part = part_of(graph, first_entries[i], first_entries[i + 1]);
        return solve_on_cpu(part.view(), options);
      };
      solver.of_graph = [&](Device, const CsrView<std::int32_t>& edges, MemoryBudget) {
        return solve_on_cpu(edges, options);
      };
      const std::vector<Device> devices(n_parts);
      const auto found = mst_multi(devices, graph.view(), first_entries, solver, {});
      EXPECT_EQ(sorted(found.positions), wanted) << seed << ", " << n_parts << " parts";
    }
  }
}

}  // namespace
}  // namespace warpgraph::mst
