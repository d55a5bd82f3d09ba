// Intrinsics of x86-64 processors: a header that takes a third of a second to compile.
#pragma once

#include "core/processor/instructions.hpp"

#if WARPGRAPH_X86_64
#include <immintrin.h>
#endif
