// Predecessors from the distances of one source, or of the nearest of several. Weights >= 0: the
// smallest strictly nearer vertex with a tight arc. Otherwise: breadth-first levels along tight
// arcs. sssp.hpp states the full rule.
#pragma once

#include "graph/csr.hpp"

#include <span>

namespace warpgraph::shortest_paths {

/// The level of a vertex that is not in the tree.
inline constexpr vertex_t no_level = -1;

/// Finds predecessors by the rule in sssp.hpp, on CPU cores. The sources, which are all different,
/// have none, except those that a path of negative weight from another source reaches.
template <class W>
void recover_predecessors(const CsrView<W>& graph, std::span<const vertex_t> sources,
                          bool negative_weights, std::span<const W> distances,
                          std::span<vertex_t> predecessors);

}  // namespace warpgraph::shortest_paths
