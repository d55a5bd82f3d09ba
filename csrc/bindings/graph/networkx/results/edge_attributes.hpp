// Attributes of some edges of a NetworkX graph.
#pragma once

#include "bindings/graph/networkx/results/node_lists.hpp"

namespace warpgraph {

/// Returns the attributes of the edges tails[i] -> heads[i]: the very mappings that are in the
/// graph. Vertex v is nodes[v] and has the row rows[v], a mapping from neighbours to attributes.
NodeList edge_attributes(const NodeList& nodes, std::span<const vertex_t> tails,
                         std::span<const vertex_t> heads, const NodeList& rows);

}  // namespace warpgraph
