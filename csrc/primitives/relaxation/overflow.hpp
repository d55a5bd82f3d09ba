// Sums that do not fit the type of the distances, and negative cycles, found in the distances of a
// finished search.
#pragma once

#include "graph/csr.hpp"

#include <span>

namespace warpgraph::shortest_paths {

/// Throws NegativeCycle if a search that is still lowering `distances` goes round in one. A search
/// of floats that has done fewer than n_vertices rounds may be on its way to an end although a
/// cycle's weight rounds to less than zero; `beyond_rounding` asks for a cycle that is lighter than
/// any rounding could make it.
template <class W>
void look_for_negative_cycle(const CsrView<W>& graph, std::span<const W> distances,
                             bool beyond_rounding);

/// Throws std::overflow_error, naming the arc, if the distance of a vertex does not fit W; or
/// NegativeCycle if one is the reason.
template <class W>
void check_overflow(const CsrView<W>& graph, std::span<const W> distances);

}  // namespace warpgraph::shortest_paths
