// NetworkX graphs as CSR arrays, read from their dictionaries without an object for each edge.
//
// A graph is {node: {neighbour: attributes}}, a multigraph {node: {neighbour: {key: attributes}}}.
// These are the rows of a CSR matrix already. Undirected edges are there at both ends, with the
// same attributes, which are read at the end that comes first: most of the time goes into fetching
// a dictionary for each edge, its entry and its weight from memory.
//
// The GIL is held, but now and then other threads may run, and so may the handlers of signals.
#pragma once

#include "graph/transform/group_arcs.hpp"

#include <pybind11/typing.h>

#include <optional>
#include <variant>

namespace warpgraph {

namespace py = pybind11;

/// The order of the arcs of an undirected graph in the rows of the matrix.
enum class ArcOrder {
  /// The order of the dictionaries, as in a directed graph.
  dictionaries,
  /// The order that a graph made of the list of this graph's edges has. In row u: arcs to u and to
  /// vertices after u, in the order of the dictionaries; then those to vertices before u, in
  /// increasing order.
  edges,
};

struct NetworkxGraph {
  py::object nodes;      // {node: attributes}
  py::object adjacency;  // in the same order
  bool is_directed = false;
  bool is_multigraph = false;
  ArcOrder order = ArcOrder::edges;
};

/// A graph as CSR arrays. Unweighted if no edge has attributes, or no weights were asked for.
using NetworkxCsr = std::variant<Csr<Unweighted>, Csr<std::int64_t>, Csr<double>>;

/// Reads a graph; `weight` is the attribute that has the weights, or none.
///
/// Returns nothing, so that the caller reads the graph in Python, if not all mappings are of the
/// type dict itself, or a weight is not plain (see EdgeWeights), or some weights are integers and
/// others floats and the order is ArcOrder::dictionaries. Throws a RuntimeError if a dictionary
/// changes meanwhile.
std::optional<NetworkxCsr> read_networkx(const NetworkxGraph& graph,
                                         const std::optional<py::str>& weight);

}  // namespace warpgraph
