// A sum of numbers that are not negative, with the same bits for every order of additions.
#pragma once

#include "core/types.hpp"

#include <cstdint>

namespace warpgraph {

/// A number in fixed point: 64 bits before the point, 64 after it. Additions do not round, so
/// their order does not matter; a summand is cut off after 63 bits. Trivial: zeroed memory is 0.
struct FixedPointSum {
  std::uint64_t whole;
  std::uint64_t rest;

  /// Adds a number in 0 .. 2^63.
  WARPGRAPH_HOST_DEVICE void add(double x) noexcept {
    const auto floor = static_cast<std::int64_t>(x);
    // Signed conversions take one instruction, hence 63 bits.
    const auto behind = static_cast<std::int64_t>((x - static_cast<double>(floor)) * 0x1.0p63);
    add({static_cast<std::uint64_t>(floor), static_cast<std::uint64_t>(behind) << 1});
  }
  WARPGRAPH_HOST_DEVICE void add(const FixedPointSum& other) noexcept {
    rest += other.rest;
    whole += other.whole + (rest < other.rest ? 1 : 0);
  }
  [[nodiscard]] WARPGRAPH_HOST_DEVICE double value() const noexcept {
    return static_cast<double>(whole) + static_cast<double>(rest) * 0x1.0p-64;
  }
};

}  // namespace warpgraph
