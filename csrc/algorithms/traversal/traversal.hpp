// Orders of visits: the vertices that can be reached from a source, in the order in which a
// sequential search finds them, and the vertex from which each was found. Both searches follow the
// arcs of a vertex in the order in which they are stored, so their results are defined by the graph
// alone:
//
//   breadth_first_order  The queue of a breadth-first search. The predecessor of a vertex is the
//                        first one in the order that has an arc to it.
//   depth_first_order    The order in which a recursive search enters the vertices (preorder) [1].
//                        The predecessor is the vertex on whose arc it entered.
//
// An undirected search follows the arcs of a row first, then the arcs that enter its vertex, in the
// order of their tails, by which they are sorted for it.
//
// Whether a vertex was visited is asked once for each arc, at a random place. In a breadth-first
// search the predecessor answers, which is written there next if the vertex is new. A depth-first
// search cannot prefetch as far ahead: a byte per vertex answers, which remains in the cache where
// an array of predecessors does not. Both searches prefetch what they are
// likely to read next. They end when all vertices are visited, although arcs are left.
//
// A depth-first search is inherently sequential: to find its order is P-complete [2].
//
// [1] Tarjan: Depth-first search and linear graph algorithms. SIAM J. Comput. 1, 1972.
// [2] Reif: Depth-first search is inherently sequential. Inf. Process. Lett. 20, 1985.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "core/types.hpp"
#include "graph/csr.hpp"

#include <cstddef>
#include <span>

namespace warpgraph {

struct TraversalOptions {
  vertex_t source = 0;
  bool directed = true;          // false: arcs are followed both ways
  vertex_t missing = no_vertex;  // stands for no predecessor
  MemoryBudget budget = {};      // besides the results
};

/// Writes the visited vertices to the front of `order`, and unless `predecessors` is empty, the
/// predecessor of every vertex: options.missing for the source and for vertices that are not
/// reached. Both have n_vertices items. Returns the number of visited vertices.
vertex_t breadth_first_order(const CsrPattern& graph, const TraversalOptions& options,
                             std::span<vertex_t> order, std::span<vertex_t> predecessors);
vertex_t depth_first_order(const CsrPattern& graph, const TraversalOptions& options,
                           std::span<vertex_t> order, std::span<vertex_t> predecessors);

}  // namespace warpgraph
