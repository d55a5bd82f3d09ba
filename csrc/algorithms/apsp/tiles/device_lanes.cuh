// How a device computes in each lane: what lies in a register, and the one step that all the time
// goes into, c = min(c, a + b).
//
// Hopper has it as one instruction for 32-bit integers (VIADDMNMX), and for two 16-bit ones side by
// side in a register; other devices, and 64-bit lanes, take from two to six. Floats take two, of
// which the minimum runs at half the rate of the sum. Those that are not negative have the order of
// their bits, and the least of three integers takes one instruction, too (VIMNMX3): on an H200, two
// such steps at a time are 1.22 times as fast, 17.1e12 a second out of registers.
#pragma once

#include "algorithms/apsp/arithmetic.hpp"

#include <cuda_runtime.h>

namespace warpgraph::apsp_steps {

/// A word holds the distances from one vertex to `columns_a_word` others.
template <Lane lane>
struct DeviceLane {
  using Value = LaneValue<lane>;
  using Word = Value;
  static constexpr int columns_a_word = 1;
  static constexpr bool has_negative = true;

  /// A word with the value in all its columns.
  static __device__ Word spread(Value value) { return value; }
  static __device__ Value column(Word word, int) { return word; }

  static __device__ Word relax(Word c, Word a, Word b) {
    if constexpr (lane == Lane::int32) {
      return __viaddmin_s32(a, b, c);
    } else if constexpr (lane == Lane::float32) {
      return fminf(a + b, c);
    } else {
      const Value sum = ArithmeticOf<lane>::add(a, b);
      return sum < c ? sum : c;
    }
  }
  /// Two steps, of floats of 32 bits that are not negative; nor is any of them -0.
  static __device__ Word relax_twice(Word c, Word a, Word b, Word next_a, Word next_b) {
    static_assert(lane == Lane::float32);
    const int least =
        __vimin3_s32(__float_as_int(c), __float_as_int(a + b), __float_as_int(next_a + next_b));
    return __int_as_float(least);
  }
};

template <>
struct DeviceLane<Lane::uint16> {
  using Value = std::uint16_t;
  using Word = std::uint32_t;
  static constexpr int columns_a_word = 2;
  static constexpr bool has_negative = false;

  static __device__ Word spread(Value value) { return value * 0x10001u; }
  static __device__ Value column(Word word, int i) { return static_cast<Value>(word >> (16 * i)); }
  /// Infinity twice is less than 2^16: no half carries into the other.
  static __device__ Word relax(Word c, Word a, Word b) { return __viaddmin_u16x2(a, b, c); }
};

}  // namespace warpgraph::apsp_steps
