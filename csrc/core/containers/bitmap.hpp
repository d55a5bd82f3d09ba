// A bitmap, one bit per vertex, with atomic updates.
#pragma once

#include "core/atomics.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace warpgraph {

/// View of a bitmap, for host and device.
struct BitmapView {
  std::uint64_t* words;

  WARPGRAPH_HOST_DEVICE bool test(std::int64_t i) const noexcept {
    return (relaxed_load(words[i >> 6]) >> (i & 63)) & 1u;
  }
  /// Sets a bit without an atomic operation: no other thread may write to the word.
  WARPGRAPH_HOST_DEVICE void set(std::int64_t i) const noexcept {
    words[i >> 6] |= std::uint64_t{1} << (i & 63);
  }
  WARPGRAPH_HOST_DEVICE void set_atomically(std::int64_t i) const noexcept {
    add_to_word(i >> 6, std::uint64_t{1} << (i & 63));
  }
  /// Sets bit first + k for every bit k of `bits`, atomically.
  WARPGRAPH_HOST_DEVICE void set_atomically(std::int64_t first, std::uint64_t bits) const noexcept {
    const std::int64_t shift = first & 63;
    add_to_word(first >> 6, bits << shift);
    if (shift != 0) add_to_word((first >> 6) + 1, bits >> (64 - shift));
  }

 private:
  WARPGRAPH_HOST_DEVICE void add_to_word(std::int64_t word, std::uint64_t bits) const noexcept {
    if (bits == 0) return;
#if defined(__CUDA_ARCH__)
    atomicOr(reinterpret_cast<unsigned long long*>(&words[word]),
             static_cast<unsigned long long>(bits));
#else
    std::atomic_ref<std::uint64_t>(words[word]).fetch_or(bits, std::memory_order_relaxed);
#endif
  }
};

class Bitmap {
 public:
  explicit Bitmap(std::int64_t n_bits) : words_(static_cast<std::size_t>((n_bits + 63) / 64)) {}
  [[nodiscard]] BitmapView view() noexcept { return {words_.data()}; }
  [[nodiscard]] std::span<std::uint64_t> words() noexcept { return words_; }
  void clear() { std::fill(words_.begin(), words_.end(), 0); }

  /// Sets bit i to predicate(i) for i in 0 .. n_bits - 1, on all threads. A thread owns whole
  /// words, so it needs no atomics. `n_bits` is that of the constructor.
  template <class Predicate>
  void fill(std::int64_t n_bits, Predicate&& predicate) {
    constexpr std::int64_t words_per_block = 64;
    parallel_for(
        std::ssize(words_),
        [&](std::int64_t w) {
          std::uint64_t word = 0;
          const std::int64_t last = std::min<std::int64_t>(64 * w + 64, n_bits);
          for (std::int64_t i = 64 * w; i < last; ++i) {
            word |= static_cast<std::uint64_t>(predicate(i)) << (i % 64);
          }
          words_[static_cast<std::size_t>(w)] = word;
        },
        words_per_block);
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace warpgraph
