// Sets of the sources of a batch, a bit each, and their transposition. Not for use outside this
// folder.
#pragma once

#include <bit>
#include <cstdint>

namespace warpgraph::bfs_detail {

/// A set of 64 * n_words sources, a bit each.
template <int n_words>
struct SourceSet {
  std::uint64_t words[n_words];

  [[nodiscard]] bool empty() const noexcept {
    std::uint64_t any = 0;
    for (const std::uint64_t word : words) any |= word;
    return any == 0;
  }
  void insert(int source) noexcept { words[source / 64] |= std::uint64_t{1} << (source % 64); }
  [[nodiscard]] int size() const noexcept {
    int n = 0;
    for (const std::uint64_t word : words) n += std::popcount(word);
    return n;
  }
  SourceSet& operator|=(const SourceSet& other) noexcept {
    for (int w = 0; w < n_words; ++w) words[w] |= other.words[w];
    return *this;
  }
  friend SourceSet operator&(SourceSet a, const SourceSet& b) noexcept {
    for (int w = 0; w < n_words; ++w) a.words[w] &= b.words[w];
    return a;
  }
  /// Returns the members of a that are not in b.
  friend SourceSet operator-(SourceSet a, const SourceSet& b) noexcept {
    for (int w = 0; w < n_words; ++w) a.words[w] &= ~b.words[w];
    return a;
  }

  /// Calls visit(source) for each member.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (int w = 0; w < n_words; ++w) {
      for (std::uint64_t bits = words[w]; bits != 0; bits &= bits - 1) {
        visit(64 * w + std::countr_zero(bits));
      }
    }
  }
};

/// Transposes bits: bit j of rows[i] becomes bit i of rows[j]. Divides the matrix into four squares
/// of 32 x 32 bits and exchanges the two off the diagonal, then does so in each square, with 16, 8,
/// ... bits.
inline void transpose_bits(std::uint64_t (&rows)[64]) noexcept {
  std::uint64_t low_half = 0xffffffffu;  // of each 2 * width columns
  for (int width = 32; width != 0; width /= 2, low_half ^= low_half << width) {
    for (int i = 0; i < 64; ++i) {
      if ((i & width) != 0) continue;
      const std::uint64_t differing = ((rows[i] >> width) ^ rows[i + width]) & low_half;
      rows[i] ^= differing << width;
      rows[i + width] ^= differing;
    }
  }
}

}  // namespace warpgraph::bfs_detail
