// Properties of a graph that matter to searches and sweeps: whether vertices have few arcs each, as
// on roads, whether some vertex is a hub, and whether arcs join vertices with near numbers.
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

/// The places that arcs of a graph lead to, by a sample of vertices: fractions of the arcs.
struct Locality {
  double at_hubs = 0;  // that leave hubs, here vertices of four times the mean degree or more
  double near = 1;     // whose ends are near: their numbers share cached pages
};
[[nodiscard]] Locality locality_of(const CsrPattern& graph);

}  // namespace warpgraph
