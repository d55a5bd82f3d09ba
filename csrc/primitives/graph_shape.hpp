// Properties of a graph's degrees that matter to searches: whether vertices have few arcs each, as
// on roads, and whether some vertex is a hub.
#pragma once

#include "graph/csr.hpp"

namespace warpgraph {

/// Returns the smallest vertex of largest degree. The graph has at least one vertex.
[[nodiscard]] vertex_t max_degree_vertex(const CsrPattern& graph);

/// Returns whether a vertex has more than 32 times the mean degree. A graph with such a vertex has
/// a small diameter: every vertex is near every other.
[[nodiscard]] bool is_hub(const CsrPattern& graph, vertex_t v);

/// Returns max_degree_vertex() if it is a hub, else no_vertex.
[[nodiscard]] vertex_t find_hub(const CsrPattern& graph);

}  // namespace warpgraph
