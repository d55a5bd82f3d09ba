// Graphs with costs of turns, expanded.
#include "bindings/core/ledger.hpp"
#include "bindings/graph_arrays.hpp"
#include "graph/turns/corners.hpp"
#include "graph/turns/turns.hpp"

namespace warpgraph {
namespace {

/// An expanded graph as (indptr, indices, data, origins, starts), see TurnExpansion.
using ExpandedArrays =
    Tuple<py::array, py::array, py::array, py::array_t<vertex_t>, py::array_t<vertex_t>>;

ExpandedArrays expand(const Graph& graph, std::span<const edge_t> from, std::span<const edge_t> to,
                      const py::array& costs, MemoryBudget budget) {
  return dispatch_weight(costs.dtype(), [&]<class W>() -> ExpandedArrays {
    const CsrView<W> view = graph.view<W>();
    const Turns<W> turns{from, to, readable<W>(costs)};
    TurnExpansion<W> made = run_released([&] { return expand_turns(view, turns, budget); });
    return py::make_tuple(to_array(std::move(made.graph.offsets)),
                          to_array(std::move(made.graph.heads)),
                          to_array(std::move(made.graph.weights)),
                          to_array(std::move(made.origins)), to_array(std::move(made.starts)));
  });
}

/// Turns by their edges as (first edges, second edges, rows), see TurnsOfCorners.
using ArraysOfTurns = Tuple<py::array_t<edge_t>, py::array_t<edge_t>, py::array_t<std::int64_t>>;

ArraysOfTurns turns_of_corners(Graph& graph, std::span<const vertex_t> before,
                               std::span<const vertex_t> via, std::span<const vertex_t> after,
                               const py::array& costs, Ledger& ledger) {
  graph.check();
  TurnsOfCorners made = dispatch_weight(costs.dtype(), [&]<class W>() {
    const Corners<W> corners{before, via, after, readable<W>(costs)};
    return run_released([&] { return find_turns(graph.pattern(), corners, ledger.budget()); });
  });
  ledger.charge(made.from.size() * (2 * sizeof(edge_t) + sizeof(std::int64_t)));
  return py::make_tuple(to_array(std::move(made.from)), to_array(std::move(made.to)),
                        to_array(std::move(made.rows)));
}

}  // namespace

void init_turns(py::module_& module) {
  module.def("expand_turns", &expand, py::arg("graph"), py::arg("from_edges"), py::arg("to_edges"),
             py::arg("costs"), py::arg("ledger"));
  module.def("turns_of_corners", &turns_of_corners, py::arg("graph"), py::arg("before"),
             py::arg("via"), py::arg("after"), py::arg("costs"), py::arg("ledger"));
}

}  // namespace warpgraph
