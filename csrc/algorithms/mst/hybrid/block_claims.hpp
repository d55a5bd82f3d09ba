// Blocks of work that two sides take from both ends until they meet. Private to this folder.
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

/// Of the blocks 0 .. n - 1, n < 2^32. Any thread may claim.
class BlockClaims {
 public:
  explicit BlockClaims(std::int64_t n) : left_(pack(0, n)) {}

  /// Up to n blocks from the front; none when none are left.
  BlockRange from_front(std::int64_t n) noexcept {
    return claim([n](const BlockRange& left) {
      return BlockRange{left.first, std::min(left.first + n, left.last)};
    });
  }
  /// Up to n blocks from the back.
  BlockRange from_back(std::int64_t n) noexcept {
    return claim([n](const BlockRange& left) {
      return BlockRange{std::max(left.last - n, left.first), left.last};
    });
  }
  [[nodiscard]] BlockRange left() const noexcept {
    return unpack(left_.load(std::memory_order_relaxed));
  }

 private:
  template <class Choose>
  BlockRange claim(Choose&& choose) noexcept {
    std::uint64_t seen = left_.load(std::memory_order_relaxed);
    for (;;) {
      const BlockRange left = unpack(seen);
      const BlockRange mine = choose(left);
      if (mine.size() == 0) return mine;
      const std::uint64_t rest =
          mine.first == left.first ? pack(mine.last, left.last) : pack(left.first, mine.first);
      if (left_.compare_exchange_weak(seen, rest, std::memory_order_relaxed)) return mine;
    }
  }
  static std::uint64_t pack(std::int64_t first, std::int64_t last) noexcept {
    return static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint64_t>(last);
  }
  static BlockRange unpack(std::uint64_t both) noexcept {
    return {static_cast<std::int64_t>(both >> 32), static_cast<std::int64_t>(both & 0xffffffffu)};
  }

  std::atomic<std::uint64_t> left_;
};

}  // namespace warpgraph::mst
