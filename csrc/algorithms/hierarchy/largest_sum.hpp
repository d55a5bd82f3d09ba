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

/// The positions without arcs to higher ones, and the longest shortest path to one of them.
template <class T>
struct WaysToRoots {
  std::int64_t n_roots = 0;
  vertex_t last_root = no_vertex;
  T longest{0};
};

template <class T>
WaysToRoots<T> ways_to_roots(const Hierarchy<T>& hierarchy, const Csr<T>& search_graph) {
  WaysToRoots<T> ways;
  std::vector<T> shortest(static_cast<std::size_t>(hierarchy.n_vertices), infinity<T>());
  for (vertex_t p = 0; p < hierarchy.n_vertices; ++p) {
    const edge_t first = search_graph.offsets[static_cast<std::size_t>(p)];
    const edge_t last = search_graph.offsets[static_cast<std::size_t>(p) + 1];
    T& own = shortest[static_cast<std::size_t>(p)];
    if (first == last) {
      own = T{0};
      ++ways.n_roots;
      ways.last_root = p;
    }
    for (edge_t e = first; e < last; ++e) {
      const auto head = static_cast<std::size_t>(search_graph.heads[static_cast<std::size_t>(e)]);
      own =
          std::min(own, extend(shortest[head], search_graph.weights[static_cast<std::size_t>(e)]));
    }
    ways.longest = std::max(ways.longest, own);
  }
  return ways;
}

template <class T>
struct RootBound {
  T sum = infinity<T>();
  std::int64_t n_roots = 0;
};

/// Returns an upper bound of all distances, by paths through the roots, and the number of these;
/// infinity if there is a core, or if edges differ by direction and there are several roots. If
/// they do not, vertices that have a path between them have a path to the same root.
template <class T>
RootBound<T> bound_by_roots(const Hierarchy<T>& hierarchy) {
  if (hierarchy.n_core > 0) return {};
  const WaysToRoots<T> down = ways_to_roots(hierarchy, hierarchy.down);
  if (hierarchy.symmetric) return {extend(down.longest, down.longest), down.n_roots};
  const WaysToRoots<T> up = ways_to_roots(hierarchy, hierarchy.up);
  if (up.n_roots != 1 || down.n_roots != 1 || up.last_root != down.last_root) return {};
  return {extend(up.longest, down.longest), 1};
}

/// Returns a bound that allows sweeps to add without overflow checks: of all sums, which is the
/// longest upward path plus the longest path through the core and down, or of all distances. The
/// latter suffices: a sweep keeps no sum above unreached().
template <class T>
T largest_sum(const Hierarchy<T>& hierarchy) {
  const T of_distances = bound_by_roots(hierarchy).sum;
  if (of_distances < unreached<T>()) return of_distances;
  return extend(longest_path(hierarchy, hierarchy.upward(), hierarchy.n_core),
                longest_path(hierarchy, hierarchy.down, vertex_t{0}));
}

}  // namespace warpgraph::hierarchy_detail
