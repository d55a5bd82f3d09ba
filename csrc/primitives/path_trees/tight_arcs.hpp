// All arcs on shortest paths: the rest of a graph if none of several shortest paths is chosen.
#pragma once

#include "graph/csr.hpp"

namespace warpgraph {

/// Tails of arcs by head: order[i] has those at offsets[i] .. offsets[i + 1].
struct TightArcs {
  HostVector<edge_t> offsets;
  HostVector<vertex_t> tails;
};

/// Returns the arcs u -> v with distances[u] + weight == distances[v] whose ends are both in
/// `order`, tails in this order as well; one of parallel arcs. Distances are sums from the source
/// on, so sums along a last arc are exactly the same numbers, of floats too.
template <class W>
[[nodiscard]] TightArcs tight_arcs(const CsrView<W>& graph, std::span<const vertex_t> order,
                                   std::span<const W> distances);

}  // namespace warpgraph
