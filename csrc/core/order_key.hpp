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

/// The order of weights of which only the bits are given: kernels that take it are compiled for two
/// sizes of weights instead of four types.
template <class Key>
struct BitOrder {
  Key negative_zero;  // the bits that stand for 0; those of 0 for integers
  Key if_negative;    // which bits of negative numbers are inverted, beside the next ones
  Key always;         // which bits of all numbers are

  /// Makes the order of weights of type W, or the opposite one.
  template <class W>
  [[nodiscard]] static constexpr BitOrder of(bool heaviest_first) noexcept {
    static_assert(std::is_same_v<Key, order_key_t<W>>);
    constexpr Key sign = Key{1} << (8 * sizeof(W) - 1);
    constexpr bool is_float = std::is_floating_point_v<W>;
    return {is_float ? sign : Key{0}, is_float ? static_cast<Key>(~sign) : Key{0},
            heaviest_first ? static_cast<Key>(~sign) : sign};
  }
  /// Returns the bits of the same number, and of 0.0 for -0.0.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE constexpr Key number(Key bits) const noexcept {
    return bits == negative_zero ? Key{0} : bits;
  }
  /// Returns order_key(weight), or its complement, of the weight with these bits.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE constexpr Key key(Key bits) const noexcept {
    const Key number = this->number(bits);
    const bool is_negative = number >> (8 * sizeof(Key) - 1) != 0;
    return number ^ always ^ (is_negative ? if_negative : Key{0});
  }
};

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
