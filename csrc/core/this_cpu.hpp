// Loops for the vector instructions of the processor at hand.
//
// A compiler for x86-64 may assume SSE2 alone. GCC compiles a function with this attribute twice,
// and the loader picks the one that the processor can run. The attribute is lost on templates and
// on what is called without being inlined, so it stands at plain functions that wrap an
// always_inline template. Both compilations round alike: contraction is off everywhere.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__)
#define WARPGRAPH_FOR_THIS_CPU __attribute__((target_clones("avx2", "default")))
#else
#define WARPGRAPH_FOR_THIS_CPU
#endif
