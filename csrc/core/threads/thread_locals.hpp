// Memory for the thread-local variables of a new thread.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <exception>

namespace warpgraph {

/// Bytes of the thread-local variables of this module, CUDA's runtime (readelf -lW: 12 KiB, aligned
/// to 4), the C++ library and others.
inline constexpr std::size_t bytes_of_thread_locals = std::size_t{1} << 15;

/// Allocates the thread-local variables of exceptions, for which there may be no memory when an
/// allocation fails.
inline void prepare_to_throw() noexcept {
  // The function is pure: its call would be left out if its result were not written.
  [[maybe_unused]] const volatile int n = std::uncaught_exceptions();
}

/// Returns whether the calling thread can allocate its thread-local variables. If it cannot when it
/// accesses one for the first time, the C library ends the process. So this comes before, and
/// without exceptions, which have such variables, too. They find the memory that this has allocated
/// and freed.
[[nodiscard, gnu::noipa]] inline bool can_have_thread_locals() noexcept {
  void* const memory = std::malloc(bytes_of_thread_locals);
  std::free(memory);
  if (memory != nullptr) prepare_to_throw();
  return memory != nullptr;
}

}  // namespace warpgraph
