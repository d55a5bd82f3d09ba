// Undirected edges stored once, as the entries above the diagonal.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "graph/csr.hpp"

namespace warpgraph {

/// Returns whether any entry is below the diagonal.
bool has_lower_triangle(const CsrPattern& graph);

template <class W>
struct UpperTriangle {
  Csr<W> graph;
  HostVector<edge_t> positions;  // of each entry in the original graph
};

/// Returns what upper_triangle() asks for if no entry is a loop.
[[nodiscard]] MemoryNeed most_need_of_upper_triangle(const CsrPattern& graph);
/// Moves every entry except loops above the diagonal: row u holds u's own entries above the
/// diagonal, then the transposed entries from below it, both in their original order.
template <class W>
UpperTriangle<W> upper_triangle(const CsrView<W>& graph, MemoryBudget budget = {});

}  // namespace warpgraph
