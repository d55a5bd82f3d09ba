// Memory that lists of a thread are done with, kept for its next ones. A search of a road network
// takes two milliseconds; without this, a fifth of them went to the faults of fresh pages and to
// giving pages back, for which all threads of the process wait for each other.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
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
  ~SpareBlocks() {
    for (Spare* first : first_) {
      while (first != nullptr) std::free(std::exchange(first, first->next));
    }
  }

  /// A block of `bytes` at least, a power of two. Throws std::bad_alloc.
  Block take(std::size_t bytes) {
    for (std::size_t c = class_of(bytes); c < first_.size(); ++c) {
      Spare* const spare = first_[c];
      if (spare == nullptr) continue;
      first_[c] = spare->next;
      const std::size_t size = std::size_t{1} << c;
      kept_ -= size;
      return {spare, size};
    }
    void* const memory = std::malloc(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return {memory, bytes};
  }

  /// Takes a block whose size is a power of two.
  void give(Block block) noexcept {
    if (block.bytes < sizeof(Spare) || block.bytes > most_kept - kept_) {
      std::free(block.memory);
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

  static std::size_t class_of(std::size_t bytes) noexcept {
    return static_cast<std::size_t>(std::bit_width(bytes)) - 1;
  }

  std::array<Spare*, std::bit_width(most_kept)> first_{};  // by class
  std::size_t kept_ = 0;
};

}  // namespace warpgraph
