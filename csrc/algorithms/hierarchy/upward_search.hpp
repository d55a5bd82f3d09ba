// The upward search of one source. Its search space is small, so sources are not batched.
#pragma once

#include "algorithms/hierarchy/hierarchy.hpp"
#include "core/containers/at.hpp"

#include <algorithm>
#include <vector>

namespace warpgraph::hierarchy_detail {

template <class T>
class UpwardSearch {
 public:
  /// A vertex of the search space: its position (a core position stands for the entrance) and the
  /// length of the shortest upward path to it.
  struct Reached {
    vertex_t position;
    T distance;
  };

  explicit UpwardSearch(const Hierarchy<T>& hierarchy)
      : hierarchy_(hierarchy),
        search_graph_(hierarchy.upward()),
        distances_(at(hierarchy.n_vertices), unreached<T>()) {}

  /// Returns the source and all vertices above it. The reference is valid until the next call.
  const std::vector<Reached>& run(vertex_t source) {
    const vertex_t start = hierarchy_.position_of[at(source)];
    collect_search_space(start);
    // All arcs lead to smaller positions: in order of descending position, a vertex is final when
    // its arcs are relaxed.
    std::sort(search_space_.begin(), search_space_.end(), std::greater<>{});
    distances_[at(start)] = T{0};
    for (const vertex_t p : search_space_) {
      if (p < hierarchy_.n_core) break;
      for_each_arc(p, [&](vertex_t head, T weight) {
        T& to = distances_[at(head)];
        to = std::min(to, distances_[at(p)] + weight);
      });
    }
    reached_.clear();
    for (const vertex_t p : search_space_) {
      reached_.push_back({p, distances_[at(p)]});
      distances_[at(p)] = unreached<T>();
    }
    return reached_;
  }

 private:
  template <class Visit>
  void for_each_arc(vertex_t p, Visit&& visit) const {
    for (edge_t e = search_graph_.offsets[at(p)]; e < search_graph_.offsets[at(p) + 1]; ++e) {
      visit(search_graph_.heads[at(e)], search_graph_.weights[at(e)]);
    }
  }

  /// Collects the search space breadth-first; search_space_ is also the queue. Distance 0 marks a
  /// visited vertex until the end of this function.
  void collect_search_space(vertex_t start) {
    search_space_.assign(1, start);
    distances_[at(start)] = T{0};
    for (std::size_t next = 0; next < search_space_.size(); ++next) {
      if (search_space_[next] < hierarchy_.n_core) continue;
      for_each_arc(search_space_[next], [&](vertex_t head, T) {
        if (distances_[at(head)] == T{0}) return;
        distances_[at(head)] = T{0};
        search_space_.push_back(head);
      });
    }
    for (const vertex_t p : search_space_) distances_[at(p)] = unreached<T>();
  }

  const Hierarchy<T>& hierarchy_;
  const Csr<T>& search_graph_;
  std::vector<T> distances_;
  std::vector<vertex_t> search_space_;
  std::vector<Reached> reached_;
};

}  // namespace warpgraph::hierarchy_detail
