// The way up from a source: few vertices, so it is walked for one source at a time.
#pragma once

#include "algorithms/hierarchy/hierarchy.hpp"

#include <algorithm>
#include <vector>

namespace warpgraph::hierarchy_steps {

template <class T>
class Climb {
 public:
  /// Position of a vertex that paths lead up to, the core's standing for entrances, and the
  /// length of the shortest of those paths.
  struct Reached {
    vertex_t position;
    T distance;
  };

  explicit Climb(const Hierarchy<T>& hierarchy)
      : hierarchy_(hierarchy),
        ladder_(hierarchy.upward()),
        distances_(static_cast<std::size_t>(hierarchy.n_vertices), unreached<T>()) {}

  /// All that lies above the source, and the source itself. Holds until the next call.
  const std::vector<Reached>& from(vertex_t source) {
    const vertex_t start = hierarchy_.places[at(source)];
    find_above(start);
    // All arcs lead to smaller positions, so by falling position every vertex is final when its
    // turn comes.
    std::sort(order_.begin(), order_.end(), std::greater<>{});
    distances_[at(start)] = T{0};
    for (const vertex_t p : order_) {
      if (p < hierarchy_.n_core) break;
      for_each_arc(p, [&](vertex_t head, T weight) {
        T& to = distances_[at(head)];
        to = std::min(to, distances_[at(p)] + weight);
      });
    }
    reached_.clear();
    for (const vertex_t p : order_) {
      reached_.push_back({p, distances_[at(p)]});
      distances_[at(p)] = unreached<T>();
    }
    return reached_;
  }

 private:
  template <class Index>
  static std::size_t at(Index i) {
    return static_cast<std::size_t>(i);
  }
  template <class Visit>
  void for_each_arc(vertex_t p, Visit&& visit) const {
    for (edge_t e = ladder_.offsets[at(p)]; e < ladder_.offsets[at(p) + 1]; ++e) {
      visit(ladder_.heads[at(e)], ladder_.weights[at(e)]);
    }
  }

  /// order_ doubles as the queue. A finite mark stands for "has been seen", and is lifted again.
  void find_above(vertex_t start) {
    order_.assign(1, start);
    distances_[at(start)] = T{0};
    for (std::size_t next = 0; next < order_.size(); ++next) {
      if (order_[next] < hierarchy_.n_core) continue;
      for_each_arc(order_[next], [&](vertex_t head, T) {
        if (distances_[at(head)] == T{0}) return;
        distances_[at(head)] = T{0};
        order_.push_back(head);
      });
    }
    for (const vertex_t p : order_) distances_[at(p)] = unreached<T>();
  }

  const Hierarchy<T>& hierarchy_;
  const Ladder<T>& ladder_;
  std::vector<T> distances_;
  std::vector<vertex_t> order_;
  std::vector<Reached> reached_;
};

}  // namespace warpgraph::hierarchy_steps
