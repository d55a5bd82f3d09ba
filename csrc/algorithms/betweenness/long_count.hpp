// A count of any size, whose exponent is beyond those of float64. Not for use outside this folder.
#pragma once

#include "core/types.hpp"

#include <cstdint>

namespace warpgraph::betweenness {

/// The least count next to which float64 does not hold all others.
inline constexpr double inexact_count = 0x1.0p53;

/// The count number * 2^(512 * exponent).
struct LongCount {
  double number;
  std::int32_t exponent;

  static constexpr double limit = 0x1.0p512;

  /// Takes a factor from the number of a count that is complete.
  WARPGRAPH_HOST_DEVICE void shorten() noexcept {
    if (number > limit) {
      number *= 1 / limit;
      ++exponent;
    }
  }
  WARPGRAPH_HOST_DEVICE void add(const LongCount& other) noexcept {
    const std::int32_t more = other.exponent - exponent;
    if (more > 0) {
      number = number * power(more) + other.number;
      exponent = other.exponent;
    } else {
      number += other.number * power(-more);
    }
  }
  /// Returns 2^(-512 * k). Below 2^-1024 it is 0: such shares of paths are below 2^-500.
  WARPGRAPH_HOST_DEVICE static constexpr double power(std::int32_t k) noexcept {
    if (k == 0) return 1;
    return k == 1 ? 0x1.0p-512 : k == 2 ? 0x1.0p-1024 : 0;
  }
};

}  // namespace warpgraph::betweenness
