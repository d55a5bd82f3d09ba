// Calls while their k-th allocation fails, for every k.
#pragma once

#include "../../faults/allocations.hpp"
#include "core/error.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/memory/pinned_memory.hpp"
#endif

#include <chrono>
#include <exception>
#include <gtest/gtest.h>
#include <new>
#include <optional>
#include <thread>

namespace warpgraph::test {

inline std::size_t settled_blocks(faults::Kind kind) {
#if defined(WARPGRAPH_HAS_CUDA)
  cuda::free_idle_pinned();
#endif
  return faults::usage(kind, false).blocks;
}

/// Threads that have ended free their last memory shortly afterwards.
inline void expect_blocks(faults::Kind kind, std::size_t expected, std::int64_t k) {
  for (int i = 0; i < 100 && settled_blocks(kind) != expected; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(settled_blocks(kind), expected) << "blocks after allocation " << k << " has failed";
}

/// The result of the call on a thread of its own, which frees its caches when it ends; nothing if
/// it throws one of the two exceptions that say that memory is lacking.
template <class Call>
auto result_of(faults::Kind kind, std::int64_t k, Call&& call) {
  std::optional<decltype(call())> result;
  std::exception_ptr other;
  std::thread([&] {
    faults::fail(kind, k);
    try {
      result = call();
    } catch (const std::bad_alloc&) {
    } catch (const OutOfMemory&) {
    } catch (...) {
      other = std::current_exception();
    }
  }).join();
  if (other) std::rethrow_exception(other);
  return result;
}

/// The call returns what it returns without failures, or throws. It leaks nothing, and the next one
/// is right.
template <class Call>
void fail_each_allocation(faults::Kind kind, Call&& call) {
  const auto expected = result_of(kind, 0, call);
  ASSERT_EQ(result_of(kind, 0, call), expected);  // what is made once and kept has been made
  const std::size_t before = settled_blocks(kind);
  bool has_failed = true;
  std::int64_t k = 0;
  while (has_failed && !testing::Test::HasFailure()) {
    const auto result = result_of(kind, ++k, call);
    has_failed = faults::fail(kind, 0) == 0;
    if (result) {
      EXPECT_EQ(result, expected) << "when allocation " << k << " has failed";
    } else {
      EXPECT_TRUE(has_failed) << "memory is lacking although allocation " << k << " did not fail";
    }
    expect_blocks(kind, before, k);
  }
  EXPECT_EQ(result_of(kind, 0, call), expected);
  testing::Test::RecordProperty("allocations", std::to_string(k - 1));
}

}  // namespace warpgraph::test
