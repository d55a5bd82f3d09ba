// Searches from one leaf of a KdTree to the leaves around it.
#pragma once

#include "algorithms/emst/kd_tree/kd_tree.hpp"
#include "core/interrupt.hpp"

#include <limits>
#include <vector>

namespace warpgraph::emst {

/// Calls visit(leaf) for leaves of the tree other than `from`, nearest first as far as boxes tell.
/// Nodes farther than reach() and nodes with skip(node) are passed by; those exactly at reach() are
/// not, since ties are decided by ids. All points of `from` search together: the walk costs once.
template <class T, int D>
class LeafSearch {
 public:
  explicit LeafSearch(const KdTree<T, D>& tree) : tree_(tree) {}

  template <class Reach, class Skip, class Visit>
  void run(std::int32_t from, Reach&& reach, Skip&& skip, Visit&& visit) {
    open_.assign(1, {0, T(0)});
    while (!open_.empty()) {
      const Entry entry = open_.back();
      open_.pop_back();
      if (entry.bound > reach() || entry.node == from) continue;
      const KdNode& node = tree_.nodes()[static_cast<std::size_t>(entry.node)];
      if (node.is_leaf()) {
        if (++visits_ % visits_per_poll == 0) poll();
        visit(entry.node);
        continue;
      }
      const Entry left = child(from, entry.node + 1);
      const Entry right = child(from, entry.node + node.right);
      const auto& [near, far] =
          left.bound <= right.bound ? std::tie(left, right) : std::tie(right, left);
      if (far.bound <= reach() && !skip(far.node)) open_.push_back(far);
      if (near.bound <= reach() && !skip(near.node)) open_.push_back(near);
    }
  }

 private:
  struct Entry {
    std::int32_t node;
    T bound;
  };
  Entry child(std::int32_t from, std::int32_t node) const {
    return {node, tree_.bound(from, node)};
  }

  static constexpr std::uint32_t visits_per_poll = 64;  // some microseconds each

  const KdTree<T, D>& tree_;
  std::vector<Entry> open_;
  std::uint32_t visits_ = 0;
};

}  // namespace warpgraph::emst
