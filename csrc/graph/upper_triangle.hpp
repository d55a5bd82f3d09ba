// Undirected edges, each once, as the entries above the diagonal.
#pragma once

#include "graph/csr.hpp"

namespace warpgraph {

/// True when an entry lies below the diagonal.
bool has_lower_triangle(const CsrPattern& graph);

template <class W>
struct UpperTriangle {
  Csr<W> graph;
  HostVector<edge_t> positions;  // of each entry in the graph it was made of
};

/// Every entry but the loops as an edge above the diagonal: row u holds u's own entries above the
/// diagonal, then the mirror images of the entries below it that end in u, both in their order.
/// memory_limit: bytes; 0: what is free.
template <class W>
UpperTriangle<W> upper_triangle(const CsrView<W>& graph, std::size_t memory_limit = 0);

}  // namespace warpgraph
