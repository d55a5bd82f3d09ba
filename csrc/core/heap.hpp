// Priority queues of vertices. Lowering a key pushes the vertex again, and the outdated entry is
// skipped when it surfaces: on sparse graphs that is cheaper than keeping track of where each
// vertex stands in the queue, which is a random access at every step of every entry.
#pragma once

#include "core/types.hpp"

#include <algorithm>
#include <cstdint>
#include <queue>
#include <vector>

namespace warpgraph {

template <class Key>
struct HeapEntry {
  Key key;
  vertex_t vertex;
};

/// Implicit 4-ary min-heap. Four children lie in one or two cache lines, and the tree is half as
/// deep as a binary one.
template <class Key>
class QuaternaryHeap {
 public:
  using Entry = HeapEntry<Key>;

  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  void clear() noexcept { entries_.clear(); }

  void push(vertex_t vertex, Key key) {
    std::size_t place = entries_.size();
    entries_.push_back({key, vertex});
    while (place > 0) {
      const std::size_t parent = (place - 1) / arity;
      if (!(key < entries_[parent].key)) break;
      entries_[place] = entries_[parent];
      place = parent;
    }
    entries_[place] = {key, vertex};
  }

  /// Removes an entry with the least key.
  Entry pop() {
    const Entry least = entries_.front();
    const Entry last = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) sift_down(last);
    return least;
  }

 private:
  static constexpr std::size_t arity = 4;

  /// Fills the hole at the root.
  void sift_down(Entry entry) {
    const std::size_t size = entries_.size();
    std::size_t place = 0;
    for (;;) {
      const std::size_t first = place * arity + 1;
      if (first >= size) break;
      const std::size_t end = std::min(first + arity, size);
      std::size_t least = first;
      for (std::size_t child = first + 1; child < end; ++child) {
        if (entries_[child].key < entries_[least].key) least = child;
      }
      if (!(entries_[least].key < entry.key)) break;
      entries_[place] = entries_[least];
      place = least;
    }
    entries_[place] = entry;
  }

  std::vector<Entry> entries_;
};

/// The standard library's binary heap, for comparison.
template <class Key>
class BinaryHeap {
 public:
  using Entry = HeapEntry<Key>;

  [[nodiscard]] bool empty() const noexcept { return queue_.empty(); }
  void clear() { queue_ = {}; }
  void push(vertex_t vertex, Key key) { queue_.push({key, vertex}); }

  /// Removes an entry with the least key.
  Entry pop() {
    const Entry least = queue_.top();
    queue_.pop();
    return least;
  }

 private:
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const noexcept { return b.key < a.key; }
  };
  std::priority_queue<Entry, std::vector<Entry>, Later> queue_;
};

}  // namespace warpgraph
