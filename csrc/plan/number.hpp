// The types of weights, distances and vertex numbers as values, where arrays have types that are
// known at run time only.
#pragma once

#include "core/types.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <type_traits>

namespace warpgraph {

enum class Number { float32, float64, int32, int64 };

template <class W>
[[nodiscard]] constexpr Number number_of() noexcept {
  constexpr bool is_wide = sizeof(W) == 8;
  return std::is_integral_v<W> ? (is_wide ? Number::int64 : Number::int32)
                               : (is_wide ? Number::float64 : Number::float32);
}

/// Calls f.operator()<W>() for the type.
template <class F>
auto dispatch(Number number, F&& f) {
#define WARPGRAPH_TRY(W) \
  if (number == number_of<W>()) return f.template operator()<W>();
  WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_TRY)
#undef WARPGRAPH_TRY
  throw std::invalid_argument("unknown type of numbers");
}

/// Returns the type as of NumPy.
[[nodiscard]] constexpr std::string_view name_of(Number number) {
  constexpr std::string_view names[] = {"float32", "float64", "int32", "int64"};
  return names[static_cast<int>(number)];
}

[[nodiscard]] inline std::size_t bytes_of(Number number) {
  return dispatch(number, []<class W>() { return sizeof(W); });
}

}  // namespace warpgraph
