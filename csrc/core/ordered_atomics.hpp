// Atomic operations of host threads that order the memory accesses around them; those of
// atomics.hpp are relaxed.
#pragma once

#include <atomic>

namespace warpgraph {

/// A read that sees all that the thread wrote before the release_store whose value it returns.
template <class T>
inline T acquire_load(const T& place) noexcept {
  return std::atomic_ref<T>(const_cast<T&>(place)).load(std::memory_order_acquire);
}

/// A write that publishes the thread's earlier writes to those who acquire_load its value.
template <class T>
inline void release_store(T& place, T value) noexcept {
  std::atomic_ref<T>(place).store(value, std::memory_order_release);
}

/// Compare and swap that also acquires and releases. If it fails, `expected` is what was there.
template <class T>
inline bool acquire_release_swap(T& place, T& expected, T desired) noexcept {
  return std::atomic_ref<T>(place).compare_exchange_weak(
      expected, desired, std::memory_order_acq_rel, std::memory_order_acquire);
}

/// Adds and returns the sum; acquires and releases.
template <class T>
inline T acquire_release_add(T& place, T value) noexcept {
  return std::atomic_ref<T>(place).fetch_add(value, std::memory_order_acq_rel) + value;
}

}  // namespace warpgraph
