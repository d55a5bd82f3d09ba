// Random numbers by position instead of by sequence: number `index` of stream `seed` is a pure
// function of both, so any thread can draw any number and a seed means the same data everywhere.
#pragma once

#include "core/types.hpp"

namespace warpgraph {

__extension__ using wide_product_t = unsigned __int128;

/// Bijective 64-bit mixing (the finaliser of splitmix64 [1]).
/// [1] Steele, Lea, Flood: Fast splittable pseudorandom number generators. OOPSLA 2014.
WARPGRAPH_HOST_DEVICE constexpr std::uint64_t mix64(std::uint64_t x) noexcept {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

class CounterRandom {
 public:
  WARPGRAPH_HOST_DEVICE constexpr CounterRandom(std::uint64_t seed, std::uint64_t stream) noexcept
      : key_(mix64(mix64(seed) ^ stream)) {}

  WARPGRAPH_HOST_DEVICE constexpr std::uint64_t bits(std::uint64_t index) const noexcept {
    return mix64(key_ ^ mix64(index));
  }
  /// Uniform in [0, 1), 53 bits.
  WARPGRAPH_HOST_DEVICE constexpr double uniform(std::uint64_t index) const noexcept {
    return static_cast<double>(bits(index) >> 11) * 0x1.0p-53;
  }
  /// Uniform in 0..n-1; the bias of at most n / 2^64 is far below what any test can see.
  WARPGRAPH_HOST_DEVICE constexpr std::uint64_t below(std::uint64_t index,
                                                      std::uint64_t n) const noexcept {
    return static_cast<std::uint64_t>((static_cast<wide_product_t>(bits(index)) * n) >> 64);
  }

 private:
  std::uint64_t key_;
};

}  // namespace warpgraph
