// Vectors of numbers, and code that is compiled for the widest ones of this machine.
#pragma once

namespace warpgraph {

/// A GCC vector of `bytes` bytes.
template <class Number, int bytes>
struct VectorOf {
  typedef Number type __attribute__((vector_size(bytes), may_alias));
  /// In memory that is aligned only as its numbers are.
  typedef Number unaligned __attribute__((vector_size(bytes), may_alias, aligned(sizeof(Number))));
};

/// Bytes of the longest vectors.
inline constexpr int longest_vector = 64;

namespace detail {

#if defined(__x86_64__)
template <class Loop>
[[gnu::target("avx2")]] auto run_with_avx2(const Loop& loop) {
  return loop.template operator()<32>();
}
#endif

// GCC has a name for the instructions of AVX-512 that all such machines have from version 12 on.
#if defined(__x86_64__) && !defined(__clang__) && __GNUC__ >= 12
template <class Loop>
[[gnu::target("arch=x86-64-v4")]] auto run_with_avx512(const Loop& loop) {
  return loop.template operator()<longest_vector>();
}
#endif

}  // namespace detail

/// loop.operator()<bytes>() for vectors of AVX2, if the machine has them, or of 16 bytes. The
/// operator and what it calls must be always_inline, to be compiled for these vectors.
template <class Loop>
auto with_widest_vectors(const Loop& loop) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return detail::run_with_avx2(loop);
#endif
  return loop.template operator()<16>();
}

/// The same for loops that also gain by the 32 registers and the masks of AVX-512.
template <class Loop>
auto with_longest_vectors(const Loop& loop) {
#if defined(__x86_64__) && !defined(__clang__) && __GNUC__ >= 12
  if (__builtin_cpu_supports("x86-64-v4")) return detail::run_with_avx512(loop);
#endif
  return with_widest_vectors(loop);
}

}  // namespace warpgraph
