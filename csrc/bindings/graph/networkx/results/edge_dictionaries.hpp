// Graphs as NetworkX keeps them: a dictionary of dictionaries, with one of attributes for each
// edge.
#pragma once

#include "bindings/graph/networkx/results/node_lists.hpp"

#include <utility>

namespace warpgraph {

/// Adjacency of a graph as {node: {neighbour: attributes}}.
using Adjacency = py::typing::Dict<py::object, py::typing::Dict<py::object, py::object>>;
/// Edges as (node, node, attributes).
using EdgeList = py::typing::List<py::typing::Tuple<py::object, py::object, py::object>>;

struct TreeEdges {
  std::span<const vertex_t> tails;
  std::span<const vertex_t> heads;
  /// The attributes of each edge; empty if edges have none.
  NodeList attributes;
};

/// Returns the edges with their attributes, which are not copied.
EdgeList edge_list(const NodeList& nodes, const TreeEdges& edges);

/// Returns {node: copy of its attributes}; vertex v is nodes[v] and has the mapping attributes[v].
NodeValues attribute_dictionaries(const NodeList& nodes, const NodeList& attributes);

/// Returns (successors, predecessors), with a row for each vertex in `vertices`, in this order.
/// Attributes are copied, and an edge's copy is the same dictionary in both. For an undirected
/// graph both are one, with each edge at both ends. Vertex v is nodes[v]. No edge is parallel to
/// another.
std::pair<Adjacency, Adjacency> edge_dictionaries(const NodeList& nodes,
                                                  std::span<const vertex_t> vertices,
                                                  const TreeEdges& edges, bool directed);

}  // namespace warpgraph
