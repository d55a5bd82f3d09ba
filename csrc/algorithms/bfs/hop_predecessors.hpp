// The last step of a search on cores: hops from distances, and the breadth-first tree of known
// hops, in which the predecessor of a vertex is the smallest tail one hop nearer.
// Private to this folder.
#pragma once

#include "algorithms/bfs/bfs.hpp"
#include "core/threads/parallel.hpp"
#include "graph/csr.hpp"
#include "primitives/path_trees/smallest_tail.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace warpgraph {

/// The hops of a vertex that the search does not reach.
inline constexpr vertex_t unreached = -1;

/// Finds the predecessors in a symmetric graph, where a vertex finds the tail among its own heads,
/// without atomic operations.
inline void pull_predecessors(const CsrPattern& graph, std::span<const vertex_t> hops,
                              std::span<vertex_t> predecessors) {
  parallel_for(graph.n_vertices, [&](std::int64_t i) {
    const auto v = static_cast<vertex_t>(i);
    const vertex_t nearer = hops[static_cast<std::size_t>(i)] - 1;
    SmallestTail smallest = no_tail;
    for (edge_t e = graph.begin(v), end = nearer < 0 ? e : graph.end(v); e < end; ++e) {
      const vertex_t u = graph.heads[e];
      const bool is_nearer = hops[static_cast<std::size_t>(u)] == nearer;
      smallest = is_nearer ? smaller_tail(smallest, u) : smallest;
    }
    predecessors[static_cast<std::size_t>(i)] = static_cast<vertex_t>(smallest);
  });
}

/// Finds the predecessors in any graph.
inline void push_predecessors(const CsrPattern& graph, std::span<const vertex_t> hops,
                              std::span<vertex_t> predecessors) {
  std::ranges::fill(predecessors, no_vertex);
  parallel_for(graph.n_vertices, [&](std::int64_t i) {
    const auto u = static_cast<vertex_t>(i);
    const vertex_t depth = hops[static_cast<std::size_t>(i)];
    if (depth == unreached) return;
    for (edge_t e = graph.begin(u), end = graph.end(u); e < end; ++e) {
      const vertex_t v = graph.heads[e];
      if (hops[static_cast<std::size_t>(v)] != depth + 1) continue;
      lower_predecessor(predecessors[static_cast<std::size_t>(v)], u);
    }
  });
}

/// Completes a search with arcs of length 1. On entry `hops` are its distances.
inline void complete_hops(const CsrPattern& graph, bool symmetric, std::span<vertex_t> hops,
                          std::span<vertex_t> predecessors) {
  lengths_to_hops(hops);
  if (predecessors.empty()) return;
  if (symmetric) {
    pull_predecessors(graph, hops, predecessors);
  } else {
    push_predecessors(graph, hops, predecessors);
  }
}

}  // namespace warpgraph
