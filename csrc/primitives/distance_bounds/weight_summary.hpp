// Summary of the weights, for bounds on distances and the choice of number types.
#pragma once

#include "graph/csr.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace warpgraph::shortest_paths {

/// Value from which on a number counts as no bound; the sum of two such values fits 64 bits.
inline constexpr std::int64_t no_bound = std::int64_t{1} << 61;

/// Returns |weight|, at most no_bound.
template <class R>
std::int64_t magnitude_of(R weight) {
  if constexpr (std::is_integral_v<R>) {
    if (weight <= -no_bound || weight >= no_bound) return no_bound;
    return weight < 0 ? -static_cast<std::int64_t>(weight) : weight;
  } else {
    const double magnitude = std::abs(static_cast<double>(weight));
    return magnitude < static_cast<double>(no_bound) ? static_cast<std::int64_t>(magnitude)
                                                     : no_bound;
  }
}

/// Returns the sum of two bounds, at most no_bound.
inline std::int64_t add_bounds(std::int64_t a, std::int64_t b) { return std::min(a + b, no_bound); }

/// The result of one pass over the weights.
struct WeightSummary {
  bool integers = true;   // true if all finite weights are integers
  bool negative = false;  // true if some weight is negative
  double largest = 0;     // largest finite magnitude
  /// The sum over all vertices of the largest magnitude of an outgoing arc: simple paths and cycles
  /// leave each vertex once. At most no_bound.
  std::int64_t sum = 0;

  /// Returns an upper bound on the magnitude of simple paths and cycles; no_bound if weights are
  /// not integers.
  [[nodiscard]] std::int64_t bound() const noexcept { return integers ? sum : no_bound; }
};

/// Summarises the weights; if they are nullptr, every arc weighs 1. Arcs of the weight `never_used`
/// do not count.
template <class R>
[[nodiscard]] WeightSummary summarise(const CsrView<R>& graph, R never_used = infinity<R>());

/// Summarises weights of which every integer is one, infinity<R>() too.
template <class R>
[[nodiscard]] WeightSummary summarise_numbers(const CsrView<R>& graph) {
  return summarise(graph, std::is_integral_v<R> ? R{0} : infinity<R>());
}

/// Magnitude below which R represents all integers.
template <class R>
inline constexpr double all_integers_below = static_cast<double>(std::uint64_t{1}
                                                                 << std::numeric_limits<R>::digits);

/// Returns whether R is proven to represent all sums of weights along simple paths: a type of
/// floats only if all weights are integers. True for an integer type, whose sums do not round but
/// may overflow.
template <class R>
[[nodiscard]] bool has_exact_sums(const WeightSummary& weights) {
  return std::is_integral_v<R> || static_cast<double>(weights.bound()) < all_integers_below<R>;
}

}  // namespace warpgraph::shortest_paths
