// A weight of one type as a weight of another, on the host and on devices.
#pragma once

#include "core/types.hpp"

#include <type_traits>

namespace warpgraph {

/// The use of new weights: as any numbers, or as lengths, whose sums are distances. As a length, a
/// float of inf is an edge that is never used, which the largest integer stands for: so no other
/// weight may be equal to that.
enum class WeightsAs { numbers, lengths };

/// The answer whether a type represents a number, maybe rounded to a float: not if the number is
/// beyond its range, or if it is a fraction and the type has integers.
enum class Fit { yes, beyond, fraction };

/// Writes a weight, which is not NaN, as a `To`. Without a fit, what is written is any number.
template <class To, class From>
WARPGRAPH_HOST_DEVICE constexpr Fit convert_weight(From weight, WeightsAs as, To& to) noexcept {
  constexpr bool are_floats = std::is_floating_point_v<From>;
  if constexpr (std::is_floating_point_v<To>) {
    to = static_cast<To>(weight);
    const bool overflows = are_floats && sizeof(To) < sizeof(From) &&
                           (to == infinity<To>() || to == -infinity<To>()) &&
                           static_cast<From>(to) != weight;
    return overflows ? Fit::beyond : Fit::yes;
  } else {
    if (are_floats && as == WeightsAs::lengths && weight == infinity<From>()) {
      to = infinity<To>();
      return Fit::yes;
    }
    bool is_in_range = true;
    if constexpr (are_floats) {
      constexpr From lowest = static_cast<From>(detail::lowest<To>);  // a power of two, so exact
      is_in_range = weight >= lowest && weight < -lowest;
    }
    to = is_in_range ? static_cast<To>(weight) : To{0};
    const bool is_equal = static_cast<From>(to) == weight;
    if (!is_in_range || (!are_floats && !is_equal)) return Fit::beyond;
    if (as == WeightsAs::lengths && to == infinity<To>()) return Fit::beyond;
    return is_equal ? Fit::yes : Fit::fraction;
  }
}

}  // namespace warpgraph
