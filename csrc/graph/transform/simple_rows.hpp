// Graphs in which at most one arc leads from a vertex to another: of parallel arcs the lightest is
// kept. Heads ascend, so that an arc is found by its ends.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "graph/csr.hpp"

namespace warpgraph {

/// Returns whether the heads of every row ascend and no two are equal.
bool has_simple_rows(const CsrPattern& graph);

/// Returns what to_simple_rows asks for.
template <class W>
[[nodiscard]] MemoryNeed need_of_simple_rows(const CsrPattern& graph);

/// Returns the graph with ascending heads and without parallel arcs but the lightest of them. A
/// graph without weights stays without.
template <class W>
Csr<W> to_simple_rows(const CsrView<W>& graph, MemoryBudget budget = {});

/// Returns the view of such a graph, whose weights are nullptr if it has none.
template <class W>
CsrView<W> simple_view(const Csr<W>& graph) {
  CsrView<W> view = graph.view();
  if (graph.weights.size() != graph.heads.size()) view.weights = nullptr;
  return view;
}

/// Returns the position of the arc from u to v in a graph with simple rows, or -1.
inline edge_t find_arc(const CsrPattern& graph, vertex_t u, vertex_t v) {
  const vertex_t* const last = graph.heads + graph.end(u);
  const vertex_t* const found = std::lower_bound(graph.heads + graph.begin(u), last, v);
  return found != last && *found == v ? found - graph.heads : -1;
}

}  // namespace warpgraph
