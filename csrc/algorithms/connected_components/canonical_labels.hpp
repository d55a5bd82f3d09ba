// From "the smallest vertex of my component" to the numbers that users see.
#pragma once

#include "core/types.hpp"

#include <cstddef>
#include <span>

namespace warpgraph {

namespace cuda {
class Stream;
}

/// labels[v] is the smallest vertex of v's component; afterwards the component's number, counted
/// from 0 in the order of those vertices. Returns how many there are.
vertex_t number_components(std::span<vertex_t> labels);
/// The same for labels on the stream's device. Waits for the stream.
vertex_t number_components_cuda(vertex_t* labels, vertex_t n_vertices, const cuda::Stream& stream);

/// Bytes that either takes, for the MemoryBudget.
[[nodiscard]] constexpr std::size_t numbering_bytes(vertex_t n_vertices) noexcept {
  return sizeof(vertex_t) * (static_cast<std::size_t>(n_vertices) + 1);
}

}  // namespace warpgraph
