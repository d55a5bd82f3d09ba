// Adjacency lists of the graph that remains during contraction. A vertex has a row of edges, sorted
// by neighbour, each with the weights of the forward arc (to the neighbour) and of the backward arc
// (from it). A row grows in an arena of its thread, which allocates large blocks and frees them
// together.
#pragma once

#include "core/memory/memory_meter.hpp"
#include "core/types.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace warpgraph::hierarchy_detail {

/// An edge whose two arcs have the same weight.
template <class W>
struct SymmetricEdge {
  using Weight = W;
  static constexpr bool symmetric = true;
  vertex_t head;
  W weight;

  SymmetricEdge() = default;
  SymmetricEdge(vertex_t to, W forward, W) : head(to), weight(forward) {}
  [[nodiscard]] W forward() const noexcept { return weight; }
  [[nodiscard]] W backward() const noexcept { return weight; }
  void merge(const SymmetricEdge& other) noexcept { weight = std::min(weight, other.weight); }
};

/// An edge whose arcs differ in weight; infinity stands for a missing arc.
template <class W>
struct AsymmetricEdge {
  using Weight = W;
  static constexpr bool symmetric = false;
  vertex_t head;
  W forward_weight;
  W backward_weight;

  AsymmetricEdge() = default;
  AsymmetricEdge(vertex_t to, W forward, W backward)
      : head(to), forward_weight(forward), backward_weight(backward) {}
  [[nodiscard]] W forward() const noexcept { return forward_weight; }
  [[nodiscard]] W backward() const noexcept { return backward_weight; }
  void merge(const AsymmetricEdge& other) noexcept {
    forward_weight = std::min(forward_weight, other.forward_weight);
    backward_weight = std::min(backward_weight, other.backward_weight);
  }
};

/// A bump allocator that grows by blocks and frees all of them together.
template <class T>
class Arena {
 public:
  static constexpr std::size_t block_size = std::size_t{1} << 14;  // items

  /// Allocates n items. New blocks are charged to `meter`.
  T* allocate(std::size_t n, MemoryMeter& meter) {
    if (n > left_) add_block(std::max(n, block_size), meter);
    T* allocated = next_;
    next_ += n;
    left_ -= n;
    return allocated;
  }
  /// Frees all blocks but the first, which is reused.
  void clear(MemoryMeter& meter) {
    if (blocks_.empty()) return;
    meter.give_back((size_ - first_size_) * sizeof(T));
    size_ = first_size_;
    blocks_.resize(1);
    next_ = blocks_.front().get();
    left_ = first_size_;
  }

 private:
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

template <class Edge>
struct Row {
  Edge* edges = nullptr;
  std::int32_t size = 0;
  std::int32_t capacity = 0;

  [[nodiscard]] const Edge* begin() const noexcept { return edges; }
  [[nodiscard]] const Edge* end() const noexcept { return edges + size; }
  /// Replaces the edges, in place if the capacity suffices.
  void assign(std::span<const Edge> from, Arena<Edge>& arena, MemoryMeter& meter) {
    size = static_cast<std::int32_t>(from.size());
    if (size > capacity) {
      capacity = size + size / 2;
      edges = arena.allocate(static_cast<std::size_t>(capacity), meter);
    }
    std::copy(from.begin(), from.end(), edges);
  }
};

/// Sorts by neighbour and keeps one edge per neighbour, with the minimum weight of each direction.
template <class Edge>
void merge_parallel_edges(std::vector<Edge>& edges) {
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return a.head < b.head; });
  std::size_t kept = 0;
  for (const Edge& edge : edges) {
    if (kept > 0 && edges[kept - 1].head == edge.head) {
      edges[kept - 1].merge(edge);
    } else {
      edges[kept++] = edge;
    }
  }
  edges.resize(kept);
}

}  // namespace warpgraph::hierarchy_detail
