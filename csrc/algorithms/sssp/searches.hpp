// The searches on CPU cores between which sssp_cpu.cpp chooses, and those on several devices.
//
// On entry the distances of the sources, which are all different, are 0 and all others are
// infinite. On return no arc can lower a distance; after an early end, none of a vertex up to the
// farthest target. The functions that return bool return false if an integer sum may not have
// fitted: see check_overflow().
#pragma once

#include "algorithms/sssp/sssp.hpp"
#include "primitives/relaxation/overflow.hpp"
#include "primitives/relaxation/relax.hpp"

#include <span>
#include <vector>

namespace warpgraph::shortest_paths {

/// Returns the bytes of distances, and of predecessors if they are wanted.
template <class W>
std::size_t bytes_of_results(vertex_t n_vertices, bool predecessors) {
  return static_cast<std::size_t>(n_vertices) * (sizeof(W) + (predecessors ? sizeof(vertex_t) : 0));
}

template <class W>
void dijkstra(const CsrView<W>& graph, std::span<const vertex_t> sources,
              const SsspOptions<W>& options, std::span<W> distances);
template <class W>
bool delta_stepping(const CsrView<W>& graph, std::span<const vertex_t> sources,
                    const SsspOptions<W>& options, std::span<W> distances);
template <class W>
void bellman_ford(const CsrView<W>& graph, std::span<const vertex_t> sources,
                  const SsspOptions<W>& options, std::span<W> distances);

/// Completes a search: reports an overflow, unless `fits_all`, removes what the caller does not
/// want, and recovers the predecessors.
template <class W>
void complete(const CsrView<W>& graph, std::span<const vertex_t> sources,
              const SsspOptions<W>& options, bool fits_all, SsspResult<W> result);

/// Searches by near-far on the team of the devices of options.parts, which are CUDA devices.
/// `graph` and `distances` are on the host. Targets do not end the search. Returns whether no sum
/// of integers can have overflowed. Waits.
template <class W>
bool near_far_on_devices(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
                         W* distances);
/// Searches by Bellman-Ford on the team of those devices, without negative weights. Returns whether
/// no sum can have overflowed, as near_far_on_devices() does. Waits.
template <class W>
bool bellman_ford_on_devices(const CsrView<W>& graph, vertex_t source,
                             const SsspOptions<W>& options, W* distances);

}  // namespace warpgraph::shortest_paths
