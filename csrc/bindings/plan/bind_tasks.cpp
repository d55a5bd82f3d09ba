// What the tasks of distributed graphs hold at a time.
#include "plan/sizes/tasks.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/typing.h>

namespace warpgraph {

namespace py = pybind11;

namespace {

/// Returns (bytes of an edge, bytes of a vertex).
py::typing::Tuple<std::int64_t, std::int64_t> bytes_of_task(std::string_view task) {
  const plan::rates::TaskBytes bytes = plan::bytes_of_task(task);
  return py::make_tuple(bytes.of_an_edge, bytes.of_a_vertex);
}

}  // namespace

void init_tasks(py::module_& module) {
  module.def("bytes_of_task", &bytes_of_task, py::arg("task"));
  module.def("edges_at_a_time", &plan::edges_at_a_time, py::arg("task"), py::arg("limit"),
             py::arg("n_vertices") = 0, py::arg("arcs_an_edge") = 1);
  module.def("arcs_of_a_part", &plan::arcs_of_a_part, py::arg("task"), py::arg("name"),
             py::arg("limit"), py::arg("n_vertices"), py::arg("range"));
  module.def("hold_all_scores", &plan::hold_all_scores, py::arg("limit"), py::arg("n_vertices"));
  module.def("forests_at_a_time", &plan::forests_at_a_time, py::arg("n_wanted"), py::arg("limit"),
             py::arg("n_vertices"));
  module.def("require_whole_graph", &plan::require_whole_graph, py::arg("limit"),
             py::arg("n_vertices"), py::arg("bytes_of_edges"));
}

}  // namespace warpgraph
