// A limit for memory that a call allocates step by step, where the total is not known before. A
// call ends at this limit; a search that goes on by another method has a ListBudget instead.
#pragma once

#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"

#include <atomic>
#include <cstddef>

namespace warpgraph {

class MemoryMeter {
 public:
  /// Makes a meter; without a limit, free memory is not checked either. `what` and `advice` are
  /// parts of the error's sentence.
  MemoryMeter(const char* what, MemoryBudget budget, const char* advice)
      : what_(what), advice_(advice), limit_(budget.left()) {}

  /// Counts `bytes` that a thread is about to allocate. Throws OutOfMemory, with these bytes
  /// counted, if the total exceeds the limit.
  void take(std::size_t bytes) {
    const std::size_t taken = taken_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (taken <= limit_) return;
    throw OutOfMemory(concat(what_, " needs ", format_bytes(taken), " or more on cpu, but ",
                             what_there_is(limit_, true, advice_)));
  }
  void give_back(std::size_t bytes) noexcept { taken_.fetch_sub(bytes, std::memory_order_relaxed); }

 private:
  const char* what_;
  const char* advice_;
  std::size_t limit_;
  std::atomic<std::size_t> taken_{0};
};

}  // namespace warpgraph
