// What the degrees of a graph say about the searches in it: whether vertices have few arcs each, as
// on roads, and whether some vertex is a hub.
#pragma once

#include "graph/csr.hpp"

namespace warpgraph {

/// The smallest vertex of largest degree. At least one vertex.
[[nodiscard]] vertex_t max_degree_vertex(const CsrPattern& graph);

/// Whether a vertex has more than 32 times the mean degree. A graph with such a vertex has a small
/// diameter: every vertex is near every other.
[[nodiscard]] bool is_hub(const CsrPattern& graph, vertex_t v);

/// max_degree_vertex() if it is a hub; else no_vertex.
[[nodiscard]] vertex_t find_hub(const CsrPattern& graph);

}  // namespace warpgraph
