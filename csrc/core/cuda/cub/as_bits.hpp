// Arrays in device memory as unsigned numbers of the same size, for algorithms that only move their
// items: these are compiled for two types instead of for all.
#pragma once

#include <cstdint>
#include <type_traits>

namespace warpgraph::cuda {

template <class T>
using bits_t = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
[[nodiscard]] auto* as_bits(T* items) noexcept {
  static_assert(sizeof(T) == sizeof(bits_t<T>) && std::is_arithmetic_v<T>);
  using Bits = std::conditional_t<std::is_const_v<T>, const bits_t<T>, bits_t<T>>;
  return reinterpret_cast<Bits*>(items);
}

}  // namespace warpgraph::cuda
