// Order-preserving maps from weights to unsigned integers of the same width, for radix sorts and
// atomic minima.
#pragma once

#include "core/types.hpp"

#include <cstdint>
#include <type_traits>

namespace warpgraph {

template <class W>
using order_key_t = std::conditional_t<sizeof(W) == 4, std::uint32_t, std::uint64_t>;

/// Maps a weight to an integer so that a < b if and only if order_key(a) < order_key(b), for all
/// values but NaN. -0.0 equals 0.0.
template <class W>
WARPGRAPH_HOST_DEVICE constexpr order_key_t<W> order_key(W weight) noexcept {
  using Key = order_key_t<W>;
  constexpr Key sign = Key{1} << (8 * sizeof(W) - 1);
  if constexpr (std::is_floating_point_v<W>) {
    // The sum turns -0.0 into 0.0; std::bit_cast is not a device function.
    const Key bits = __builtin_bit_cast(Key, weight + W{0});
    return (bits & sign) != 0 ? ~bits : bits | sign;
  } else {
    return static_cast<Key>(weight) ^ sign;
  }
}

/// Returns the number whose order_key is `key`.
template <class W>
WARPGRAPH_HOST_DEVICE constexpr W from_order_key(order_key_t<W> key) noexcept {
  using Key = order_key_t<W>;
  constexpr Key sign = Key{1} << (8 * sizeof(W) - 1);
  if constexpr (std::is_floating_point_v<W>) {
    return __builtin_bit_cast(W, (key & sign) != 0 ? key ^ sign : static_cast<Key>(~key));
  } else {
    return static_cast<W>(key ^ sign);
  }
}

}  // namespace warpgraph
