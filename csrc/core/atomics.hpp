// Atomic operations with the same names on host and device. All are relaxed: barriers and kernel
// boundaries order the rounds of an algorithm, these operations do not.
#pragma once

#include "core/types.hpp"

#include <atomic>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace warpgraph {

/// Reads a place that other threads may write with the atomic operations below.
template <class T>
WARPGRAPH_HOST_DEVICE inline T relaxed_load(const T& place) noexcept {
#if defined(__CUDA_ARCH__)
  return *static_cast<const volatile T*>(&place);
#else
  return std::atomic_ref<T>(const_cast<T&>(place)).load(std::memory_order_relaxed);
#endif
}

/// Reads device memory like relaxed_load, but may return an older value than the last barrier of
/// the grid makes visible: it reads through the L1 cache, which does not see the writes of other
/// multiprocessors. It serves values that threads of all multiprocessors read again and again, for
/// which the L2 cache would become a bottleneck.
template <class T>
WARPGRAPH_HOST_DEVICE inline T cached_load(const T& place) noexcept {
#if defined(__CUDA_ARCH__)
  return __ldca(&place);
#else
  return relaxed_load(place);
#endif
}

/// Writes a place that other threads may read or, where the order does not matter, write.
template <class T>
WARPGRAPH_HOST_DEVICE inline void relaxed_store(T& place, T value) noexcept {
#if defined(__CUDA_ARCH__)
  *static_cast<volatile T*>(&place) = value;
#else
  std::atomic_ref<T>(place).store(value, std::memory_order_relaxed);
#endif
}

/// Sets `place` to `desired` and returns true if it held `expected`: compare-and-swap.
template <class T>
WARPGRAPH_HOST_DEVICE inline bool compare_and_swap(T& place, T expected, T desired) noexcept {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 4) {
    const unsigned seen =
        atomicCAS(reinterpret_cast<unsigned*>(&place), *reinterpret_cast<unsigned*>(&expected),
                  *reinterpret_cast<unsigned*>(&desired));
    return seen == *reinterpret_cast<unsigned*>(&expected);
  } else {
    const unsigned long long seen = atomicCAS(reinterpret_cast<unsigned long long*>(&place),
                                              *reinterpret_cast<unsigned long long*>(&expected),
                                              *reinterpret_cast<unsigned long long*>(&desired));
    return seen == *reinterpret_cast<unsigned long long*>(&expected);
  }
#else
  return std::atomic_ref<T>(place).compare_exchange_strong(expected, desired,
                                                           std::memory_order_relaxed);
#endif
}

/// Writes `value` and returns the previous one: exchange.
template <class T>
WARPGRAPH_HOST_DEVICE inline T exchange(T& place, T value) noexcept {
#if defined(__CUDA_ARCH__)
  static_assert(sizeof(T) == 4 && std::is_integral_v<T>);
  return static_cast<T>(
      atomicExch(reinterpret_cast<unsigned*>(&place), static_cast<unsigned>(value)));
#else
  return std::atomic_ref<T>(place).exchange(value, std::memory_order_relaxed);
#endif
}

/// Lowers `place` to `value` and returns true if that is smaller: atomic minimum. A plain read
/// first saves the atomic operation if it is not. Values of `place` only decrease, so a stale read
/// costs at most one retry.
template <class T>
WARPGRAPH_HOST_DEVICE inline bool lower(T& place, T value) noexcept {
  T seen = relaxed_load(place);
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_integral_v<T>) {
    if (!(value < seen)) return false;
    if constexpr (sizeof(T) == 4) {
      return value < atomicMin(&place, value);
    } else if constexpr (std::is_signed_v<T>) {
      return value < static_cast<T>(atomicMin(reinterpret_cast<long long*>(&place),
                                              static_cast<long long>(value)));
    } else {
      return value < static_cast<T>(atomicMin(reinterpret_cast<unsigned long long*>(&place),
                                              static_cast<unsigned long long>(value)));
    }
  } else {
    while (value < seen) {
      if (compare_and_swap(place, seen, value)) return true;
      seen = relaxed_load(place);
    }
    return false;
  }
#else
  std::atomic_ref<T> shared(place);
  while (value < seen) {
    if (shared.compare_exchange_weak(seen, value, std::memory_order_relaxed)) return true;
  }
  return false;
#endif
}

/// Lowers a nonnegative number (and no -0.0) as lower() does, without the plain read: such numbers
/// compare like the integers with the same bits, for which devices have one instruction.
template <class T>
WARPGRAPH_HOST_DEVICE inline bool lower_non_negative(T& place, T value) noexcept {
#if defined(__CUDA_ARCH__)
  using Bits = std::conditional_t<sizeof(T) == 4, int, long long>;
  const Bits bits = __builtin_bit_cast(Bits, value);
  return bits < atomicMin(reinterpret_cast<Bits*>(&place), bits);
#else
  return lower(place, value);
#endif
}

}  // namespace warpgraph
