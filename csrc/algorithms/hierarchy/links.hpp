// What the contraction keeps of the graph that remains: to each vertex a row of links to its
// neighbours, sorted by neighbour, with the weights of the way there and of the way back. A row
// grows in memory that its thread takes in large blocks and gives back as a whole.
#pragma once

#include "core/memory/memory_meter.hpp"
#include "core/types.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace warpgraph::hierarchy_steps {

/// A link whose two ways weigh the same.
template <class W>
struct EqualLink {
  using Weight = W;
  static constexpr bool symmetric = true;
  vertex_t head;
  W weight;

  EqualLink() = default;
  EqualLink(vertex_t to, W there, W) : head(to), weight(there) {}
  [[nodiscard]] W there() const noexcept { return weight; }
  [[nodiscard]] W back() const noexcept { return weight; }
  void lower(const EqualLink& other) noexcept { weight = std::min(weight, other.weight); }
};

/// A link whose ways differ; infinity is a way that is not there.
template <class W>
struct TwoWayLink {
  using Weight = W;
  static constexpr bool symmetric = false;
  vertex_t head;
  W weight_there;
  W weight_back;

  TwoWayLink() = default;
  TwoWayLink(vertex_t to, W there, W back) : head(to), weight_there(there), weight_back(back) {}
  [[nodiscard]] W there() const noexcept { return weight_there; }
  [[nodiscard]] W back() const noexcept { return weight_back; }
  void lower(const TwoWayLink& other) noexcept {
    weight_there = std::min(weight_there, other.weight_there);
    weight_back = std::min(weight_back, other.weight_back);
  }
};

/// Memory that grows by blocks and is freed at once.
template <class T>
class Arena {
 public:
  /// Blocks are taken from `meter`.
  T* take(std::size_t n, MemoryMeter& meter) {
    if (n > left_) add_block(std::max(n, block_size), meter);
    T* taken = next_;
    next_ += n;
    left_ -= n;
    return taken;
  }
  /// Frees all but the first block.
  void clear(MemoryMeter& meter) {
    if (blocks_.empty()) return;
    meter.give_back((size_ - first_size_) * sizeof(T));
    size_ = first_size_;
    blocks_.resize(1);
    next_ = blocks_.front().get();
    left_ = first_size_;
  }

 private:
  static constexpr std::size_t block_size = std::size_t{1} << 14;
  void add_block(std::size_t n, MemoryMeter& meter) {
    meter.take(n * sizeof(T));
    size_ += n;
    blocks_.push_back(std::make_unique_for_overwrite<T[]>(n));
    next_ = blocks_.back().get();
    left_ = n;
    if (blocks_.size() == 1) first_size_ = n;
  }

  std::vector<std::unique_ptr<T[]>> blocks_;
  T* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t size_ = 0;  // of all blocks
  std::size_t first_size_ = 0;
};

template <class Link>
struct Row {
  Link* links = nullptr;
  std::int32_t size = 0;
  std::int32_t capacity = 0;

  [[nodiscard]] const Link* begin() const noexcept { return links; }
  [[nodiscard]] const Link* end() const noexcept { return links + size; }
  /// Replaces the links, in place if there is room.
  void assign(std::span<const Link> from, Arena<Link>& arena, MemoryMeter& meter) {
    size = static_cast<std::int32_t>(from.size());
    if (size > capacity) {
      capacity = size + size / 2;
      links = arena.take(static_cast<std::size_t>(capacity), meter);
    }
    std::copy(from.begin(), from.end(), links);
  }
};

/// Sorts by neighbour and keeps one link to each, the lighter of each way.
template <class Link>
void merge_parallel(std::vector<Link>& links) {
  std::sort(links.begin(), links.end(),
            [](const Link& a, const Link& b) { return a.head < b.head; });
  std::size_t kept = 0;
  for (const Link& link : links) {
    if (kept > 0 && links[kept - 1].head == link.head) {
      links[kept - 1].lower(link);
    } else {
      links[kept++] = link;
    }
  }
  links.resize(kept);
}

}  // namespace warpgraph::hierarchy_steps
