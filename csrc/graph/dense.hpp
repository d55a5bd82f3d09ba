// Converts a dense matrix to CSR by the rules of SciPy's csgraph: zeros, infinities and NaN are no
// edges. In a masked matrix, masked entries are no edges, and a zero is an edge of weight zero.
#pragma once

#include "graph/csr.hpp"

#include <span>

namespace warpgraph {

/// Converts `values`, n_vertices x n_vertices entries, row-major; `masked` has the same size or is
/// empty.
template <class W>
Csr<W> csr_from_dense(vertex_t n_vertices, std::span<const W> values, std::span<const bool> masked);

}  // namespace warpgraph
