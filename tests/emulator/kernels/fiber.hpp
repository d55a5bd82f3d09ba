// Fibers: stacks that a scheduler switches between on one OS thread.
#pragma once

#include <cstddef>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace emulator {

/// Where execution stopped, to be resumed by switch_context.
#if defined(__x86_64__)
using Context = void*;  // the stack pointer; everything else lies on the stack
#else
using Context = ucontext_t;
#endif

/// Leaves the running context, to be resumed through `from`, and resumes `to`.
void switch_context(Context& from, Context& to);

/// A stack with an unmapped page below it, so that an overflow is a fault instead
/// of a write to another stack.
class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// The next switch to context() calls `entry`, which must never return. What ran on the stack
  /// before is discarded.
  void prepare(void (*entry)());
  [[nodiscard]] Context& context() noexcept { return context_; }

 private:
  char* memory_;
  Context context_{};
};

}  // namespace emulator
