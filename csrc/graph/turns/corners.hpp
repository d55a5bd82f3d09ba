// Turns by their vertices: a table of the vertices before, at and after each turn.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "graph/csr.hpp"

#include <span>

namespace warpgraph {

/// Rows (before, via, after) of vertices of the graph, and the cost of each turn.
template <class W>
struct Corners {
  std::span<const vertex_t> before;
  std::span<const vertex_t> via;
  std::span<const vertex_t> after;
  std::span<const W> costs;
};

/// Turns by their arcs, as Turns has them.
struct TurnsOfCorners {
  HostVector<edge_t> from;
  HostVector<edge_t> to;
  HostVector<std::int64_t> rows;  // of each turn: its row of the table
};

/// Finds the arcs of turns, row by row. A row between parallel arcs stands for all of them.
/// Throws std::invalid_argument that names the first row without arcs, or the first one that gives
/// another cost to the turn of an earlier row. Takes O(t log t) time for t rows and turns, and that
/// of sorting the arcs that leave each vertex of the table once.
template <class W>
TurnsOfCorners find_turns(const CsrPattern& graph, const Corners<W>& corners,
                          MemoryBudget budget = {});

}  // namespace warpgraph
