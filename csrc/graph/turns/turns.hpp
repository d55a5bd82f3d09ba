// Turns: what passing from one arc to the next costs, or that it is forbidden.
//
// Shortest paths with turns are searched arc by arc [1]: a path's costs depend on the arc by which
// it enters a vertex. The graph of all arcs has a vertex for each arc and an arc for each pair of
// consecutive ones, many times as many as the graph. Most vertices of a road network have no turns
// in the table, and there the arc does not matter. So only the others are divided:
//
//   - a state for each arc into the vertex that a turn begins with, which leaves over the arcs that
//     are allowed, at their costs;
//   - a state for all other arcs into it, and for paths that start here;
//   - the vertex itself, where paths end: every arc into it ends here, too, and none leaves.
//
// Every search finds the distances of the graph with turns in this expanded one, whatever its
// method and device is. The vertices keep their numbers; states have the numbers that follow.
//
// [1] Caldwell, "On finding minimum routes in a network with turn penalties", CACM 4, 1961.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "graph/csr.hpp"

namespace warpgraph {

/// Costs of passing from one arc to another that begins where it ends; infinity forbids it.
template <class W>
struct Turns {
  std::span<const edge_t> from;
  std::span<const edge_t> to;
  std::span<const W> costs;
};

template <class W>
struct TurnExpansion {
  Csr<W> graph;
  HostVector<vertex_t> origins;  // of each state: its vertex
  HostVector<vertex_t> starts;   // of each vertex: where paths from it start
};

/// Returns a graph whose vertices are states, so that the costs of turns are weights of its arcs.
/// The turns name arcs of the graph. Throws std::invalid_argument that names the row of a turn if
/// its arcs do not follow each other, or another row has another cost for it; and
/// std::overflow_error for integer sums that are too large.
template <class W>
TurnExpansion<W> expand_turns(const CsrView<W>& graph, const Turns<W>& turns,
                              MemoryBudget budget = {});

}  // namespace warpgraph
