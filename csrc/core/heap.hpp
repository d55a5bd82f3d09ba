// A priority queue of vertices that knows where each one stands.
#pragma once

#include "core/types.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpgraph {

/// Implicit 4-ary min-heap. A vertex is in it once at most, so it never outgrows the graph, and
/// lowering a key moves the entry. Four children lie in one or two cache lines, and the tree is
/// half as deep as a binary one.
template <class Key>
class IndexedHeap {
 public:
  struct Entry {
    Key key;
    vertex_t vertex;
  };

  explicit IndexedHeap(vertex_t n_vertices)
      : places_(static_cast<std::size_t>(n_vertices), std::int32_t{absent}) {}

  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }

  /// Inserts the vertex, or lowers its key, which must not be smaller already.
  void push_or_lower(vertex_t vertex, Key key) {
    std::int32_t place = places_[static_cast<std::size_t>(vertex)];
    if (place == absent) {
      place = static_cast<std::int32_t>(entries_.size());
      entries_.push_back({key, vertex});
    }
    sift_up(place, {key, vertex});
  }

  /// Removes the entry with the least key.
  Entry pop() {
    const Entry least = entries_.front();
    const Entry last = entries_.back();
    entries_.pop_back();
    places_[static_cast<std::size_t>(least.vertex)] = absent;
    if (!entries_.empty()) sift_down(last);
    return least;
  }

 private:
  static constexpr std::int32_t arity = 4;
  static constexpr std::int32_t absent = -1;

  void put(std::int64_t place, Entry entry) {
    entries_[static_cast<std::size_t>(place)] = entry;
    places_[static_cast<std::size_t>(entry.vertex)] = static_cast<std::int32_t>(place);
  }

  void sift_up(std::int64_t place, Entry entry) {
    while (place > 0) {
      const std::int64_t parent = (place - 1) / arity;
      const Entry above = entries_[static_cast<std::size_t>(parent)];
      if (!(entry.key < above.key)) break;
      put(place, above);
      place = parent;
    }
    put(place, entry);
  }

  /// Fills the hole at the root.
  void sift_down(Entry entry) {
    const auto size = static_cast<std::int64_t>(entries_.size());
    std::int64_t place = 0;
    for (;;) {
      const std::int64_t first = place * arity + 1;
      if (first >= size) break;
      const std::int64_t end = std::min(first + arity, size);
      std::int64_t least = first;
      for (std::int64_t child = first + 1; child < end; ++child) {
        if (entries_[static_cast<std::size_t>(child)].key <
            entries_[static_cast<std::size_t>(least)].key) {
          least = child;
        }
      }
      if (!(entries_[static_cast<std::size_t>(least)].key < entry.key)) break;
      put(place, entries_[static_cast<std::size_t>(least)]);
      place = least;
    }
    put(place, entry);
  }

  std::vector<Entry> entries_;
  std::vector<std::int32_t> places_;
};

}  // namespace warpgraph
