// The searches on CPU cores that sssp_cpu.cpp chooses from.
//
// On entry distances are 0 for the source and infinite for all others; on return no arc
// can lower one. After an early end that holds for the vertices up to the farthest target. Those
// that return something return false if a sum of integers on the way did not fit: see
// check_overflow().
#pragma once

#include "algorithms/sssp/sssp.hpp"
#include "primitives/relaxation/overflow.hpp"
#include "primitives/relaxation/relax.hpp"

#include <span>

namespace warpgraph::shortest_paths {

template <class W>
void dijkstra(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
              std::span<W> distances);
template <class W>
bool delta_stepping(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
                    std::span<W> distances);
template <class W>
bool near_far(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
              std::span<W> distances);
template <class W>
void bellman_ford(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
                  std::span<W> distances);

/// As farthest_wanted() of a limit and targets.
template <class W, class DistanceOf>
W farthest_wanted(const SsspOptions<W>& options, DistanceOf&& distance_of) {
  return farthest_wanted(options.limit, options.targets, distance_of);
}

}  // namespace warpgraph::shortest_paths
