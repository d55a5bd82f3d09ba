// Rows sorted by weight: the nearest neighbour of a vertex is its first, and the nearest one that
// has a property is the first that has it.
#pragma once

#include "graph/csr.hpp"

namespace warpgraph {

/// Each row's arcs from the lightest to the heaviest, arcs of equal weight in the order of their
/// positions. The offsets are the graph's own.
template <class W>
struct SortedRows {
  HostVector<vertex_t> heads;
  HostVector<W> weights;
  HostVector<edge_t> positions;  // of each arc in the graph it was made of
};

/// With `heaviest_first` the other way round; ties stay in the order of their positions.
/// memory_limit: bytes; 0: what is free.
template <class W>
SortedRows<W> sort_rows(const CsrView<W>& graph, bool heaviest_first, std::size_t memory_limit = 0);

/// Whether the graph's rows are as sort_rows would leave them.
template <class W>
bool has_sorted_rows(const CsrView<W>& graph, bool heaviest_first);

}  // namespace warpgraph
