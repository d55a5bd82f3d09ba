// Stands in for CUDA's header of this name: the language that nvcc adds to C++. A source compiled
// for the emulator includes it first, as nvcc does.
#pragma once

#include "cuda_runtime_api.h"
#include "emulator/atomics.hpp"
#include "emulator/thread.hpp"
#include "emulator/warp.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <thread>
#include <tuple>
#include <type_traits>

#define __host__
#define __device__
#define __global__
#define __constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
// A block runs on one OS thread, so a thread_local variable is shared by the block. In a function
// thread_local implies static, unless it is declared `extern`.
#define __shared__ thread_local

extern constinit thread_local uint3 threadIdx;
extern constinit thread_local uint3 blockIdx;
extern constinit thread_local dim3 blockDim;
extern constinit thread_local dim3 gridDim;
inline constexpr int warpSize = 32;

// Barriers and fences.

inline void __syncthreads() { emulator::meet_block("__syncthreads", false); }
inline int __syncthreads_count(int vote) {
  return emulator::meet_block("__syncthreads_count", vote != 0).yes;
}
inline int __syncthreads_or(int vote) {
  return emulator::meet_block("__syncthreads_or", vote != 0).yes > 0;
}
inline int __syncthreads_and(int vote) {
  const emulator::Votes votes = emulator::meet_block("__syncthreads_and", vote != 0);
  return votes.yes == votes.threads;
}
inline void __barrier_sync_count(unsigned barrier, unsigned threads) {
  emulator::meet_some(barrier, threads);
}
inline void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __threadfence_block() { __threadfence(); }
inline void __threadfence_system() { __threadfence(); }
/// Also to other blocks, for which the thread may be waiting.
inline void __nanosleep(unsigned) {
  emulator::give_way();
  std::this_thread::yield();
}

// Memory and arithmetic.

template <class T>
T __ldg(const T* place) {
  return *place;
}
template <class T>
T __ldcs(const T* place) {
  return *place;
}
template <class T>
T __ldcg(const T* place) {
  return *static_cast<const volatile T*>(place);
}

template <class A, class B>
requires(std::is_arithmetic_v<A>&& std::is_arithmetic_v<B>) constexpr std::common_type_t<A, B> min(
    A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A, class B>
requires(std::is_arithmetic_v<A>&& std::is_arithmetic_v<B>) constexpr std::common_type_t<A, B> max(
    A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}

inline int __popc(unsigned bits) { return std::popcount(bits); }
inline int __popcll(unsigned long long bits) { return std::popcount(bits); }
inline int __clz(int bits) { return std::countl_zero(static_cast<unsigned>(bits)); }
inline int __clzll(long long bits) {
  return std::countl_zero(static_cast<unsigned long long>(bits));
}
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __ffsll(long long bits) { return __builtin_ffsll(bits); }
inline int __float_as_int(float value) { return std::bit_cast<int>(value); }
inline float __int_as_float(int bits) { return std::bit_cast<float>(bits); }
inline unsigned __float_as_uint(float value) { return std::bit_cast<unsigned>(value); }
inline float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
inline long long __double_as_longlong(double value) { return std::bit_cast<long long>(value); }
inline double __longlong_as_double(long long bits) { return std::bit_cast<double>(bits); }

// Hopper's instructions for dynamic programming: min(a + b, c), where the sum wraps round, and the
// minimum of three.

inline int __viaddmin_s32(int a, int b, int c) {
  return min(static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)), c);
}
inline int __vimin3_s32(int a, int b, int c) { return min(min(a, b), c); }
inline unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c) {
  unsigned result = 0;
  for (unsigned shift = 0; shift < 32; shift += 16) {
    const unsigned sum = (a >> shift) + (b >> shift);
    result |= min(sum & 0xffffu, (c >> shift) & 0xffffu) << shift;
  }
  return result;
}

// Launches.

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  std::tuple<std::remove_cv_t<Parameters>...> copies(std::forward<Arguments>(arguments)...);
  return emulator::launch(*config, reinterpret_cast<const void*>(kernel),
                          [kernel, copies] { std::apply(kernel, copies); });
}
