// Triangles: how many pairs of neighbours of a vertex are neighbours of each other.
//
// Each edge is directed from the end of fewer neighbours to that of more, ties by number: then a
// triangle is found once, at its first vertex, and no vertex has more than sqrt(2 m) arcs, so that
// all triangles are found in O(m^1.5) time, as many as m edges can have [1]. Vertices are numbered
// in that order, hubs last, so that what is read most often lies together.
//
// For each vertex u, the heads of its arcs are marked; the heads of their arcs that are marked,
// too, close triangles. Rows of few arcs are merged instead, which takes no array of marks, so that
// roads and meshes need none. A triangle counts for its three vertices: for the third one in the
// row of u first, which one thread has, and once a row by an atomic addition [2].
//
// Loops, parallel arcs and directions do not count. The counts are integers, whose sums do not
// depend on the number of threads.
//
// [1] Chiba, Nishizeki: Arboricity and subgraph listing algorithms. SIAM J. Computing 14, 1985.
// [2] Shun, Tangwongsan: Multicore triangle computations without tuning. ICDE 2015.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "graph/csr.hpp"

#include <cstddef>
#include <span>

namespace warpgraph {

struct TrianglesOptions {
  /// Bytes that the call may take beside the results; 0: the free memory.
  MemoryBudget budget = {};
};

/// Numbers of each vertex.
struct TriangleCounts {
  std::span<std::int64_t> triangles;  // that it is a corner of
  std::span<vertex_t> degrees;        // other vertices that an edge joins it to; may be empty
};

/// Returns what triangles_cpu asks for.
[[nodiscard]] MemoryNeed need_of_triangles(const CsrPattern& graph);

/// Counts in a graph that has each edge both ways.
void triangles_cpu(const CsrPattern& graph, const TrianglesOptions& options,
                   const TriangleCounts& counts);

/// Counts by looking for the edge between each two neighbours.
void triangles_reference(const CsrPattern& graph, const TriangleCounts& counts);

}  // namespace warpgraph
