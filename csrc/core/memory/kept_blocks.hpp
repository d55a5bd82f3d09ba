// Freed blocks of memory that are kept for later allocations. Private to host_memory.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace warpgraph {

struct KeptBlock {
  void* memory = nullptr;
  std::size_t capacity = 0;
  std::size_t used = 0;       // bytes from the front that have pages
  std::uint64_t kept_at = 0;  // time on the clock of KeptBlocks; 0 in free places
};

/// Freed blocks that are kept. Any thread may call any function, and none waits: while another
/// thread is inside, no block is found or kept. So a process that is forked at such a moment does
/// not wait for a thread that it lacks.
template <class Free>
class KeptBlocks {
 public:
  /// Makes an empty store; `free(block)` is called for each block that is no longer kept.
  explicit KeptBlocks(Free free) noexcept : free_(free) {}

  /// Returns the kept block that suits `bytes` best: the one with fewest pages of those with
  /// enough, else the one with most. If all are too small, frees as much as the caller will
  /// allocate, and returns no memory. So kept blocks never add to the most memory that has been in
  /// use.
  [[nodiscard]] KeptBlock take(std::size_t bytes) noexcept {
    const TryLock lock(busy_);
    if (!lock.held) return {};
    KeptBlock* best = nullptr;
    for (KeptBlock& block : blocks_) {
      if (block.capacity < bytes) continue;
      if (best == nullptr || suits_better(block, *best, bytes)) best = &block;
    }
    if (best != nullptr) return remove(*best);
    const std::size_t goal = total() - std::min(total(), bytes);
    while (total() > goal) free_oldest();
    return {};
  }

  /// Keeps a block and frees the oldest ones, so that at most `most` bytes are kept. Returns false
  /// if the block is not kept.
  bool keep(KeptBlock block, std::size_t most) noexcept {
    if (block.used > most) return false;
    const TryLock lock(busy_);
    if (!lock.held) return false;
    while (total() + block.used > most || first_free() == blocks_.end()) free_oldest();
    block.kept_at = ++clock_;
    *first_free() = block;
    total_.fetch_add(block.used, std::memory_order_relaxed);
    return true;
  }

  void clear() noexcept {
    const TryLock lock(busy_);
    while (lock.held && total() > 0) free_oldest();
  }

  /// Returns the bytes that kept blocks use.
  [[nodiscard]] std::size_t total() const noexcept {
    return total_.load(std::memory_order_relaxed);
  }

 private:
  class TryLock {
   public:
    explicit TryLock(std::atomic_flag& flag) noexcept
        : held(!flag.test_and_set(std::memory_order_acquire)), flag_(flag) {}
    ~TryLock() {
      if (held) flag_.clear(std::memory_order_release);
    }
    TryLock(const TryLock&) = delete;
    TryLock& operator=(const TryLock&) = delete;

    const bool held;

   private:
    std::atomic_flag& flag_;
  };

  static bool suits_better(const KeptBlock& a, const KeptBlock& b, std::size_t bytes) noexcept {
    if ((a.used >= bytes) != (b.used >= bytes)) return a.used >= bytes;
    return a.used >= bytes ? a.used < b.used : a.used > b.used;
  }

  auto first_free() noexcept {
    return std::ranges::find(blocks_, std::uint64_t{0}, &KeptBlock::kept_at);
  }
  KeptBlock remove(KeptBlock& block) noexcept {
    total_.fetch_sub(block.used, std::memory_order_relaxed);
    return std::exchange(block, KeptBlock{});
  }
  void free_oldest() noexcept {
    // Free places come last.
    const auto age = [](const KeptBlock& block) { return block.kept_at - 1; };
    free_(remove(*std::ranges::min_element(blocks_, {}, age)));
  }

  static constexpr std::size_t max_blocks = 64;

  Free free_;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  std::array<KeptBlock, max_blocks> blocks_{};
  std::uint64_t clock_ = 0;
  std::atomic<std::size_t> total_{0};
};

}  // namespace warpgraph
