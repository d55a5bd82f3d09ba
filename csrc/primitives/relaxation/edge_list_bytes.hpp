// The memory of lists of edges on a device.
#pragma once

#include "core/types.hpp"

#include <algorithm>
#include <cstddef>

namespace warpgraph {

/// Edges that the list of a part of a symmetric graph has, which stores each pair of arcs once. No
/// bound: about half of the arcs, here five eighths.
[[nodiscard]] constexpr std::size_t edges_of_part(std::size_t n_arcs) noexcept {
  return n_arcs / 8 * 5 + 8;
}

/// Returns the bytes of both ends of an edge and its weight.
[[nodiscard]] constexpr std::size_t bytes_of_edge(std::size_t weight_bytes) noexcept {
  return 2 * sizeof(vertex_t) + weight_bytes;
}

/// Bytes of a list while it is sorted by segments: its edges, two arrays of keys, the array that is
/// sorted, and CUB's alternate buffers of keys and values with a byte for its counters.
[[nodiscard]] constexpr std::size_t bytes_of_edges_in_segments(std::size_t n_edges,
                                                               std::size_t weight_bytes) noexcept {
  const std::size_t sorting =
      3 * sizeof(std::uint32_t) + 2 * std::max(weight_bytes, sizeof(vertex_t)) + 1;
  return n_edges * (bytes_of_edge(weight_bytes) + sorting);
}

}  // namespace warpgraph
