// Definitions that predecessors.cpp and predecessors_cuda.cu share. Not for use outside this
// folder.
#pragma once

#include "core/atomics.hpp"

namespace warpgraph::shortest_paths {

/// The level of a vertex that is not in the tree.
inline constexpr vertex_t no_level = -1;

/// Lowers a predecessor to the least of all tails passed, atomically; as an unsigned number,
/// no_vertex is the largest.
WARPGRAPH_HOST_DEVICE inline void lower_predecessor(vertex_t& predecessor, vertex_t vertex) {
  lower(reinterpret_cast<std::uint32_t&>(predecessor), static_cast<std::uint32_t>(vertex));
}

}  // namespace warpgraph::shortest_paths
