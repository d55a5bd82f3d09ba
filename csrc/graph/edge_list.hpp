// Edge lists (COO): three arrays of equal length, and conversion to and from CSR.
//
// A row keeps the order of the list for any number of threads; parallel edges are not merged.
// Indices may be 32 or 64 bits wide, as in SciPy.
#pragma once

#include "graph/csr.hpp"

#include <span>

namespace warpgraph {

/// A view of an edge list; entry i is the arc tails[i] -> heads[i].
template <class Index, class W>
struct EdgeListView {
  vertex_t n_vertices = 0;
  std::span<const Index> tails;
  std::span<const Index> heads;
  std::span<const W> weights;
};

/// Throws std::invalid_argument if the arrays differ in length, or naming the first entry with an
/// endpoint outside 0..n_vertices-1.
template <class Index, class W>
Csr<W> to_csr(const EdgeListView<Index, W>& edges);

/// Sets tails[e] to the tail of the arc at position e. Heads and weights of the edge list are those
/// of the CSR matrix.
void write_tails(const CsrPattern& graph, std::span<vertex_t> tails);

/// Returns the number of arcs beside the first of each (tail, head). Each thread allocates a bit
/// for each vertex, unless the heads of all rows ascend.
[[nodiscard]] edge_t count_parallel_arcs(const CsrPattern& graph);

}  // namespace warpgraph
