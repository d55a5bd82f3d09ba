// Memory that lists of a thread are done with, kept for its next ones. A search of a road network
// takes two milliseconds; without this, a fifth of them went to the faults of fresh pages and to
// giving pages back, for which all threads of the process wait for each other.
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

/// A block of std::malloc's.
struct Block {
  void* memory = nullptr;
  std::size_t bytes = 0;
};

/// Belongs to one thread, though a block may have come from another.
class SpareBlocks {
 public:
  /// What a thread keeps at most: enough for a search that is worth hurrying for.
  static constexpr std::size_t most_kept = std::size_t{1} << 22;

  static SpareBlocks& of_this_thread() {
    static thread_local SpareBlocks blocks;
    return blocks;
  }

  SpareBlocks() = default;
  SpareBlocks(const SpareBlocks&) = delete;
  SpareBlocks& operator=(const SpareBlocks&) = delete;
  ~SpareBlocks() { clear(); }

  /// Gives all memory that is kept back to the system.
  void clear() noexcept {
    if (budget_ != nullptr) budget_->give_back(kept_);
    for (Spare*& first : first_) {
      while (first != nullptr) std::free(std::exchange(first, first->next));
    }
    kept_ = 0;
  }

  /// A block of `bytes` at least, a power of two. Throws std::bad_alloc, or ListBudgetExceeded.
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

  /// A block of twice the size with the same content, for one whose size is a power of two.
  Block grow(Block block) {
    Block larger;
    if (block.bytes >= most_kept) {
      take_from_budget(2 * block.bytes);
      // realloc() moves pages where there are many instead of copying what is on them.
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

  /// Takes a block whose size is a power of two.
  void give(Block block) noexcept {
    if (block.bytes < sizeof(Spare) || block.bytes > most_kept - kept_) {
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

  /// What is kept makes way for what is needed.
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

  std::array<Spare*, std::bit_width(most_kept)> first_{};  // by class
  std::size_t kept_ = 0;
  ListBudget* budget_ = nullptr;  // of the search that the thread is part of, if it is bounded
};

/// While it lives, the lists of this thread take their memory from a budget. What the thread keeps
/// from before it gives back, and what it keeps afterwards, unless the budget is unbounded.
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

}  // namespace warpgraph
