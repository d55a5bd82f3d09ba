// Graphs with costs of turns, expanded.
#include "bindings/core/ledger.hpp"
#include "bindings/graph_arrays.hpp"
#include "graph/turns.hpp"

namespace warpgraph {
namespace {

/// An expanded graph as (indptr, indices, data, origins, starts).
using ExpandedArrays =
    Tuple<py::array, py::array, py::array, py::array_t<vertex_t>, py::array_t<vertex_t>>;

ExpandedArrays expand(const GraphHandle& graph, std::span<const edge_t> from,
                      std::span<const edge_t> to, const py::array& costs,
                      LeftInLedger memory_limit) {
  return with_view(
      graph, costs.dtype(),
      [&]<class W>(const CsrView<W>& view) {
        return expand_turns<W>(view, {from, to, readable<W>(costs)}, memory_limit);
      },
      [](auto&& made) -> ExpandedArrays {
        return py::make_tuple(to_array(std::move(made.graph.offsets)),
                              to_array(std::move(made.graph.heads)),
                              to_array(std::move(made.graph.weights)),
                              to_array(std::move(made.origins)), to_array(std::move(made.starts)));
      });
}

}  // namespace

void init_turns(py::module_& module) {
  module.def("expand_turns", &expand, py::arg("graph"), py::arg("from_edges"), py::arg("to_edges"),
             py::arg("costs"), py::arg("ledger"));
}

}  // namespace warpgraph
