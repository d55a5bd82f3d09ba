// The choice among vertices that are equally good as a predecessor: the smallest. Searches on cores
// and on devices share it, so that trees do not depend on the order in which tails are tried.
// (trees.cpp and row_trees_cuda.cu, which try tails in order, keep the first or the last.)
#pragma once

#include "core/atomics.hpp"
#include "core/types.hpp"

#include <cstdint>

namespace warpgraph {

/// A predecessor while tails are tried: as an unsigned number, no_vertex is the largest.
using SmallestTail = std::uint32_t;
inline constexpr auto no_tail = static_cast<SmallestTail>(no_vertex);

/// Returns the smaller tail.
WARPGRAPH_HOST_DEVICE constexpr SmallestTail smaller_tail(SmallestTail smallest, vertex_t tail) {
  const auto candidate = static_cast<SmallestTail>(tail);
  return candidate < smallest ? candidate : smallest;
}

/// Lowers a predecessor to the smallest of all tails passed, atomically.
WARPGRAPH_HOST_DEVICE inline void lower_predecessor(SmallestTail& smallest, vertex_t tail) {
  lower(smallest, static_cast<SmallestTail>(tail));
}
WARPGRAPH_HOST_DEVICE inline void lower_predecessor(vertex_t& predecessor, vertex_t tail) {
  lower_predecessor(reinterpret_cast<SmallestTail&>(predecessor), tail);
}

}  // namespace warpgraph
