// A range of blocks from which host and device take work at opposite ends until it is empty.
// Private to this folder.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace warpgraph::mst {

struct BlockRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  [[nodiscard]] std::int64_t size() const noexcept { return last - first; }
};

/// Holds the blocks 0 .. n - 1, n < 2^32. Thread-safe.
class BlockDeque {
 public:
  explicit BlockDeque(std::int64_t n) : remaining_(pack(0, n)) {}

  /// Removes up to n blocks from the front; none when it is empty.
  BlockRange pop_front(std::int64_t n) noexcept {
    return pop([n](const BlockRange& left) {
      return BlockRange{left.first, std::min(left.first + n, left.last)};
    });
  }
  /// Removes up to n blocks from the back.
  BlockRange pop_back(std::int64_t n) noexcept {
    return pop([n](const BlockRange& left) {
      return BlockRange{std::max(left.last - n, left.first), left.last};
    });
  }
  [[nodiscard]] BlockRange remaining() const noexcept {
    return unpack(remaining_.load(std::memory_order_relaxed));
  }

 private:
  template <class Choose>
  BlockRange pop(Choose&& choose) noexcept {
    std::uint64_t seen = remaining_.load(std::memory_order_relaxed);
    for (;;) {
      const BlockRange left = unpack(seen);
      const BlockRange mine = choose(left);
      if (mine.size() == 0) return mine;
      const std::uint64_t rest =
          mine.first == left.first ? pack(mine.last, left.last) : pack(left.first, mine.first);
      if (remaining_.compare_exchange_weak(seen, rest, std::memory_order_relaxed)) return mine;
    }
  }
  static std::uint64_t pack(std::int64_t first, std::int64_t last) noexcept {
    return static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint64_t>(last);
  }
  static BlockRange unpack(std::uint64_t both) noexcept {
    return {static_cast<std::int64_t>(both >> 32), static_cast<std::int64_t>(both & 0xffffffffu)};
  }

  std::atomic<std::uint64_t> remaining_;
};

}  // namespace warpgraph::mst
