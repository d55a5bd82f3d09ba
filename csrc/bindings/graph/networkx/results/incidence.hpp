// The edges of each vertex, from a list of edges.
#pragma once

#include "bindings/call.hpp"
#include "graph/csr.hpp"

#include <numeric>
#include <span>

namespace warpgraph {

/// The edges of each vertex in their order: heads are the other ends, weights the numbers of the
/// edges.
using Incidence = Csr<std::int64_t>;

namespace detail {

/// Groups edges by an end with a counting sort on the calling thread: making dictionaries takes
/// many times as long.
inline Incidence group_by_end(std::size_t n_vertices, std::span<const vertex_t> from,
                              std::span<const vertex_t> to, bool both_ways) {
  constexpr std::size_t edges_between_polls = 1 << 16;
  Incidence found;
  found.offsets.assign(n_vertices + 1, 0);
  edge_t* const next = found.offsets.data();
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (i % edges_between_polls == 0) poll();
    ++next[from[i]];
    if (both_ways) ++next[to[i]];
  }
  // Each offset is at first where the row ends. The row is filled from the back, so the offset then
  // is where it starts.
  std::partial_sum(next, next + n_vertices + 1, next);
  const auto n_ends = static_cast<std::size_t>(next[n_vertices]);
  found.heads.resize(n_ends);
  found.weights.resize(n_ends);
  for (std::size_t i = from.size(); i-- > 0;) {
    if (i % edges_between_polls == 0) poll();
    const auto write = [&](vertex_t u, vertex_t v) {
      const auto place = static_cast<std::size_t>(--next[u]);
      found.heads[place] = v;
      found.weights[place] = static_cast<std::int64_t>(i);
    };
    if (both_ways) write(to[i], from[i]);
    write(from[i], to[i]);
  }
  return found;
}

}  // namespace detail

inline Incidence incidence(std::size_t n_vertices, std::span<const vertex_t> from,
                           std::span<const vertex_t> to, bool both_ways = false) {
  return run_released([&] { return detail::group_by_end(n_vertices, from, to, both_ways); });
}

}  // namespace warpgraph
