// All arcs on shortest paths: what is left of a graph if of several shortest paths none is chosen.
#pragma once

#include "graph/csr.hpp"

namespace warpgraph {

/// The tails of arcs by head: order[i] has those at offsets[i] .. offsets[i + 1].
struct TightArcs {
  HostVector<edge_t> offsets;
  HostVector<vertex_t> tails;
};

/// The arcs u -> v with distances[u] + weight == distances[v] whose ends are both in `order`, tails
/// in this order as well; one of parallel arcs. Distances are sums from the source on, so sums
/// along a last arc are exactly the same numbers, of floats too.
template <class W>
[[nodiscard]] TightArcs tight_arcs(const CsrView<W>& graph, std::span<const vertex_t> order,
                                   std::span<const W> distances);

}  // namespace warpgraph
