// A list that parallel rounds filter in place. Each block of items is compacted to its own front,
// so no item moves between blocks, and there is no second list.
#pragma once

#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"

#include <span>

namespace warpgraph {

struct NoVisit {
  template <class T>
  void operator()(const T&) const noexcept {}
};

template <class T>
class ShrinkingList {
 public:
  /// Fills the list with make(i) for i in 0 .. n - 1.
  template <class Make>
  ShrinkingList(std::int64_t n, Make&& make)
      : items_(n), kept_(static_cast<std::size_t>((n + block - 1) / block)) {
    parallel_blocks(n, block, [&](int, std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) items_[i] = make(i);
      kept_[static_cast<std::size_t>(first / block)] = last - first;
    });
  }

  /// Calls keep(item) for every item, which may change it, and drops those for which it returns
  /// false, without a branch on that. Then calls visit(items) for those of the block that are left.
  /// Calls prefetch(item) some items before keep(item). Returns the number of items that are left
  /// in all blocks.
  template <class Keep, class Prefetch = NoVisit, class Visit = NoVisit>
  std::int64_t retain(Keep&& keep, Prefetch&& prefetch = {}, Visit&& visit = {}) {
    const std::int64_t left = parallel_reduce(
        static_cast<std::int64_t>(kept_.size()), std::int64_t{0},
        [&](std::int64_t b) {
          T* const items = items_.get() + b * block;
          std::int64_t& size = kept_[static_cast<std::size_t>(b)];
          std::int64_t kept = 0;
          for (std::int64_t i = 0; i < size; ++i) {
            prefetch(std::as_const(items[std::min(i + items_ahead, size - 1)]));
            T item = items[i];
            const bool is_kept = keep(item);
            items[kept] = item;
            kept += static_cast<std::int64_t>(is_kept);
          }
          visit(std::span<const T>(items, static_cast<std::size_t>(kept)));
          return size = kept;
        },
        std::plus<>{}, blocks_per_grain);
    if (left < static_cast<std::int64_t>(kept_.size()) * (block / 8)) compact(left);
    return left;
  }

  /// Calls visit(item) for every item.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for_each_block([&](std::span<const T> items) {
      for (const T& item : items) visit(item);
    });
  }

  /// Calls visit(items) for every block of at most max_block items.
  template <class Visit>
  void for_each_block(Visit&& visit) const {
    parallel_for(
        static_cast<std::int64_t>(kept_.size()),
        [&](std::int64_t b) {
          visit(std::span<const T>(items_.get() + b * block,
                                   static_cast<std::size_t>(kept_[static_cast<std::size_t>(b)])));
        },
        blocks_per_grain);
  }

  static constexpr std::size_t max_block = 1024;

 private:
  /// Compacts the whole list, so that few items occupy few blocks. The last few occupy one block,
  /// which the calling thread processes alone, without waiting for others.
  void compact(std::int64_t left) {
    T* to = items_.get();
    for (std::size_t b = 0; b < kept_.size(); ++b) {
      const T* const from = items_.get() + static_cast<std::int64_t>(b) * block;
      to = std::copy(from, from + kept_[b], to);
    }
    kept_.assign(static_cast<std::size_t>((left + block - 1) / block), block);
    if (left % block != 0) kept_.back() = left % block;
  }

  /// Number of items per block, so small that the last rounds still give work to several threads.
  static constexpr std::int64_t block = max_block;
  static constexpr std::int64_t blocks_per_grain = 4;
  /// Prefetch distance: a cache line that another core wrote last takes 200 ns to arrive.
  static constexpr std::int64_t items_ahead = 16;

  HostArray<T> items_;
  std::vector<std::int64_t> kept_;  // items per block
};

}  // namespace warpgraph
