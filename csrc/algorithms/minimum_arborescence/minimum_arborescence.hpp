// Minimum spanning arborescence: the lightest edges by which one vertex, the root, reaches all
// others, one edge into each.
//
// Edmonds' method [1]: every vertex takes its lightest entering edge. Edges that form a cycle are
// contracted to one vertex, and the weight that each vertex has taken is subtracted from all its
// entering edges, so that an edge into the cycle weighs what replacing an edge of it would cost.
// Without cycles the edges are the arborescence, and a cycle is opened where it is entered.
//
// By Gabow, Galil, Spencer and Tarjan [2], a path grows against the edges from any vertex, so that
// a cycle is always the end of the path. Tarjan's queue [3] of a contracted vertex has all entering
// edges; here it has the vertices in it, in a skew heap [4] whose nodes subtract a number from all
// below them. A vertex has its entering edges in a binary heap, of which only the lightest counts,
// and drops those that have come to lie within the contracted vertex. So queues are small, edges
// that are never asked for are not sorted, and the time is O(m log n) for m edges.
//
// If any vertex may be the root, the contracted vertex that no edge enters has it: the vertex in it
// from which most has been subtracted, the smallest of several. So nothing is added to the graph.
//
// Ties: of edges into a vertex, or a contracted one, that weigh the same there, the first by
// position is taken. Floats are subtracted from each other in double precision, so their
// arborescence is the lightest up to rounding. Integers are exact.
//
// [1] Edmonds: Optimum branchings. J. Res. Natl. Bur. Standards 71B, 1967.
// [2] Gabow, Galil, Spencer, Tarjan: Efficient algorithms for finding minimum spanning trees in
//     undirected and directed graphs. Combinatorica 6, 1986.
// [3] Tarjan: Finding optimum branchings. Networks 7, 1977.
// [4] Sleator, Tarjan: Self-adjusting heaps. SIAM J. Comput. 15, 1986.
#pragma once

#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/types.hpp"
#include "graph/csr.hpp"

#include <cstddef>

namespace warpgraph {

struct ArborescenceOptions {
  /// The root; no_vertex: whichever gives the least weight.
  vertex_t root = no_vertex;
  /// Bytes that the call may take; 0: the free memory.
  MemoryBudget budget = {};
};

struct Arborescence {
  vertex_t root = no_vertex;
  /// The tail of the edge into each vertex; no_vertex for the root.
  HostVector<vertex_t> predecessors;
  /// The position of the edge into each vertex except the root, in the order of these.
  HostVector<edge_t> positions;
  /// A vertex that the root does not reach, or that no vertex outside reaches while `root` is
  /// another such vertex; no_vertex: the arborescence is complete. Of vertices that reach each
  /// other both are the smallest.
  vertex_t unreached = no_vertex;
};

/// Returns what minimum_arborescence_cpu asks for.
template <class W>
[[nodiscard]] MemoryNeed need_of_arborescence(const CsrPattern& graph);

/// Finds the arborescence of a graph with at least one vertex. Edges of weight inf are never used;
/// no weight is -inf.
template <class W>
Arborescence minimum_arborescence_cpu(const CsrView<W>& graph, const ArborescenceOptions& options);

}  // namespace warpgraph
