// Per-thread free lists of blocks: memory that a list has released is kept for the thread's next
// lists. A search of a road network takes two milliseconds; without this, a fifth of that went to
// page faults and to returning pages to the system, which serialises all threads of the process.
#pragma once

#include "core/memory/list_budget.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace warpgraph {

/// A block allocated by std::malloc.
struct Block {
  void* memory = nullptr;
  std::size_t bytes = 0;
};

/// The free lists of one thread. A block may have been allocated by another thread.
class SpareBlocks {
 public:
  /// Upper bound on the bytes that a thread keeps: enough for searches that are short enough to
  /// gain from it.
  static constexpr std::size_t max_kept = std::size_t{1} << 22;

  static SpareBlocks& of_this_thread() {
    static thread_local SpareBlocks blocks;
    return blocks;
  }

  SpareBlocks() = default;
  SpareBlocks(const SpareBlocks&) = delete;
  SpareBlocks& operator=(const SpareBlocks&) = delete;
  ~SpareBlocks() { clear(); }

  /// Returns all kept memory to the system.
  void clear() noexcept {
    if (budget_ != nullptr) budget_->give_back(kept_);
    for (Spare*& first : first_) {
      while (first != nullptr) std::free(std::exchange(first, first->next));
    }
    kept_ = 0;
  }

  /// Returns a block of at least `bytes`, which is a power of two. Throws std::bad_alloc, or
  /// ListBudgetExceeded.
  Block take(std::size_t bytes) {
    for (std::size_t c = class_of(bytes); c < first_.size(); ++c) {
      Spare* const spare = first_[c];
      if (spare == nullptr) continue;
      first_[c] = spare->next;
      const std::size_t size = std::size_t{1} << c;
      kept_ -= size;
      return {spare, size};
    }
    take_from_budget(bytes);
    void* const memory = std::malloc(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return {memory, bytes};
  }

  /// Replaces a block, whose size is a power of two, by one of twice the size with the same
  /// content.
  Block grow(Block block) {
    Block larger;
    if (block.bytes >= max_kept) {
      take_from_budget(2 * block.bytes);
      // realloc() remaps the pages of large blocks instead of copying their content.
      larger = {std::realloc(block.memory, 2 * block.bytes), 2 * block.bytes};
      if (larger.memory == nullptr) throw std::bad_alloc();
      return_to_budget(block.bytes);
    } else {
      larger = take(2 * block.bytes);
      std::memcpy(larger.memory, block.memory, block.bytes);
      give(block);
    }
    return larger;
  }

  /// Keeps or frees a block whose size is a power of two.
  void give(Block block) noexcept {
    if (block.bytes < sizeof(Spare) || block.bytes > max_kept - kept_) {
      std::free(block.memory);
      return_to_budget(block.bytes);
      return;
    }
    Spare*& first = first_[class_of(block.bytes)];
    first = new (block.memory) Spare{first};
    kept_ += block.bytes;
  }

 private:
  struct Spare {
    Spare* next;
  };

  friend class WithListBudget;
  friend class WithoutListBudget;

  /// Frees the kept blocks if the budget is too small otherwise.
  void take_from_budget(std::size_t bytes) {
    if (budget_ == nullptr || budget_->take(bytes)) return;
    clear();
    if (!budget_->take(bytes)) throw ListBudgetExceeded();
  }

  void return_to_budget(std::size_t bytes) noexcept {
    if (budget_ != nullptr) budget_->give_back(bytes);
  }

  static std::size_t class_of(std::size_t bytes) noexcept {
    return static_cast<std::size_t>(std::bit_width(bytes)) - 1;
  }

  std::array<Spare*, std::bit_width(max_kept)> first_{};  // by size class
  std::size_t kept_ = 0;
  // Budget of the search that the thread is part of, if it is bounded.
  ListBudget* budget_ = nullptr;
};

/// Scope in which the lists of this thread take their memory from a budget. If the budget is
/// bounded, kept blocks are freed at the beginning and at the end.
class WithListBudget {
 public:
  explicit WithListBudget(ListBudget& budget) noexcept : blocks_(SpareBlocks::of_this_thread()) {
    if (!budget.is_bounded()) return;
    blocks_.clear();
    blocks_.budget_ = &budget;
  }
  ~WithListBudget() {
    if (blocks_.budget_ == nullptr) return;
    blocks_.clear();
    blocks_.budget_ = nullptr;
  }
  WithListBudget(const WithListBudget&) = delete;
  WithListBudget& operator=(const WithListBudget&) = delete;

 private:
  SpareBlocks& blocks_;
};

/// Scope in which the lists of this thread take their memory from no budget.
class WithoutListBudget {
 public:
  WithoutListBudget() noexcept : blocks_(SpareBlocks::of_this_thread()), budget_(blocks_.budget_) {
    if (budget_ == nullptr) return;
    blocks_.clear();  // kept blocks count in the budget
    blocks_.budget_ = nullptr;
  }
  ~WithoutListBudget() {
    if (budget_ == nullptr) return;
    blocks_.clear();
    blocks_.budget_ = budget_;
  }
  WithoutListBudget(const WithoutListBudget&) = delete;
  WithoutListBudget& operator=(const WithoutListBudget&) = delete;

 private:
  SpareBlocks& blocks_;
  ListBudget* const budget_;
};

}  // namespace warpgraph
