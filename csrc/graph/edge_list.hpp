// Graphs as lists of edges, three arrays of one length, and the way between them and CSR.
//
// A row keeps the order of the list: parallel edges stay apart and in order, with any number of
// threads. Indices may be 32 or 64 bits wide, as SciPy's are.
#pragma once

#include "graph/csr.hpp"

#include <span>

namespace warpgraph {

/// An edge list seen in place; entry i is the arc tails[i] -> heads[i].
template <class Index, class W>
struct EdgeListView {
  vertex_t n_vertices = 0;
  std::span<const Index> tails;
  std::span<const Index> heads;
  std::span<const W> weights;
};

/// Throws std::invalid_argument when the arrays differ in length, or naming the first entry that is
/// not an arc between vertices.
template <class Index, class W>
Csr<W> to_csr(const EdgeListView<Index, W>& edges);

/// The other way: tails[e] becomes the tail of the arc at position e; heads and weights of a CSR
/// matrix already are those of its edge list.
void write_tails(const CsrPattern& graph, std::span<vertex_t> tails);

}  // namespace warpgraph
