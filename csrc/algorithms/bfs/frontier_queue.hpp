// The queue of a breadth-first search on cores.
#pragma once

#include "core/memory/host_vector.hpp"
#include "core/types.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace warpgraph {

/// The frontier and the next one, which grow from opposite ends of an array with an entry for each
/// vertex. They cannot meet, since no vertex is in both. Frontiers take turns at the ends, so a
/// search touches as much memory as its largest frontiers, and the system clears no more pages: on
/// a grid of 4900 x 4900 that took a seventh of the time.
class FrontierQueue {
 public:
  /// The entries in the order in which they were appended.
  class Frontier {
   public:
    Frontier(const vertex_t* first, std::ptrdiff_t step, std::int64_t size) noexcept
        : first_(first), step_(step), size_(size) {}
    [[nodiscard]] std::int64_t size() const noexcept { return size_; }
    vertex_t operator[](std::int64_t i) const noexcept { return first_[step_ * i]; }

   private:
    const vertex_t* first_;
    std::ptrdiff_t step_;
    std::int64_t size_;
  };

  explicit FrontierQueue(std::int64_t n_vertices) : last_(n_vertices - 1), items_(n_vertices) {}

  [[nodiscard]] Frontier frontier() const noexcept {
    if (next_is_high_) return {items_.get(), 1, size_};
    return {items_.get() + last_, -1, size_};
  }

  /// Sets entry `i` of the next frontier.
  void set_next(std::int64_t i, vertex_t v) noexcept { items_[next_is_high_ ? last_ - i : i] = v; }
  /// Sets the entries first .. first + |vertices| of the next frontier.
  void set_next(std::int64_t first, std::span<const vertex_t> vertices) noexcept {
    if (next_is_high_) {
      std::reverse_copy(vertices.begin(), vertices.end(),
                        items_.get() + last_ + 1 - first - std::ssize(vertices));
    } else {
      std::copy(vertices.begin(), vertices.end(), items_.get() + first);
    }
  }
  /// Makes the next frontier, which has `size` entries, the frontier.
  void advance(std::int64_t size) noexcept {
    size_ = size;
    next_is_high_ = !next_is_high_;
  }

 private:
  const std::int64_t last_;
  HostArray<vertex_t> items_;
  std::int64_t size_ = 0;
  bool next_is_high_ = false;
};

}  // namespace warpgraph
