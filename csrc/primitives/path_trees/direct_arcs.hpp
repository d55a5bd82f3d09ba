// Trees of shortest paths in the form of scipy.sparse.csgraph.
#pragma once

#include "core/types.hpp"
#include "graph/csr.hpp"
#include "primitives/path_trees/trees.hpp"

namespace warpgraph {

/// Makes trees equal to SciPy's: of several valid predecessors of a vertex, SciPy returns the
/// source if that is one of them. Makes each vertex whose distance is the weight of an arc from the
/// source a child of the source, and replaces negative predecessors by `missing`. `predecessors`
/// has a row of n_vertices for each row of distances; they form trees with the sources as roots,
/// and still do afterwards.
template <class W>
void prefer_direct_arcs(const CsrView<W>& graph, const DistanceRows<W>& rows, vertex_t missing,
                        vertex_t* predecessors);

}  // namespace warpgraph
