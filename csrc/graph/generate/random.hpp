// Counter-based random numbers [1]: number `index` of stream `seed` is a pure function of both. Any
// thread can draw any number, and a seed gives the same data everywhere.
//
// [1] Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3. SC 2011.
#pragma once

#include "core/types.hpp"

#include <array>
#include <bit>

namespace warpgraph {

__extension__ using uint128_t = unsigned __int128;

/// Mixes 64 bits, bijectively: the finalizer of splitmix64 [2].
/// [2] Steele, Lea, Flood: Fast splittable pseudorandom number generators. OOPSLA 2014.
WARPGRAPH_HOST_DEVICE constexpr std::uint64_t mix64(std::uint64_t x) noexcept {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// The random numbers of one item, drawn sequentially: half the work of drawing them by index.
class RandomSequence {
 public:
  WARPGRAPH_HOST_DEVICE constexpr explicit RandomSequence(std::uint64_t start) noexcept
      : state_(start) {}
  WARPGRAPH_HOST_DEVICE constexpr std::uint64_t bits() noexcept {
    const std::uint64_t drawn = mix64(state_);
    state_ += 0x9E3779B97F4A7C15u;
    return drawn;
  }
  /// Returns a number that is uniform in [0, 1), with 53 bits.
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
  /// Returns a number that is uniform in [0, 1), with 53 bits.
  WARPGRAPH_HOST_DEVICE constexpr double uniform(std::uint64_t index) const noexcept {
    return static_cast<double>(bits(index) >> 11) * 0x1.0p-53;
  }
  [[nodiscard]] WARPGRAPH_HOST_DEVICE constexpr RandomSequence sequence(
      std::uint64_t index) const noexcept {
    return RandomSequence(bits(index));
  }
  /// Returns a number that is uniform in 0..n-1, with a bias of at most n / 2^64.
  WARPGRAPH_HOST_DEVICE constexpr std::uint64_t below(std::uint64_t index,
                                                      std::uint64_t n) const noexcept {
    return static_cast<std::uint64_t>((static_cast<uint128_t>(bits(index)) * n) >> 64);
  }

 private:
  std::uint64_t key_;
};

/// A pseudorandom bijection of 0..n-1 onto itself without an array of n numbers.
///
/// On k-bit numbers, adding a constant, multiplying by an odd constant and xoring the upper half
/// into the lower half are all invertible; a few rounds of them separate neighbours. If n is not a
/// power of two, the function is applied again to a result >= n until it is below n (cycle
/// walking). This takes fewer than two applications on average and stays a bijection.
class RandomBijection {
 public:
  constexpr RandomBijection(std::uint64_t n, std::uint64_t seed) noexcept : n_(n) {
    const int bits = n > 1 ? static_cast<int>(std::bit_width(n - 1)) : 0;
    mask_ = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    shift_ = (bits + 1) / 2;
    for (std::size_t r = 0; r < keys_.size(); ++r) keys_[r] = mix64(mix64(seed) + r);
  }
  [[nodiscard]] constexpr std::uint64_t operator()(std::uint64_t v) const noexcept {
    if (mask_ == 0) return v;
    do {
      for (const std::uint64_t key : keys_) {
        v = (v + (key >> 32)) & mask_;
        v = (v * (key | 1)) & mask_;
        v ^= v >> shift_;
      }
    } while (v >= n_);
    return v;
  }

 private:
  std::uint64_t n_;
  std::uint64_t mask_ = 0;
  int shift_ = 0;
  std::array<std::uint64_t, 4> keys_{};
};

}  // namespace warpgraph
