// Atomic operations that order the memory accesses around them, with the same names on host and
// device; those of atomics.hpp are relaxed. On devices they have the scope of the system: host
// threads and other devices that can access the place see the order, too.
#pragma once

#include "core/types.hpp"

#include <atomic>
#include <cstdint>
#if defined(__CUDACC__)
#include <cuda/atomic>
#endif

namespace warpgraph {

/// Reads a value, and sees all that the writing thread wrote before the release_store of that
/// value.
template <class T>
WARPGRAPH_HOST_DEVICE inline T acquire_load(const T& place) noexcept {
#if defined(__CUDA_ARCH__)
  using Shared = ::cuda::atomic_ref<T, ::cuda::thread_scope_system>;
  return Shared(const_cast<T&>(place)).load(::cuda::memory_order_acquire);
#else
  return std::atomic_ref<T>(const_cast<T&>(place)).load(std::memory_order_acquire);
#endif
}

/// Writes a value, and publishes the thread's earlier writes to threads that acquire_load the
/// value.
template <class T>
WARPGRAPH_HOST_DEVICE inline void release_store(T& place, T value) noexcept {
#if defined(__CUDA_ARCH__)
  using Shared = ::cuda::atomic_ref<T, ::cuda::thread_scope_system>;
  Shared(place).store(value, ::cuda::memory_order_release);
#else
  std::atomic_ref<T>(place).store(value, std::memory_order_release);
#endif
}

/// Compares and swaps as compare_and_swap() does, and also acquires and releases. If it fails,
/// `expected` becomes the value of `place`.
template <class T>
WARPGRAPH_HOST_DEVICE inline bool acquire_release_swap(T& place, T& expected, T desired) noexcept {
#if defined(__CUDA_ARCH__)
  using Shared = ::cuda::atomic_ref<T, ::cuda::thread_scope_system>;
  return Shared(place).compare_exchange_weak(expected, desired, ::cuda::memory_order_acq_rel,
                                             ::cuda::memory_order_acquire);
#else
  return std::atomic_ref<T>(place).compare_exchange_weak(
      expected, desired, std::memory_order_acq_rel, std::memory_order_acquire);
#endif
}

/// Adds and returns the sum; acquires and releases.
template <class T>
WARPGRAPH_HOST_DEVICE inline T acquire_release_add(T& place, T value) noexcept {
#if defined(__CUDA_ARCH__)
  using Shared = ::cuda::atomic_ref<T, ::cuda::thread_scope_system>;
  return Shared(place).fetch_add(value, ::cuda::memory_order_acq_rel) + value;
#else
  return std::atomic_ref<T>(place).fetch_add(value, std::memory_order_acq_rel) + value;
#endif
}

/// Adds and returns the previous value. Relaxed, and on devices atomic only among threads of the
/// same device.
template <class T>
WARPGRAPH_HOST_DEVICE inline T relaxed_fetch_add(T& place, T value) noexcept {
#if defined(__CUDA_ARCH__)
  using Shared = ::cuda::atomic_ref<T, ::cuda::thread_scope_device>;
  return Shared(place).fetch_add(value, ::cuda::memory_order_relaxed);
#else
  return std::atomic_ref<T>(place).fetch_add(value, std::memory_order_relaxed);
#endif
}

/// Sets bits of a word and returns its previous value. Relaxed; on devices of the scope of the
/// system.
WARPGRAPH_HOST_DEVICE inline std::uint32_t shared_fetch_or(std::uint32_t& word,
                                                           std::uint32_t bits) noexcept {
#if defined(__CUDA_ARCH__)
  using Shared = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_system>;
  return Shared(word).fetch_or(bits, ::cuda::memory_order_relaxed);
#else
  return std::atomic_ref<std::uint32_t>(word).fetch_or(bits, std::memory_order_relaxed);
#endif
}

}  // namespace warpgraph
