// Graphs, and the functions of csrc/graph on them.
#include "bindings/device.hpp"
#include "bindings/graph_arrays.hpp"
#include "bindings/hand_over.hpp"
#include "graph/partition/partition.hpp"
#include "graph/symmetry/symmetry.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

GraphArrays transpose_arrays(const Graph& graph, const py::dtype& dtype, Ledger& ledger) {
  const MemoryBudget budget = left_to_make(ledger);
  const auto make = [&](const auto& view) { return transpose(view, budget); };
  return charged(graph_arrays(graph, dtype, make), ledger);
}

GraphArrays symmetrise_arrays(const Graph& graph, const py::dtype& dtype, Ledger& ledger) {
  const MemoryBudget budget = left_to_make(ledger);
  const auto make = [&](const auto& view) { return symmetrise(view, budget); };
  return charged(graph_arrays(graph, dtype, make), ledger);
}

/// Returns None if no entry lies below the diagonal: the graph is its own upper triangle.
std::optional<MappedGraphArrays> upper_triangle_arrays(const Graph& graph, const py::dtype& dtype,
                                                       Ledger& ledger) {
  if (!run_released([&] { return has_lower_triangle(graph.pattern()); })) return std::nullopt;
  const MemoryBudget budget = left_to_make(ledger);
  return charged(with_view(
                     graph, dtype, [&](const auto& view) { return upper_triangle(view, budget); },
                     [](auto&& upper) { return to_mapped_arrays(std::move(upper)); }),
                 ledger);
}

bool has_mirrored_weights(const Graph& graph, const py::dtype& dtype) {
  return with_view(graph, dtype, [](const auto& view) { return is_symmetric(view); });
}

/// Returns whether it was found, by either check, that every entry is stored both ways.
bool is_known_mirrored(Graph& graph) {
  return graph.structure_facts().is_mirrored.if_known().value_or(false);
}

/// Returns the first vertex of each part, and the number of vertices.
py::array_t<vertex_t> equal_arcs_of(const Graph& graph, int n_parts) {
  return py::array_t<vertex_t>(n_parts + 1, equal_arcs(graph.pattern(), n_parts).begins);
}

}  // namespace

void init_graph(py::module_& module) {
  py::class_<Graph>(module, "Graph")
      .def_property_readonly("n_arcs", &Graph::n_arcs)
      .def("check", &Graph::check)
      .def("transpose", &transpose_arrays, py::arg("dtype"), py::arg("ledger"))
      .def("symmetrise", &symmetrise_arrays, py::arg("dtype"), py::arg("ledger"))
      .def("upper_triangle", &upper_triangle_arrays, py::arg("dtype"), py::arg("ledger"))
      .def("has_mirrored_weights", &has_mirrored_weights, py::arg("dtype"))
      .def("is_mirrored", &Graph::is_mirrored)
      .def("has_mirrored_structure", &Graph::has_mirrored_structure)
      .def("is_known_mirrored", &is_known_mirrored)
      .def("longest_row", &Graph::longest_row)
      .def("equal_arcs", &equal_arcs_of, py::arg("n_parts"))
      .def("device_bytes", &Graph::device_bytes)
      .def("structure_only", [](const Graph& graph) { return hand_over(graph.structure_only()); })
      .def("with_structure", [](const Graph& graph) { return hand_over(graph.with_structure()); });
}

}  // namespace warpgraph
