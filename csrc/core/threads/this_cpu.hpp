// Loops for the vector instructions of the processor at hand.
//
// A compiler for x86-64 may assume SSE2 alone. GCC compiles a function with this attribute more
// than once, and the loader picks the one that the processor can run. The attribute is lost on
// templates and on what is called without being inlined, so it stands at plain functions that wrap
// an always_inline template. All compilations round alike: contraction is off everywhere.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__)
#define WARPGRAPH_FOR_THIS_CPU __attribute__((target_clones("avx2", "default")))
#else
#define WARPGRAPH_FOR_THIS_CPU
#endif

// The same for loops of floating-point numbers that gain by the 32 registers and the masks of
// AVX-512, too. GCC names that level from version 12 on.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && __GNUC__ >= 12
#define WARPGRAPH_FOR_THIS_CPU_UP_TO_AVX512 \
  __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define WARPGRAPH_FOR_THIS_CPU_UP_TO_AVX512 WARPGRAPH_FOR_THIS_CPU
#endif
