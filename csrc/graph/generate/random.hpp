// Random numbers by position instead of by sequence: number `index` of stream `seed` is a pure
// function of both, so any thread can draw any number and a seed means the same data everywhere.
#pragma once

#include "core/types.hpp"

#include <array>
#include <bit>

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

/// The numbers that belong to one item, drawn one after the other: half the work of as many
/// numbers by index.
class RandomSequence {
 public:
  WARPGRAPH_HOST_DEVICE constexpr explicit RandomSequence(std::uint64_t start) noexcept
      : state_(start) {}
  WARPGRAPH_HOST_DEVICE constexpr std::uint64_t bits() noexcept {
    const std::uint64_t drawn = mix64(state_);
    state_ += 0x9E3779B97F4A7C15u;
    return drawn;
  }
  /// Uniform in [0, 1), 53 bits.
  WARPGRAPH_HOST_DEVICE constexpr double uniform() noexcept {
    return static_cast<double>(bits() >> 11) * 0x1.0p-53;
  }

 private:
  std::uint64_t state_;
};

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
  [[nodiscard]] WARPGRAPH_HOST_DEVICE constexpr RandomSequence sequence(
      std::uint64_t index) const noexcept {
    return RandomSequence(bits(index));
  }
  /// Uniform in 0..n-1; the bias of at most n / 2^64 is far below what any test can see.
  WARPGRAPH_HOST_DEVICE constexpr std::uint64_t below(std::uint64_t index,
                                                      std::uint64_t n) const noexcept {
    return static_cast<std::uint64_t>((static_cast<wide_product_t>(bits(index)) * n) >> 64);
  }

 private:
  std::uint64_t key_;
};

/// A bijection of 0..n-1 onto itself that looks random, without an array of n numbers.
///
/// On numbers of k bits, adding a constant, multiplying by an odd one and xoring the upper half
/// into the lower are all reversible; a few rounds of them scatter neighbours. For n between
/// powers of two, a number that lands at n or above goes round again until it is below, which takes
/// fewer than two rounds on average and stays reversible, since it walks along a cycle.
class Relabelling {
 public:
  constexpr Relabelling(std::uint64_t n, std::uint64_t seed) noexcept : n_(n) {
    const int bits = n > 1 ? static_cast<int>(std::bit_width(n - 1)) : 0;
    mask_ = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    fold_ = (bits + 1) / 2;
    for (std::size_t r = 0; r < keys_.size(); ++r) keys_[r] = mix64(mix64(seed) + r);
  }
  [[nodiscard]] constexpr std::uint64_t operator()(std::uint64_t v) const noexcept {
    if (mask_ == 0) return v;
    do {
      for (const std::uint64_t key : keys_) {
        v = (v + (key >> 32)) & mask_;
        v = (v * (key | 1)) & mask_;
        v ^= v >> fold_;
      }
    } while (v >= n_);
    return v;
  }

 private:
  std::uint64_t n_;
  std::uint64_t mask_ = 0;
  int fold_ = 0;
  std::array<std::uint64_t, 4> keys_{};
};

}  // namespace warpgraph
