// From a dense matrix to CSR, by the rules of SciPy's csgraph: zeros, infinities and NaN are no
// edges. In a masked matrix the mask says where no edge is, and a zero is an edge of weight zero.
#pragma once

#include "graph/csr.hpp"

#include <span>

namespace warpgraph {

/// `values`: n_vertices x n_vertices entries, row by row; `masked`: as many, or empty.
template <class W>
Csr<W> csr_from_dense(vertex_t n_vertices, std::span<const W> values, std::span<const bool> masked);

}  // namespace warpgraph
