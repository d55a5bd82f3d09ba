// Numbers that are in the ratios of small integers, up to rounding.
#pragma once

#include <cstdint>
#include <span>

namespace warpgraph {

/// Largest integers that are found, and how far quotients of two coordinates may be off by
/// rounding. Fractions of such integers differ by more than twice that, so that one at most is
/// found, and which is a matter of the ratios alone.
struct IntegerRatios {
  double most;
  double tolerance;
};

/// Returns those of numbers that were rounded to T before their division, as both of a quotient
/// were; the quotient, what is divided and products are rounded to double. The squares of the
/// integers are far below half of 1 / tolerance.
template <class T>
constexpr IntegerRatios integer_ratios() noexcept {
  constexpr double u = 0x1p-53;
  return sizeof(T) == sizeof(double) ? IntegerRatios{1 << 20, 8 * u}
                                     : IntegerRatios{1 << 10, 2 * 0x1p-24 + 6 * u};
}

/// Writes the least integers in the ratios of `numbers`, which are not all 0, if there are any.
/// `found` may be the same memory. Returns whether there are.
bool write_integer_ratios(std::span<const double> numbers, const IntegerRatios& limits,
                          std::span<double> found);

}  // namespace warpgraph
