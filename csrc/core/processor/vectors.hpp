// Vectors of numbers, and code that is compiled for the widest ones of this machine.
#pragma once

#include "core/processor/instructions.hpp"

namespace warpgraph {

/// A GCC vector of `bytes` bytes.
template <class Number, int bytes>
struct VectorOf {
  typedef Number type __attribute__((vector_size(bytes), may_alias));
  /// A vector in memory that is aligned only as its numbers are.
  typedef Number unaligned __attribute__((vector_size(bytes), may_alias, aligned(sizeof(Number))));
};

/// Bytes of the longest vectors.
inline constexpr int longest_vector = 64;

namespace detail {

#if WARPGRAPH_X86_64
template <class Loop>
[[gnu::target("avx2")]] auto run_with_avx2(const Loop& loop) {
  return loop.template operator()<32>();
}
#endif

// GCC has a name for the instructions of AVX-512 that all such machines have from version 12 on.
#if WARPGRAPH_X86_64 && !defined(__clang__) && __GNUC__ >= 12
template <class Loop>
[[gnu::target("arch=x86-64-v4")]] auto run_with_avx512(const Loop& loop) {
  return loop.template operator()<longest_vector>();
}
#endif

}  // namespace detail

/// Returns whether this is an x86-64 that has vectors of 16 bytes only; those of 2013 and later
/// have AVX2.
inline bool has_only_short_vectors() { return WARPGRAPH_X86_64 && !has_avx2(); }

/// Calls loop.operator()<bytes>() for vectors of AVX2, if the machine has them, or of 16 bytes. The
/// operator and what it calls must be always_inline, to be compiled for these vectors.
/// If not `may_be_short`, has_only_short_vectors() must be false, and vectors of 16 bytes are not
/// compiled.
template <bool may_be_short = true, class Loop>
auto with_widest_vectors(const Loop& loop) {
#if WARPGRAPH_X86_64
  if constexpr (!may_be_short) {
    return detail::run_with_avx2(loop);
  } else {
    if (!has_only_short_vectors()) return detail::run_with_avx2(loop);
    return loop.template operator()<16>();
  }
#else
  return loop.template operator()<16>();
#endif
}

/// Calls a loop that also gains by the 32 registers and the masks of AVX-512, with the vectors of
/// AVX-512 if the machine has them.
template <bool may_be_short = true, class Loop>
auto with_longest_vectors(const Loop& loop) {
#if WARPGRAPH_X86_64 && !defined(__clang__) && __GNUC__ >= 12
  if (__builtin_cpu_supports("x86-64-v4")) return detail::run_with_avx512(loop);
#endif
  return with_widest_vectors<may_be_short>(loop);
}

}  // namespace warpgraph
