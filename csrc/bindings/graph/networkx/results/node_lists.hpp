// Results of searches in NetworkX's forms: dictionaries of lists of nodes, and sets.
//
// The GIL is held while objects are made, but now and then other threads may run, and so may the
// handlers of signals. Callers pause the garbage collector: the number of lists would start it.
#pragma once

#include "core/types.hpp"

#include <pybind11/typing.h>

#include <span>

namespace warpgraph {

namespace py = pybind11;

using NodeList = py::typing::List<py::object>;
using NodeLists = py::typing::Dict<py::object, NodeList>;

using NodeSets = py::typing::List<py::typing::Set<py::object>>;

/// Numbers of nodes as {node: number}.
using NodeValues = py::typing::Dict<py::object, py::object>;

/// Returns {node: value} for the vertices of `order`, in this order; vertex v is nodes[v]. Values
/// become Python's int and float.
template <class T>
NodeValues node_values(const NodeList& nodes, std::span<const vertex_t> order,
                       std::span<const T> values);

/// Returns {node: path} of a tree for the vertices of `order`, in this order; vertex v is nodes[v].
/// Paths begin at the root or, if `to_root`, end there. All predecessors of a vertex in `order` are
/// there as well, but may come later.
NodeLists path_lists(const NodeList& nodes, std::span<const vertex_t> order,
                     std::span<const vertex_t> predecessors, bool to_root);

/// Returns {node: nodes}: order[i] has the vertices members[offsets[i]] .. members[offsets[i + 1] -
/// 1].
NodeLists group_lists(const NodeList& nodes, std::span<const vertex_t> order,
                      std::span<const edge_t> offsets, std::span<const vertex_t> members);

/// Returns the nodes with each label, 0 <= label < n_labels; vertex v is nodes[v].
NodeSets sets_by_label(const NodeList& nodes, std::span<const vertex_t> labels, vertex_t n_labels);

}  // namespace warpgraph
