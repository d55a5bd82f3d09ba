// Calls so short that waking threads would take most of their time.
#pragma once

#include "core/threads/parallel.hpp"

#include <cstdint>

namespace warpgraph {

/// Runs parallel loops of this thread on it alone, until the destructor of the result, if their
/// work takes one core less time than is worth sharing. To wake a thread takes 5 to 20
/// microseconds, and several times as long on a busy machine. Results do not depend on the number
/// of threads.
[[nodiscard]] inline CallThreads threads_for(double nanoseconds) {
  constexpr double worthwhile = 100'000;
  return CallThreads(nanoseconds < worthwhile ? 1 : num_threads());
}

}  // namespace warpgraph
