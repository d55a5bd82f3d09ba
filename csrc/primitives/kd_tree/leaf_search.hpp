// Searches from one leaf of a KdTree to the leaves around it.
#pragma once

#include "core/interrupt.hpp"
#include "primitives/kd_tree/kd_tree.hpp"

#include <limits>
#include <vector>

namespace warpgraph {

/// Calls visit(leaf) for leaves of the tree other than `from`, roughly nearest first by
/// bound(node), a lower bound of keys between `from` and the node. Nodes farther than radius() and
/// nodes with skip(node) are pruned. Those exactly at radius() are not, since ids break ties. All
/// points of `from` share one traversal.
template <class T, int D>
class LeafSearch {
 public:
  explicit LeafSearch(const KdTree<T, D>& tree) : tree_(tree) {}

  template <class Bound, class Radius, class Skip, class Visit>
  void run(std::int32_t from, Bound&& bound, Radius&& radius, Skip&& skip, Visit&& visit) {
    push_siblings(from);
    while (!stack_.empty()) {
      Entry entry = stack_.back();
      stack_.pop_back();
      if (entry.bound == unknown) {
        if (skip(entry.node)) continue;
        entry.bound = bound(entry.node);
      }
      if (entry.bound > radius()) continue;
      const KdNode& node = tree_.nodes()[static_cast<std::size_t>(entry.node)];
      if (node.is_leaf()) {
        if (++visits_ % visits_per_poll == 0) poll();
        visit(entry.node);
        continue;
      }
      const Entry left{entry.node + 1, bound(entry.node + 1)};
      const Entry right{entry.node + node.right, bound(entry.node + node.right)};
      const auto& [near, far] =
          left.bound <= right.bound ? std::tie(left, right) : std::tie(right, left);
      if (far.bound <= radius() && !skip(far.node)) stack_.push_back(far);
      if (near.bound <= radius() && !skip(near.node)) stack_.push_back(near);
    }
  }

 private:
  struct Entry {
    std::int32_t node;
    T bound;
  };

  /// Pushes the siblings of the leaf and of its ancestors, those of the leaf last: without them,
  /// half of all bounds would be those of ancestors, which prune nothing.
  void push_siblings(std::int32_t from) {
    stack_.clear();
    for (std::int32_t node = 0; node != from;) {
      const std::int32_t left = node + 1;
      const std::int32_t right = node + tree_.nodes()[static_cast<std::size_t>(node)].right;
      stack_.push_back({from < right ? right : left, unknown});
      node = from < right ? left : right;
    }
  }

  static constexpr T unknown = -1;                      // bound that was not computed
  static constexpr std::uint32_t visits_per_poll = 64;  // a visit takes some microseconds

  const KdTree<T, D>& tree_;
  std::vector<Entry> stack_;
  std::uint32_t visits_ = 0;
};

}  // namespace warpgraph
