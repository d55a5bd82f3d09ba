// Detects sums that do not fit the type of the distances, and negative cycles, from the distances
// of a search.
#pragma once

#include "graph/csr.hpp"

#include <span>

namespace warpgraph::shortest_paths {

/// Throws NegativeCycle if `distances`, of a search that has not converged, reveal a negative
/// cycle. A search of floats that has done fewer than n_vertices rounds may still converge although
/// the computed weight of a cycle is below zero because of rounding. `beyond_rounding` accepts only
/// a cycle whose weight is below zero by more than any rounding error.
template <class W>
void check_negative_cycle(const CsrView<W>& graph, std::span<const W> distances,
                          bool beyond_rounding);

/// Throws std::overflow_error, naming the arc, if the distance of a vertex does not fit W, or
/// NegativeCycle if a negative cycle is the cause.
template <class W>
void check_overflow(const CsrView<W>& graph, std::span<const W> distances);

}  // namespace warpgraph::shortest_paths
