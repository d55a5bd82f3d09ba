// Predecessors from the distances of one source. Weights >= 0: the smallest strictly nearer vertex
// with a tight arc. Otherwise: breadth-first levels along tight arcs. sssp.hpp states the full
// rule.
#pragma once

#include "graph/csr.hpp"

#include <span>

namespace warpgraph::shortest_paths {

/// Predecessors by the rule in sssp.hpp. Runs on CPU cores.
template <class W>
void recover_predecessors(const CsrView<W>& graph, vertex_t source, bool negative_weights,
                          std::span<const W> distances, std::span<vertex_t> predecessors);

}  // namespace warpgraph::shortest_paths
