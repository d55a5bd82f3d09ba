// A sum of floats that is rounded once, at the end: the same bits for every order of additions.
#pragma once

#include "core/types.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace warpgraph {

/// Three digits of 32 bits and a sign, which a finite double adds to a sum.
struct DigitsOfDouble {
  static constexpr int digit_bits = 32;
  static constexpr std::uint64_t digit_mask = 0xffffffff;
  static constexpr int mantissa_bits = 52;         // without the first one
  static constexpr std::uint64_t all_ones = 2047;  // the exponent of inf and NaN

  std::int32_t first = 0;       // the place of the lowest digit
  std::int64_t digits[3] = {};  // all of one sign
  bool is_finite = true;

  WARPGRAPH_HOST_DEVICE explicit DigitsOfDouble(double x) noexcept {
    // std::bit_cast is not a device function.
    const auto bits = __builtin_bit_cast(std::uint64_t, x);
    const std::uint64_t exponent = bits >> mantissa_bits & all_ones;
    is_finite = exponent != all_ones;
    if (!is_finite) return;
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << mantissa_bits) - 1);
    const std::uint64_t mantissa = fraction | std::uint64_t{exponent != 0} << mantissa_bits;
    const std::uint64_t shift = exponent - std::uint64_t{exponent != 0};
    first = static_cast<std::int32_t>(shift / digit_bits);
    const std::uint64_t low = mantissa << shift % digit_bits;
    // Two shifts: one by 64 is undefined.
    const std::uint64_t high = mantissa >> 1 >> (63 - shift % digit_bits);
    const std::int64_t sign = -static_cast<std::int64_t>(bits >> 63);  // 0 or -1
    const auto with_sign = [&](std::uint64_t digit) {
      return (static_cast<std::int64_t>(digit) ^ sign) - sign;
    };
    digits[0] = with_sign(low & digit_mask);
    digits[1] = with_sign(low >> digit_bits);
    digits[2] = with_sign(high);
  }
};

/// All bits of a sum of doubles, as a fixed-point number in units of the smallest double. Its
/// digits have 32 bits, in numbers of 64, so that additions need no carries. For at most 2^31
/// numbers.
class ExactSum {
 public:
  /// A double has 2098 bits at most, a sum of 2^31 of them 2129, in 67 digits.
  static constexpr std::size_t n_digits = 67;

  void add(double x) noexcept {
    const DigitsOfDouble of_x(x);
    if (!of_x.is_finite) {
      not_finite_ += x;
      return;
    }
    const auto first = static_cast<std::size_t>(of_x.first);
    for (std::size_t i = 0; i < 3; ++i) digits_[first + i] += of_x.digits[i];
  }

  /// Adds sums of digits by their places.
  void add_digits(std::span<const std::int64_t, n_digits> digits) noexcept {
    for (std::size_t i = 0; i < n_digits; ++i) digits_[i] += digits[i];
  }

  void add(const ExactSum& other) noexcept {
    for (std::size_t i = 0; i < digits_.size(); ++i) digits_[i] += other.digits_[i];
    not_finite_ += other.not_finite_;
  }

  /// Returns the double that is nearest to the sum; of two that are equally near, the even one. If
  /// summands are infinite or NaN, returns what IEEE additions of these return.
  [[nodiscard]] double value() const noexcept {
    if (not_finite_ != 0 || std::isnan(not_finite_)) return not_finite_;
    Digits digits = digits_;
    const bool is_negative = carry(digits) < 0;
    if (is_negative) {
      for (std::int64_t& digit : digits) digit = -digit;
      carry(digits);
    }
    const double rounded = round(digits);
    return is_negative ? -rounded : rounded;
  }

 private:
  static constexpr int digit_bits = DigitsOfDouble::digit_bits;
  static constexpr std::uint64_t digit_mask = DigitsOfDouble::digit_mask;
  static constexpr int mantissa_bits = DigitsOfDouble::mantissa_bits;
  static constexpr int smallest_exponent = -1074;
  using Digits = std::array<std::int64_t, n_digits>;

  /// Makes each digit a number in 0 .. 2^32 - 1. Returns the carry of the last one: -1 if the sum
  /// is negative.
  static std::int64_t carry(Digits& digits) noexcept {
    std::int64_t carried = 0;
    for (std::int64_t& digit : digits) {
      const std::int64_t with_carry = digit + carried;
      digit = with_carry & static_cast<std::int64_t>(digit_mask);
      carried = with_carry >> digit_bits;
    }
    return carried;
  }

  static bool bit(const Digits& digits, int i) noexcept {
    return (digits[static_cast<std::size_t>(i / digit_bits)] >> i % digit_bits & 1) != 0;
  }

  static double round(const Digits& digits) noexcept {
    int top = static_cast<int>(digits.size()) * digit_bits - 1;
    while (top >= 0 && !bit(digits, top)) --top;
    const int last = std::max(top - mantissa_bits, 0);
    std::uint64_t mantissa = 0;
    for (int i = top; i >= last; --i) mantissa = mantissa << 1 | std::uint64_t{bit(digits, i)};
    if (last > 0 && bit(digits, last - 1)) {
      bool is_more_than_half = false;
      for (int i = 0; i < last - 1; ++i) is_more_than_half |= bit(digits, i);
      if (is_more_than_half || (mantissa & 1) != 0) ++mantissa;
    }
    return std::ldexp(static_cast<double>(mantissa), last + smallest_exponent);
  }

  Digits digits_{};
  double not_finite_ = 0;
};

}  // namespace warpgraph
