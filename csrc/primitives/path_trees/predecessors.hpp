// Predecessors from the distances of one source, or of the nearest of several. If no weight is
// negative, the predecessor of a vertex is the smallest strictly nearer vertex from which a tight
// arc leads to it. If some may be, breadth-first levels along tight arcs decide. sssp.hpp states
// the full rule.
#pragma once

#include "graph/csr.hpp"

#include <cstddef>
#include <span>

namespace warpgraph::shortest_paths {

/// The level of a vertex that is not in the tree.
inline constexpr vertex_t no_level = -1;

/// Returns the most bytes that recover_predecessors allocates: for the levels of vertices, and for
/// the frontiers of two levels, whose lists grow by doubling.
[[nodiscard]] inline std::size_t recovery_bytes(vertex_t n_vertices) {
  return 5 * sizeof(vertex_t) * static_cast<std::size_t>(n_vertices);
}

/// Finds predecessors by the rule in sssp.hpp, on CPU cores. The sources, which are all different,
/// have none, except those that a path of negative weight from another source reaches.
template <class W>
void recover_predecessors(const CsrView<W>& graph, std::span<const vertex_t> sources,
                          bool negative_weights, std::span<const W> distances,
                          std::span<vertex_t> predecessors);

}  // namespace warpgraph::shortest_paths
