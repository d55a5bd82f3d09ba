// An upper bound on the memory of a search's lists, whose sizes are not known before it has run.
#pragma once

#include "core/memory/memory_budget.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace warpgraph {

/// Exception of a list that would grow beyond the budget. The search that set the budget falls back
/// to a method that needs less memory.
class ListBudgetExceeded : public std::bad_alloc {};

/// Budget of bytes for the lists of all threads of a search together.
class ListBudget {
 public:
  static constexpr std::size_t unbounded = MemoryBudget::no_limit;

  explicit ListBudget(std::size_t bytes) noexcept
      : is_bounded_(bytes != unbounded),
        left_(static_cast<std::int64_t>(std::min(bytes, unbounded / 2))) {}

  [[nodiscard]] bool is_bounded() const noexcept { return is_bounded_; }

  /// Takes bytes from the budget. Returns false, and takes nothing, if fewer are left.
  [[nodiscard]] bool take(std::size_t bytes) noexcept {
    const auto wanted = static_cast<std::int64_t>(bytes);
    if (left_.fetch_sub(wanted, std::memory_order_relaxed) >= wanted) return true;
    left_.fetch_add(wanted, std::memory_order_relaxed);
    return false;
  }
  void give_back(std::size_t bytes) noexcept {
    left_.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  }

 private:
  const bool is_bounded_;
  std::atomic<std::int64_t> left_;
};

}  // namespace warpgraph
