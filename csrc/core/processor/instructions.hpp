// Instructions that only some processors have. Code for them is here, in this folder, or between
// `#if WARPGRAPH_X86_64` and `#endif` beside portable code with the same bits; intrinsics.hpp
// has their names. Portable code that gains by vectors uses those of vectors.hpp, which are NEON's
// on arm64.
#pragma once

#if defined(__x86_64__)
#define WARPGRAPH_X86_64 1
#else
#define WARPGRAPH_X86_64 0
#endif

namespace warpgraph {

/// Tells the core that this thread spins, so that its other hardware thread may run for some
/// cycles.
inline void relax_core() noexcept {
#if WARPGRAPH_X86_64
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Prefetches a cache line for writing, in exclusive state. A line that was fetched for reading
/// would need a second request at the write.
template <class T>
[[gnu::always_inline]] inline void prefetch_for_write(const T* place) {
#if WARPGRAPH_X86_64
  // GCC compiles __builtin_prefetch(place, 1) to a prefetch for reading here, since its default
  // target includes the first x86-64 processors, for which prefetchw is a no-op.
  asm volatile("prefetchw %0" : : "m"(*place));
#else
  __builtin_prefetch(place, 1);
#endif
}

/// Returns whether the processor has vectors of 32 bytes; those of 2013 and later have.
inline bool has_avx2() noexcept {
#if WARPGRAPH_X86_64
  return __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

/// Returns whether it multiplies and adds with one rounding.
inline bool has_fma() noexcept {
#if WARPGRAPH_X86_64
  return __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

/// Returns whether it has vectors of 64 bytes, for numbers of every size.
inline bool has_avx512() noexcept {
#if WARPGRAPH_X86_64
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

/// Returns whether it also moves selected lanes of every size to the front of a vector.
inline bool has_avx512_compress() noexcept {
#if WARPGRAPH_X86_64
  return has_avx512() && __builtin_cpu_supports("avx512vbmi2");
#else
  return false;
#endif
}

}  // namespace warpgraph
