// The dimensions that methods over points are compiled for.
#pragma once

#include <cstdint>
#include <type_traits>

namespace warpgraph {

/// Upper bound on the dimensions that are compile-time constants.
inline constexpr int max_fixed_dimension = 8;

/// Calls f(std::integral_constant) for the least dimension that is compiled and not less than
/// `dimension`, which is at most max_fixed_dimension. Axes beyond those of the points are 0, which
/// adds nothing to a squared distance.
template <class F>
auto with_dimension(std::int64_t dimension, F&& f) {
  if (dimension <= 2) return f(std::integral_constant<int, 2>{});
  if (dimension == 3) return f(std::integral_constant<int, 3>{});
  if (dimension == 4) return f(std::integral_constant<int, 4>{});
  if (dimension == 5) return f(std::integral_constant<int, 5>{});
  if (dimension == 6) return f(std::integral_constant<int, 6>{});
  return f(std::integral_constant<int, max_fixed_dimension>{});
}

}  // namespace warpgraph
