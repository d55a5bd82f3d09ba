// Indices of containers of the standard library, which are unsigned.
#pragma once

#include <cstddef>

namespace warpgraph {

/// Converts a nonnegative `i` to the index type of a container.
template <class Index>
constexpr std::size_t at(Index i) noexcept {
  return static_cast<std::size_t>(i);
}

}  // namespace warpgraph
