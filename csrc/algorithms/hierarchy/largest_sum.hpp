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

/// Sets the root to which the arcs of each position lead: one that has no arcs. `longest` becomes
/// the longest of the shortest paths to roots. Returns false if arcs of a position lead to several
/// roots, or to another one than root_of had.
template <class T>
bool find_ways_to_roots(const Csr<T>& search_graph, std::vector<vertex_t>& root_of, T& longest) {
  const auto n = static_cast<vertex_t>(root_of.size());
  std::vector<T> shortest(root_of.size(), infinity<T>());
  for (vertex_t p = 0; p < n; ++p) {
    const auto row = static_cast<std::size_t>(p);
    const edge_t first = search_graph.offsets[row];
    const edge_t last = search_graph.offsets[row + 1];
    const auto head = [&](edge_t e) {
      return static_cast<std::size_t>(search_graph.heads[static_cast<std::size_t>(e)]);
    };
    const vertex_t root = first == last ? p : root_of[head(first)];
    if (root_of[row] != no_vertex && root_of[row] != root) return false;
    root_of[row] = root;
    if (first == last) shortest[row] = T{0};
    for (edge_t e = first; e < last; ++e) {
      if (root_of[head(e)] != root) return false;
      const T weight = search_graph.weights[static_cast<std::size_t>(e)];
      shortest[row] = std::min(shortest[row], extend(shortest[head(e)], weight));
    }
    longest = std::max(longest, shortest[row]);
  }
  return true;
}

/// Returns an upper bound of all distances, by paths through the roots; infinity if there is a
/// core, or a vertex with paths to several roots, or from others than to.
template <class T>
T bound_by_roots(const Hierarchy<T>& hierarchy) {
  if (hierarchy.n_core > 0) return infinity<T>();
  std::vector<vertex_t> root_of(static_cast<std::size_t>(hierarchy.n_vertices), no_vertex);
  T down{0};
  if (!find_ways_to_roots(hierarchy.down, root_of, down)) return infinity<T>();
  T up = down;
  if (!hierarchy.symmetric && !find_ways_to_roots(hierarchy.up, root_of, up = T{0})) {
    return infinity<T>();
  }
  return extend(up, down);
}

/// Returns a bound that allows sweeps to add without overflow checks: of all sums, which is the
/// longest upward path plus the longest path through the core and down, or of all distances. The
/// latter suffices: a sweep keeps no sum above unreached().
template <class T>
T largest_sum(const Hierarchy<T>& hierarchy) {
  const T of_distances = bound_by_roots(hierarchy);
  if (of_distances < unreached<T>()) return of_distances;
  return extend(longest_path(hierarchy, hierarchy.upward(), hierarchy.n_core),
                longest_path(hierarchy, hierarchy.down, vertex_t{0}));
}

}  // namespace warpgraph::hierarchy_detail
