// Device arithmetic of each accumulator: what a register holds, and the relaxation c = min(c, a +
// b), which takes nearly all of the time.
//
// Hopper has it as one instruction for 32-bit integers (VIADDMNMX), and for two packed 16-bit ones.
// Other devices, and 64-bit accumulators, take from two to six. Floats take two, and the minimum
// runs at half the rate of the sum. Nonnegative floats are ordered as their bits are, and the
// minimum of three integers is one instruction, too (VIMNMX3): on an H200, two such steps at a time
// are 1.22 times as fast, 17.1e12 a second from registers.
#pragma once

#include "algorithms/apsp/accumulator.hpp"

#include <cuda_runtime.h>

namespace warpgraph::apsp_detail {

/// Returns min(c, a + b) of numbers that saturate, without a branch: a sum that overflows has
/// another sign than both its terms. With the branches of SaturatingArithmetic, all 64-bit tiles
/// took nearly twice as long to compile.
inline __device__ std::int64_t relax_saturating(std::int64_t c, std::int64_t a, std::int64_t b) {
  using Arithmetic = SaturatingArithmetic;
  const auto sum =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  const std::int64_t saturated = (a >> 63) ^ Arithmetic::infinity;  // or the lowest number
  const bool overflows = ((a ^ sum) & (b ^ sum)) < 0;
  const bool is_missing = a == Arithmetic::infinity || b == Arithmetic::infinity;
  const std::int64_t extended = overflows ? saturated : sum;
  return is_missing || c < extended ? c : extended;
}

/// The arithmetic of an accumulator on a device, where a word holds the distances from one vertex
/// to `columns_per_word` others.
template <Accumulator acc>
struct DeviceArithmetic {
  using Value = AccumulatorValue<acc>;
  using Word = Value;
  static constexpr int columns_per_word = 1;
  static constexpr bool has_negative = true;

  /// Returns a word with the value in all its columns.
  static __device__ Word broadcast(Value value) { return value; }
  static __device__ Value extract(Word word, int) { return word; }

  static __device__ Word relax(Word c, Word a, Word b) {
    if constexpr (acc == Accumulator::int32) {
      return __viaddmin_s32(a, b, c);
    } else if constexpr (acc == Accumulator::float32) {
      return fminf(a + b, c);
    } else if constexpr (acc == Accumulator::saturating_int64) {
      return relax_saturating(c, a, b);
    } else {
      const Value sum = ArithmeticOf<acc>::add(a, b);
      return sum < c ? sum : c;
    }
  }
  /// Makes two steps on nonnegative 32-bit floats, none of which is -0.
  static __device__ Word relax_twice(Word c, Word a, Word b, Word next_a, Word next_b) {
    static_assert(acc == Accumulator::float32);
    const int least =
        __vimin3_s32(__float_as_int(c), __float_as_int(a + b), __float_as_int(next_a + next_b));
    return __int_as_float(least);
  }
};

template <>
struct DeviceArithmetic<Accumulator::uint16> {
  using Value = std::uint16_t;
  using Word = std::uint32_t;
  static constexpr int columns_per_word = 2;
  static constexpr bool has_negative = false;

  static __device__ Word broadcast(Value value) { return value * 0x10001u; }
  static __device__ Value extract(Word word, int i) { return static_cast<Value>(word >> (16 * i)); }
  /// Relaxes two halves without a carry between them, since twice infinity is less than 2^16.
  static __device__ Word relax(Word c, Word a, Word b) { return __viaddmin_u16x2(a, b, c); }
};

}  // namespace warpgraph::apsp_detail
