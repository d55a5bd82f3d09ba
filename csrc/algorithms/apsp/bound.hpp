// How far apart two vertices can be, without finding out how far they are.
#pragma once

#include "algorithms/apsp/arithmetic.hpp"
#include "graph/csr.hpp"

#include <cstdint>
#include <optional>

namespace warpgraph::apsp_steps {

/// Bounds from here on are as good as none; sums of two of them fit 64 bits.
inline constexpr std::int64_t no_bound = std::int64_t{1} << 61;

/// What one pass over the weights tells.
struct WeightSummary {
  bool integers = true;   // all finite weights
  bool negative = false;  // some
  double largest = 0;     // finite magnitude
  /// The sum over all vertices of the largest magnitude that leaves one: simple paths and cycles
  /// leave each vertex once. At most no_bound.
  std::int64_t sum = 0;
};

template <class R>
[[nodiscard]] WeightSummary summarise(const CsrView<R>& graph);

/// What choose_lane() makes of it; `bound` as from distance_bound(), or no_bound.
template <class R>
[[nodiscard]] Lane lane_for(const WeightSummary& weights, vertex_t n_vertices, std::int64_t bound);

/// A bound on all finite distances of a graph without negative weights, all of them integers; no
/// closer than `close_enough`, and nothing if none is found in so many rounds over the arcs. A
/// component in which paths lead from everywhere to everywhere has a way through its root, at most
/// as long as the longest way there and the longest from there together. A path through several
/// components is at most a longest path in the acyclic graph of components, each of which costs its
/// own bound.
template <class R>
[[nodiscard]] std::optional<std::int64_t> bound_through_roots(const CsrView<R>& graph,
                                                              std::int64_t close_enough,
                                                              std::int64_t rounds);

}  // namespace warpgraph::apsp_steps
