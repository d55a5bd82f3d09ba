// Weights that need special treatment, or that algorithms refuse.
#include "bindings/graph_arrays.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

/// An entry of the matrix as (position, tail, head, weight).
using Entry = std::optional<Tuple<std::int64_t, std::int64_t, std::int64_t, py::object>>;

/// Returns the entry at a position; none for -1.
Entry entry_at(Graph& graph, edge_t position) {
  if (position < 0) return std::nullopt;
  return graph.with_type_of_caller([&]<class W>() -> Entry {
    const CsrView<W> view = graph.view<W>();
    return py::make_tuple(position, tail_of(view, position), view.heads[position],
                          view.weights[position]);
  });
}

/// Returns (the first negative weight, the first weight equal to the distance "unreachable").
Tuple<Entry, Entry> unusual_weights(Graph& graph) {
  graph.check();
  const UnusualWeights found = graph.unusual_weights();
  return py::make_tuple(entry_at(graph, found.negative), entry_at(graph, found.unreachable));
}

/// Returns the first weight that is 0 or negative, or None.
Entry first_not_positive(Graph& graph) {
  graph.check();
  return entry_at(graph, graph.first_not_positive());
}

}  // namespace

void init_unusual_weights(py::module_& module) {
  module.def("unusual_weights", &unusual_weights, py::arg("graph"));
  module.def("first_not_positive", &first_not_positive, py::arg("graph"));
}

}  // namespace warpgraph
