// How long sums can get: the bound that lets sweeps add without looking.
#pragma once

#include "algorithms/hierarchy/hierarchy.hpp"

#include <algorithm>

namespace warpgraph::hierarchy_steps {

/// The longest chain of arcs in a ladder; arcs from and to the core begin new ones. Integers stick
/// at infinity.
template <class T>
T longest_chain(const Hierarchy<T>& hierarchy, const Ladder<T>& ladder, vertex_t first_row) {
  std::vector<T> chain(static_cast<std::size_t>(hierarchy.n_vertices), T{0});
  T longest{0};
  for (vertex_t p = first_row; p < hierarchy.n_vertices; ++p) {
    T& mine = chain[static_cast<std::size_t>(p)];
    for (edge_t e = ladder.offsets[static_cast<std::size_t>(p)];
         e < ladder.offsets[static_cast<std::size_t>(p) + 1]; ++e) {
      const vertex_t head = ladder.heads[static_cast<std::size_t>(e)];
      const bool begins = head >= hierarchy.n_vertices || head < first_row;
      const T above = begins ? T{0} : chain[static_cast<std::size_t>(head)];
      mine = std::max(mine, extend(above, ladder.weights[static_cast<std::size_t>(e)]));
    }
    longest = std::max(longest, mine);
  }
  return longest;
}

/// No sum that a sweep adds up is larger: a path's way up, and its way through the core and down.
template <class T>
T largest_sum(const Hierarchy<T>& hierarchy) {
  return extend(longest_chain(hierarchy, hierarchy.upward(), hierarchy.n_core),
                longest_chain(hierarchy, hierarchy.down, vertex_t{0}));
}

}  // namespace warpgraph::hierarchy_steps
