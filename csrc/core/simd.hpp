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

namespace detail {

#if defined(__x86_64__)
template <class Loop>
[[gnu::target("avx2")]] auto run_with_avx2(const Loop& loop) {
  return loop.template operator()<32>();
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

}  // namespace warpgraph
