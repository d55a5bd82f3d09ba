#include "graph/points/integer_ratios.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warpgraph {
namespace {

/// Returns the nearest integer of a number below 2^51, without a call: the sum has no fractions.
double nearest_integer(double value) noexcept {
  constexpr double without_fractions = 0x1.8p52;
  return (value + without_fractions) - without_fractions;
}

bool is_near_integer(double value, double tolerance) noexcept {
  return std::abs(value - nearest_integer(value)) <= tolerance * value;
}

/// Returns the denominator of the first convergent of the continued fraction of `value` that is
/// near it, or 0 if there is none up to `most`. A fraction nearer than 1 / (2 denominator^2) is a
/// convergent (Legendre).
double denominator_of(double value, double most, double tolerance) noexcept {
  double rest = value, before = 0, denominator = 1;
  while (true) {
    if (is_near_integer(value * denominator, tolerance)) return denominator;
    rest -= static_cast<double>(static_cast<std::int64_t>(rest));
    rest = 1 / rest;
    if (!(rest <= most)) return 0;
    const double next = static_cast<double>(static_cast<std::int64_t>(rest)) * denominator + before;
    if (next > most) return 0;
    before = denominator;
    denominator = next;
  }
}

/// Returns the least magnitude of numbers that are not 0, or 0 if one is more than `most` times it.
double least_magnitude(std::span<const double> numbers, double most) noexcept {
  double least = std::numeric_limits<double>::infinity(), largest = 0;
  for (const double number : numbers) {
    const double magnitude = std::abs(number);
    largest = std::max(largest, magnitude);
    if (magnitude > 0) least = std::min(least, magnitude);
  }
  return largest / least <= most ? least : 0;
}

}  // namespace

bool write_integer_ratios(std::span<const double> numbers, const IntegerRatios& limits,
                          std::span<double> found) {
  const auto [most, tolerance] = limits;
  const double least = least_magnitude(numbers, most);
  if (least == 0) return false;
  double factor = 1;  // the integer in place of the least magnitude
  for (const double number : numbers) {
    const double value = std::abs(number) / least * factor;
    if (is_near_integer(value, tolerance)) continue;
    factor *= denominator_of(value, most / factor, tolerance);
    if (factor == 0) return false;
  }
  bool are_integers = true;
  for (const double number : numbers) {
    const double value = std::abs(number) / least * factor;
    are_integers &= value <= most + 0.5 && is_near_integer(value, tolerance);
  }
  if (!are_integers) return false;
  std::transform(numbers.begin(), numbers.end(), found.begin(),
                 [&](double number) { return nearest_integer(number / least * factor); });
  return true;
}

}  // namespace warpgraph
