// Priority queues of vertices. Lowering a key pushes the vertex again, and the outdated entry is
// skipped when it surfaces: on sparse graphs that is cheaper than keeping track of where each
// vertex stands in the queue, which is a random access at every step of every entry.
#pragma once

#include "core/order_key.hpp"
#include "core/types.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <queue>
#include <vector>

namespace warpgraph {

template <class Key>
struct HeapEntry {
  Key key;
  vertex_t vertex;
};

/// Radix heap (Ahuja, Mehlhorn, Orlin, Tarjan: Faster algorithms for the shortest path problem, J.
/// ACM 37, 1990): an entry lies in the bucket of the highest bit in which its key and the last one
/// that was popped differ, so it moves at most once a bit, and never because of another entry.
/// Monotone: no key may be smaller than the last that was popped. Floats are keys by their bits.
template <class Key>
class RadixHeap {
 public:
  using Entry = HeapEntry<Key>;

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  void clear() noexcept {
    for (auto& bucket : buckets_) bucket.clear();
    last_ = 0;
    size_ = 0;
  }

  void push(vertex_t vertex, Key key) {
    bucket_of(key).push_back({key, vertex});
    ++size_;
  }

  /// Removes an entry with the least key.
  Entry pop() {
    if (buckets_[0].empty()) refill();
    const Entry least = buckets_[0].back();
    buckets_[0].pop_back();
    --size_;
    return least;
  }

 private:
  using Bucket = std::vector<Entry>;
  using Bits = order_key_t<Key>;

  static Bits bits_of(Key key) { return std::bit_cast<Bits>(key); }

  Bucket& bucket_of(Key key) {
    return buckets_[static_cast<std::size_t>(std::bit_width(bits_of(key) ^ last_))];
  }

  /// Spreads the first bucket that has entries over those before it.
  void refill() {
    std::size_t first = 1;
    while (buckets_[first].empty()) ++first;
    Bucket& bucket = buckets_[first];
    Bits least = bits_of(bucket.front().key);
    for (const Entry& entry : bucket) least = std::min(least, bits_of(entry.key));
    last_ = least;
    for (const Entry& entry : bucket) bucket_of(entry.key).push_back(entry);
    bucket.clear();
  }

  std::array<Bucket, 8 * sizeof(Key) + 1> buckets_;
  Bits last_ = 0;
  std::size_t size_ = 0;
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
      const std::size_t least = least_of(first, std::min(first + arity, size));
      if (!(entries_[least].key < entry.key)) break;
      entries_[place] = entries_[least];
      place = least;
    }
    entries_[place] = entry;
  }

  /// Four are compared in pairs, by sums instead of branches, which would be guessed wrong.
  [[nodiscard]] std::size_t least_of(std::size_t first, std::size_t end) const {
    const auto is_less = [&](std::size_t a, std::size_t b) {
      return entries_[a].key < entries_[b].key;
    };
    if (end - first == arity) {
      const std::size_t left = first + std::size_t{is_less(first + 1, first)};
      const std::size_t right = first + 2 + std::size_t{is_less(first + 3, first + 2)};
      return is_less(right, left) ? right : left;
    }
    std::size_t least = first;
    while (++first < end) least = is_less(first, least) ? first : least;
    return least;
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
