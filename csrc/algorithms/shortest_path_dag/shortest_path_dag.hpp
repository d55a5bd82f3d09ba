// All shortest paths from a vertex: the arcs that end shortest paths, listed by their heads, and
// the number of paths along them.
//
// An arc u -> v ends a shortest path if the distance of u and its weight add up to the distance of
// v. Distances are sums along paths from the source on, so the sum of the last arc is the same
// number, of floats too. Without loops and arcs into the source, which no simple path has, these
// arcs form an acyclic graph, unless there is a cycle of weight zero (or of weights that vanish in
// rounding): then walks along them may be endless, simple paths cannot be counted in a time that is
// known to be polynomial [1], and count_shortest_paths names a vertex of the cycle instead.
//
// Of parallel arcs, the first of the lightest stands for all: paths are sequences of vertices.
//
// [1] Valiant: The complexity of enumeration and reliability problems. SIAM J. Comput. 8, 1979.
#pragma once

#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/types.hpp"
#include "graph/csr.hpp"

#include <cstddef>
#include <span>

namespace warpgraph {

struct ShortestPathDagSettings {
  vertex_t source = 0;
  /// Arcs may be followed both ways; positions are still those of the graph.
  bool both_ways = false;
  /// Bytes that the arcs, and what finding them takes, may take; 0: the free memory.
  MemoryBudget budget = {};
};

/// The arcs that end shortest paths to v, at offsets[v] .. offsets[v + 1].
struct ShortestPathDag {
  HostVector<edge_t> offsets;
  HostVector<vertex_t> tails;    // ascending for each head
  HostVector<edge_t> positions;  // in the graph
};

/// Returns the arcs by which the distances, those of sssp, are reached. graph.weights may be
/// nullptr: every arc then weighs 1.
template <class W>
ShortestPathDag shortest_path_dag_cpu(const CsrView<W>& graph, std::span<const W> distances,
                                      const ShortestPathDagSettings& settings);

/// Writes the number of paths from the source to each vertex. Sums beyond 2^53 are rounded, beyond
/// the largest double they are infinite. Throws std::invalid_argument that names a vertex of a
/// cycle, if there is one.
void count_shortest_paths(std::span<const edge_t> offsets, std::span<const vertex_t> tails,
                          vertex_t source, std::span<double> counts);

}  // namespace warpgraph
