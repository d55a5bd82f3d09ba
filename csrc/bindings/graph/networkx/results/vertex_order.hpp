// The order in which NetworkX's results have the vertices that a search reached.
#pragma once

#include "core/memory/host_vector.hpp"
#include "core/types.hpp"

#include <span>

namespace warpgraph {

/// Returns the vertices that were reached, by distance, those at the same distance in ascending
/// order. Unreachable is infinity; distances of int32 are hops, of which -1 is unreachable.
template <class W>
HostVector<vertex_t> order_by_distance(std::span<const W> distances);

}  // namespace warpgraph
