// Searches from a point that need not be in a KdTree to the leaves around it.
#pragma once

#include "core/interrupt.hpp"
#include "primitives/kd_tree/kd_tree.hpp"

#include <algorithm>
#include <vector>

namespace warpgraph {

/// Visits the leaves that may have points within a key of a point, which is a squared distance
/// unless the tree has other keys, roughly nearest first. Leaves exactly at that key are visited,
/// since ids break ties.
template <class T, int D, class Tree = KdTree<T, D>>
class PointSearch {
 public:
  explicit PointSearch(const Tree& tree)
      : tree_(tree), point_(static_cast<std::size_t>(tree.dimension())) {}

  /// Calls visit(id, key) for all points within limit(), which visits may lower, copies included.
  template <class Coordinate, class Limit, class Visit>
  void run(const Coordinate* point, std::int64_t dimension, Limit&& limit, Visit&& visit) {
    std::copy_n(point, dimension, point_.begin());  // axes beyond these remain 0
    stack_.clear();
    stack_.push_back({0, tree_.bound_of_point(point_.data(), 0)});
    while (!stack_.empty()) {
      const Entry entry = stack_.back();
      stack_.pop_back();
      if (entry.bound > limit()) continue;
      const KdNode& node = tree_.nodes()[static_cast<std::size_t>(entry.node)];
      if (node.is_leaf()) {
        if (++visits_ % visits_per_poll == 0) poll();
        visit_leaf(node, limit(), visit);
        continue;
      }
      Entry near{entry.node + 1, tree_.bound_of_point(point_.data(), entry.node + 1)};
      Entry far{entry.node + node.right,
                tree_.bound_of_point(point_.data(), entry.node + node.right)};
      if (far.bound < near.bound) std::swap(near, far);
      if (far.bound <= limit()) stack_.push_back(far);
      if (near.bound <= limit()) stack_.push_back(near);
    }
  }

 private:
  struct Entry {
    std::int32_t node;
    T bound;
  };

  template <class Visit>
  void visit_leaf(const KdNode& leaf, T limit, Visit& visit) {
    std::uint64_t near = 0;
    with_kd_tree_vectors<D>([&]<int bytes>() __attribute__((always_inline)) {
      near = keys_of_leaf<bytes>(tree_, point_.data(), leaf, limit, keys_.data());
    });
    for (; near != 0; near &= near - 1) {
      const int i = __builtin_ctzll(near);
      const T key = keys_[static_cast<std::size_t>(i)];
      visit(tree_.id(leaf.first + i), key);
      const Copies copies = tree_.copies_of(leaf.first + i);
      for (vertex_t copy = copies.first; copy < copies.last; ++copy) visit(tree_.id(copy), key);
    }
  }

  static constexpr std::uint32_t visits_per_poll = 64;  // a visit takes some microseconds

  const Tree& tree_;
  std::vector<T> point_;
  std::vector<Entry> stack_;
  std::array<T, leaf_lanes<D>> keys_;
  std::uint32_t visits_ = 0;
};

}  // namespace warpgraph
