// Stable parallel LSD radix sort by an unsigned key. Faster than comparison sorts from some ten
// thousand items on, and its time does not depend on the order of the input.
//
// A pass moves 32 bits of the key and the index of the item. A 64-bit key is first sorted by the
// highest 32 bits in which keys differ. That usually leaves few and short runs of equal bits, which
// insertion sort orders by the whole keys, with half the passes. If it leaves long runs, the items
// are sorted by all bits, least significant digit first.
#pragma once

#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace warpgraph {

/// The index of an item, and the 32 bits of its key that it was last sorted by.
struct SortedItem {
  std::uint32_t word;
  std::uint32_t index;
};

namespace detail {

/// Number of bits of a digit: 256 write streams fit the first-level cache; many more do not.
inline constexpr unsigned radix_bits = 8;
inline constexpr std::size_t radix_buckets = std::size_t{1} << radix_bits;
/// Returns the number of items per block: many times the number of buckets, but few enough for
/// several blocks per thread and for a quick reaction to Ctrl-C.
inline std::int64_t radix_block(std::int64_t n) {
  constexpr std::int64_t smallest = 1 << 12;
  constexpr std::int64_t largest = 1 << 16;
  return std::clamp(n / (4 * static_cast<std::int64_t>(num_threads())), smallest, largest);
}
inline constexpr std::int64_t short_run = 32;  // the longest run that insertion sort gets

using SortedItems = HostArray<SortedItem>;
using RadixCounts = std::array<std::int64_t, radix_buckets>;

inline std::size_t digit(SortedItem item, unsigned shift) {
  return (item.word >> shift) & (radix_buckets - 1);
}

/// Computes where the first item of each digit of each block goes: an exclusive scan of the blocks'
/// counts, digit by digit.
inline void scan_counts(std::vector<RadixCounts>& blocks) {
  std::int64_t next = 0;
  for (std::size_t d = 0; d < radix_buckets; ++d) {
    for (RadixCounts& counts : blocks) next += std::exchange(counts[d], next);
  }
}

inline void radix_pass(const SortedItem* from, SortedItem* to, std::int64_t n, unsigned shift) {
  const std::int64_t block = radix_block(n);
  std::vector<RadixCounts> blocks(static_cast<std::size_t>((n + block - 1) / block));
  parallel_blocks(n, block, [&](int, std::int64_t first, std::int64_t last) {
    RadixCounts& counts = blocks[static_cast<std::size_t>(first / block)];
    for (std::int64_t i = first; i < last; ++i) ++counts[digit(from[i], shift)];
  });
  scan_counts(blocks);
  parallel_blocks(n, block, [&](int, std::int64_t first, std::int64_t last) {
    RadixCounts next = blocks[static_cast<std::size_t>(first / block)];
    for (std::int64_t i = first; i < last; ++i) to[next[digit(from[i], shift)]++] = from[i];
  });
}

/// Sets the items' words to word_of(index) and sorts by them. `differing` has the bits in which
/// words differ; digits without such a bit take no pass.
template <class WordOf>
void sort_by_word(SortedItems& items, SortedItems& spare, std::int64_t n, std::uint32_t differing,
                  WordOf&& word_of) {
  parallel_for(n, [&](std::int64_t i) { items[i].word = word_of(items[i].index); });
  for (unsigned shift = 0; shift < 32; shift += radix_bits) {
    if (((differing >> shift) & (radix_buckets - 1)) == 0) continue;
    radix_pass(items.get(), spare.get(), n, shift);
    std::swap(items, spare);
  }
}

/// Returns whether no run of items with the same word is longer than `longest`.
inline bool has_short_runs(const SortedItem* items, std::int64_t n, std::int64_t longest) {
  return parallel_reduce(
      n - longest, true, [&](std::int64_t i) { return items[i].word != items[i + longest].word; },
      std::logical_and<>{});
}

/// Sorts at most short_run items by whole keys: a stable insertion sort. Calls key_of once per
/// item, since each call may miss the cache.
template <class KeyOf>
void insertion_sort(SortedItem* items, std::int64_t n, KeyOf&& key_of) {
  using Key = decltype(key_of(std::int64_t{0}));
  std::array<Key, short_run> keys;
  for (std::int64_t i = 0; i < n; ++i) {
    const SortedItem item = items[i];
    const Key key = key_of(item.index);
    std::int64_t place = i;
    for (; place > 0 && key < keys[static_cast<std::size_t>(place - 1)]; --place) {
      items[place] = items[place - 1];
      keys[static_cast<std::size_t>(place)] = keys[static_cast<std::size_t>(place - 1)];
    }
    items[place] = item;
    keys[static_cast<std::size_t>(place)] = key;
  }
}

/// Sorts each run of items with the same word by their keys. No run is longer than short_run.
template <class KeyOf>
void sort_runs(SortedItem* items, std::int64_t n, KeyOf&& key_of) {
  const auto starts_run = [&](std::int64_t i) { return items[i].word != items[i - 1].word; };
  const std::int64_t block = radix_block(n);
  const std::int64_t n_blocks = (n + block - 1) / block;
  // The start of the first run of each block. Computed before any item moves, since a run may end
  // in the next block.
  std::vector<std::int64_t> cuts(static_cast<std::size_t>(n_blocks) + 1, 0);
  parallel_for(
      n_blocks,
      [&](std::int64_t b) {
        std::int64_t i = std::min((b + 1) * block, n);
        while (i < n && !starts_run(i)) ++i;
        cuts[static_cast<std::size_t>(b) + 1] = i;
      },
      1);
  parallel_for(
      n_blocks,
      [&](std::int64_t b) {
        const std::int64_t last = cuts[static_cast<std::size_t>(b) + 1];
        for (std::int64_t first = cuts[static_cast<std::size_t>(b)], end; first < last;
             first = end) {
          for (end = first + 1; end < last && !starts_run(end);) ++end;
          if (end - first == 1) continue;
          insertion_sort(items + first, end - first, key_of);
        }
      },
      1);
}

}  // namespace detail

/// Returns the indices 0 .. n - 1, n < 2^32, stably sorted by key_of(index), an unsigned integer of
/// 32 or 64 bits.
template <class KeyOf>
HostArray<SortedItem> sorted_by_key(std::int64_t n, KeyOf&& key_of) {
  using Key = decltype(key_of(std::int64_t{0}));
  using detail::sort_by_word;
  HostArray<SortedItem> items(n);
  HostArray<SortedItem> spare(n);
  if (n == 0) return items;
  parallel_for(n, [&](std::int64_t i) { items[i].index = static_cast<std::uint32_t>(i); });
  const Key reference = key_of(0);
  const Key differing = parallel_reduce(
      n, Key{0}, [&](std::int64_t i) { return key_of(i) ^ reference; },
      [](Key a, Key b) { return a | b; });
  const int surplus = std::max(0, static_cast<int>(std::bit_width(differing)) - 32);
  const auto high = [&](std::int64_t i) {
    return static_cast<std::uint32_t>(key_of(i) >> surplus);
  };
  const auto low = [&](std::int64_t i) { return static_cast<std::uint32_t>(key_of(i)); };
  const auto high_bits = static_cast<std::uint32_t>(differing >> surplus);
  sort_by_word(items, spare, n, high_bits, high);
  const Key below_high = (Key{1} << surplus) - 1;
  if ((differing & below_high) == 0) return items;
  if (detail::has_short_runs(items.get(), n, detail::short_run)) {
    detail::sort_runs(items.get(), n, key_of);
    return items;
  }
  sort_by_word(items, spare, n, static_cast<std::uint32_t>(differing & below_high), low);
  sort_by_word(items, spare, n, high_bits, high);
  return items;
}

}  // namespace warpgraph
