// The k nearest neighbours found so far, in the order of (key, id).
#pragma once

#include "core/types.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace warpgraph {

/// A heap whose first item is the last neighbour. Key: float or double.
template <class Key>
class NearestHeap {
 public:
  using Item = std::pair<Key, vertex_t>;

  explicit NearestHeap(std::int32_t k) : k_(static_cast<std::size_t>(k)) {}

  /// Returns the largest key of a further neighbour; below 0 for k = 0.
  [[nodiscard]] Key limit() const noexcept {
    if (k_ == 0) return Key(-1);
    return items_.size() < k_ ? infinity<Key>() : items_.front().first;
  }
  void add(vertex_t id, Key key) {
    const Item item{key, id};
    if (items_.size() == k_) {
      if (!(item < items_.front())) return;
      std::pop_heap(items_.begin(), items_.end());
      items_.back() = item;
    } else {
      items_.push_back(item);
    }
    std::push_heap(items_.begin(), items_.end());
  }
  /// Returns how many neighbours have been found, up to k.
  [[nodiscard]] std::int64_t size() const noexcept { return std::ssize(items_); }
  /// Returns the neighbours in order; add() must not follow before clear().
  const std::vector<Item>& sorted() {
    std::sort_heap(items_.begin(), items_.end());
    return items_;
  }
  /// Removes all neighbours, and keeps their memory.
  void clear() noexcept { items_.clear(); }

 private:
  std::size_t k_;
  std::vector<Item> items_;
};

}  // namespace warpgraph
