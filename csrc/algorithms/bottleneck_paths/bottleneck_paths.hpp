// Bottleneck paths: the edge of a forest that weighs most on the path between two vertices, for
// many pairs.
//
// In a minimum spanning forest that is the least that the heaviest edge of any path weighs [1], and
// in a maximum spanning forest the most that the lightest edge does. Only the forest is read.
//
// Kruskal's algorithm over the edges of the forest joins sets, a smaller one below the root of a
// larger one, and records with which edge [2]. Paths are not compressed, so a vertex has at most
// log2(n) others above it, and edges come later from one to the next. A pair climbs, always from
// the vertex whose edge comes first, until both meet: the last edge is the bottleneck. So the
// preparation takes O(n log n), and a pair O(log n).
//
// Of edges that weigh the same, the last of the forest is returned.
//
// [1] Hu: The maximum capacity route problem. Operations Research 9, 1961.
// [2] Tarjan: Applications of path compression on balanced trees. J. ACM 26, 1979.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "core/types.hpp"

#include <cstddef>
#include <span>

namespace warpgraph {

struct BottleneckOptions {
  bool maximum = false;  // of a maximum spanning forest: the lightest edges of paths
  /// Bytes that the call may take beside the result; 0: the free memory.
  MemoryBudget budget = {};
};

/// Edge e ends in ends[2 e] and ends[2 e + 1].
template <class W>
struct WeightedForest {
  vertex_t n_vertices = 0;
  std::span<const vertex_t> ends;
  std::span<const W> weights;
};

/// Numbers in place of an edge: for a vertex and itself, and for vertices of two trees.
inline constexpr edge_t no_edge_between = -1;
inline constexpr edge_t no_path_between = -2;

/// Returns what bottleneck_edges_cpu asks for.
[[nodiscard]] MemoryNeed need_of_bottlenecks(vertex_t n_vertices, std::size_t n_edges);

/// Writes the number of the edge for each pair (sources[i], targets[i]). Throws
/// std::invalid_argument that names the first edge, in the order of weights, that closes a cycle.
template <class W>
void bottleneck_edges_cpu(const WeightedForest<W>& forest, std::span<const vertex_t> sources,
                          std::span<const vertex_t> targets, const BottleneckOptions& options,
                          std::span<edge_t> edges);

}  // namespace warpgraph
