// Function multiversioning: loops that use the vector instructions of the processor they run on.
//
// A compiler for x86-64 may assume only SSE2. GCC compiles a function with this attribute several
// times, and the loader selects the version that the processor supports. The attribute has no
// effect on templates and on functions that are called without being inlined, so it belongs to
// plain functions that wrap an always_inline template. All versions round alike: contraction is off
// everywhere.
#pragma once

// The loader selects versions before the thread sanitizer has begun, which it does not survive.

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__)
#define WARPGRAPH_FOR_THIS_CPU __attribute__((target_clones("avx2", "default")))
#else
#define WARPGRAPH_FOR_THIS_CPU
#endif
