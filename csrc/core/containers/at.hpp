// Indices of containers of the standard library, which are unsigned.
#pragma once

#include <cstddef>

namespace warpgraph {

/// `i`, which is not negative, as an index.
template <class Index>
constexpr std::size_t at(Index i) noexcept {
  return static_cast<std::size_t>(i);
}

}  // namespace warpgraph
