// The targets that a worker owns in a search for some vertices. Private to this folder.
#pragma once

#include "algorithms/sssp/part_search.hpp"

#include <span>
#include <vector>

namespace warpgraph::shortest_paths {

/// The distance of the farthest of some targets, as it is known during a search: it only falls.
template <class W>
class FarthestTarget {
 public:
  FarthestTarget(const PartSearch<W>& part, std::span<const vertex_t> targets) {
    for (const vertex_t target : targets) {
      if (part.owns(target)) targets_.push_back(target);
    }
  }
  /// Returns the distance, in O(1) unless the farthest target has been lowered.
  W distance(const PartSearch<W>& part) {
    const auto of = [&](std::size_t i) { return part.distance_of(targets_[i]); };
    while (n_reached_ < targets_.size() && of(n_reached_) != infinity<W>()) ++n_reached_;
    if (n_reached_ < targets_.size()) return infinity<W>();
    if (targets_.empty()) return W{0};
    if (of(farthest_) == distance_) return distance_;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      if (of(farthest_) < of(i)) farthest_ = i;
    }
    return distance_ = of(farthest_);
  }

 private:
  std::vector<vertex_t> targets_;
  std::size_t n_reached_ = 0;
  std::size_t farthest_ = 0;
  W distance_ = infinity<W>();
};

}  // namespace warpgraph::shortest_paths
