// Functions of graphs, called on a handle, and graphs as tuples of NumPy arrays, without a copy.
#pragma once

#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graphs.hpp"
#include "graph/upper_triangle.hpp"
#include "primitives/search/paths_of_pairs.hpp"

namespace warpgraph {

/// A graph as (indptr, indices, data).
using GraphArrays = Tuple<py::array, py::array, py::array>;
/// A graph as (indptr, indices, data, positions): the position of each entry in another graph.
using MappedGraphArrays = Tuple<py::array, py::array, py::array, py::array>;

template <class W>
GraphArrays to_arrays(Csr<W>&& graph) {
  return py::make_tuple(to_array(std::move(graph.offsets)), to_array(std::move(graph.heads)),
                        to_array(std::move(graph.weights)));
}

/// Paths as (lengths, the start of each path and the end of the last, vertices).
using ArraysOfPaths = Tuple<py::array, py::array_t<edge_t>, py::array_t<vertex_t>>;

template <class W>
ArraysOfPaths to_arrays(PathsOfPairs<W>&& paths) {
  return py::make_tuple(to_array(std::move(paths.lengths)), to_array(std::move(paths.offsets)),
                        to_array(std::move(paths.vertices)));
}

/// Returns the arrays of an UpperTriangle or a PermutedGraph.
template <class Mapped>
MappedGraphArrays to_mapped_arrays(Mapped&& mapped) {
  auto& graph = mapped.graph;
  return py::make_tuple(to_array(std::move(graph.offsets)), to_array(std::move(graph.heads)),
                        to_array(std::move(graph.weights)), to_array(std::move(mapped.positions)));
}

/// Calls f(view of the graph with weights of this dtype) without the GIL, and convert(its result)
/// with it.
template <class F, class Convert>
auto with_view(const Graph& graph, const py::dtype& dtype, F&& f, Convert&& convert) {
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> view = graph.view<W>();
    return convert(run_released([&] { return f(view); }));
  });
}

template <class F>
auto with_view(const Graph& graph, const py::dtype& dtype, F&& f) {
  return with_view(graph, dtype, f, std::identity());
}

template <class F>
GraphArrays graph_arrays(const Graph& graph, const py::dtype& dtype, F&& f) {
  return with_view(graph, dtype, f, [](auto&& made) { return to_arrays(std::move(made)); });
}

/// Charges arrays, which a graph keeps, to the ledger; returns them.
template <class Arrays>
Arrays charged(Arrays arrays, Ledger& ledger) {
  for (const py::handle array : arrays) {
    ledger.charge(static_cast<std::size_t>(py::reinterpret_borrow<py::array>(array).nbytes()));
  }
  return arrays;
}

}  // namespace warpgraph
