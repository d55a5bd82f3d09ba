// The bound on path lengths that allows sweeps to add integers without overflow checks.
#pragma once

#include "algorithms/hierarchy/hierarchy.hpp"

#include <algorithm>

namespace warpgraph::hierarchy_detail {

/// Returns the length of the longest path in a search graph, which is acyclic. An arc whose head is
/// an entrance or a position below first_row begins a new path. Integers saturate at infinity.
template <class T>
T longest_path(const Hierarchy<T>& hierarchy, const Csr<T>& search_graph, vertex_t first_row) {
  std::vector<T> longest_to(static_cast<std::size_t>(hierarchy.n_vertices), T{0});
  T longest{0};
  for (vertex_t p = first_row; p < hierarchy.n_vertices; ++p) {
    T& own = longest_to[static_cast<std::size_t>(p)];
    for (edge_t e = search_graph.offsets[static_cast<std::size_t>(p)];
         e < search_graph.offsets[static_cast<std::size_t>(p) + 1]; ++e) {
      const vertex_t head = search_graph.heads[static_cast<std::size_t>(e)];
      const bool begins_path = head >= hierarchy.n_vertices || head < first_row;
      const T above = begins_path ? T{0} : longest_to[static_cast<std::size_t>(head)];
      own = std::max(own, extend(above, search_graph.weights[static_cast<std::size_t>(e)]));
    }
    longest = std::max(longest, own);
  }
  return longest;
}

/// Returns an upper bound of all sums in a sweep: the longest upward path plus the longest path
/// through the core and down.
template <class T>
T largest_sum(const Hierarchy<T>& hierarchy) {
  return extend(longest_path(hierarchy, hierarchy.upward(), hierarchy.n_core),
                longest_path(hierarchy, hierarchy.down, vertex_t{0}));
}

}  // namespace warpgraph::hierarchy_detail
