// Rows sorted by weight: the first arc of a row leads to the nearest neighbour, and the first arc
// with some property leads to the nearest neighbour with it. With `heaviest_first`
// it is the farthest.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "graph/csr.hpp"

namespace warpgraph {

/// A graph whose rows are sorted by weight; arcs of equal weight are in the order of their
/// positions. The offsets are those of the graph.
template <class W>
struct SortedRows {
  HostVector<vertex_t> heads;
  HostVector<W> weights;
  HostVector<edge_t> positions;  // of each arc in the original graph
};

/// Sorts each row by increasing weight, or decreasing with `heaviest_first`; ties stay in the order
/// of positions.
template <class W>
SortedRows<W> sort_rows(const CsrView<W>& graph, bool heaviest_first, MemoryBudget budget = {});

/// Returns whether the weights of every row are in the order that sort_rows would give them.
template <class W>
bool has_sorted_rows(const CsrView<W>& graph, bool heaviest_first);

/// Returns whether the heads of every row ascend.
bool has_ascending_heads(const CsrPattern& graph);

}  // namespace warpgraph
