// NetworkX graphs as CSR arrays, read from their dictionaries without an object for each edge.
//
// A graph is {node: {neighbour: attributes}}, a multigraph {node: {neighbour: {key: attributes}}}.
// These are the rows of a CSR matrix already. A first pass reads the heads of all arcs, a second
// one their weights. Undirected edges are there at both ends, with the same attributes. Weights are
// read at the end that comes first, and the other direction is added as for any undirected graph.
//
// The GIL is held, but now and then other threads may run, and so may the handlers of signals.
#pragma once

#include "bindings/arrays.hpp"
#include "graph/transform/group_arcs.hpp"

#include <optional>
#include <variant>

namespace warpgraph {

struct NetworkxGraph {
  py::object nodes;      // {node: attributes}
  py::object adjacency;  // in the same order
  bool is_directed = false;
  bool is_multigraph = false;
};

/// Unweighted: no edge has attributes, or none were asked for.
using NetworkxCsr = std::variant<Csr<Unweighted>, Csr<std::int64_t>, Csr<double>>;

/// Row u has the arcs to u and to vertices behind u in the order of the dictionaries, then those to
/// vertices before u in increasing order. In a directed graph all are in the order of the
/// dictionaries. `weight` is the attribute that has the weights, or none.
///
/// Nothing if not all mappings are of the type dict itself, or a weight is not plain (see
/// EdgeWeights). Throws a RuntimeError if a dictionary changes meanwhile.
std::optional<NetworkxCsr> read_networkx(const NetworkxGraph& graph,
                                         const std::optional<py::str>& weight);

}  // namespace warpgraph
