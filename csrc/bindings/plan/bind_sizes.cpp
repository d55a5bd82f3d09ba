// Sizes that matter to calls without a plan: of other libraries' interfaces, and of tasks.
#include "core/device.hpp"
#include "core/memory/ledger.hpp"
#include "core/threads/parallel.hpp"
#include "plan/short_calls.hpp"
#include "plan/tasks.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/typing.h>

#include <limits>

namespace warpgraph {

namespace py = pybind11;

namespace {

bool is_short(std::string_view function, std::int64_t n_vertices, std::int64_t n_arcs,
              std::int64_t n_sources) {
  return plan::is_short(function, {n_vertices, n_arcs, n_sources}, configured_threads());
}

std::int64_t sources_at_a_time(std::int64_t n_vertices) {
  return plan::sources_at_a_time(n_vertices, configured_threads());
}

std::size_t rows_of_trees(std::size_t n_wanted, std::size_t bytes_a_row, const Ledger& ledger) {
  const std::size_t left = ledger.left();
  return plan::rows_of_trees(n_wanted, bytes_a_row, left != 0 ? left : free_memory(Device{}));
}

/// Returns how many new points are placed at a time, within what is left in the ledger.
std::size_t rows_to_place(std::size_t n_new, std::size_t n_neighbours, std::size_t dimension,
                          std::size_t bytes_of_result, const Ledger& ledger) {
  const std::size_t bytes_a_row = plan::bytes_to_place(n_neighbours, dimension, bytes_of_result);
  const std::size_t memory =
      ledger.is_limited() ? ledger.left() : std::numeric_limits<std::size_t>::max();
  const std::size_t n_rows = plan::rows_to_place(n_new, bytes_a_row, memory);
  ledger.require("the search for neighbours", n_rows * bytes_a_row, "fit with fewer min_samples");
  return n_rows;
}

/// Returns (bytes of an edge, bytes of a vertex).
py::typing::Tuple<std::int64_t, std::int64_t> bytes_of_task(std::string_view task) {
  const plan::rates::TaskBytes bytes = plan::bytes_of_task(task);
  return py::make_tuple(bytes.of_an_edge, bytes.of_a_vertex);
}

/// Returns (entries a node that a search in NetworkX reads, most that are worth a conversion).
py::typing::Tuple<std::int64_t, std::int64_t> entries_a_node() {
  return py::make_tuple(plan::rates::entries_read_by_networkx,
                        plan::rates::entries_worth_a_conversion);
}

}  // namespace

void init_sizes(py::module_& module) {
  module.def("is_short", &is_short, py::arg("function"), py::arg("n_vertices"), py::arg("n_arcs"),
             py::arg("n_sources") = 1);
  module.def("entries_worth", &plan::entries_worth, py::arg("kind"), py::arg("is_converted"));
  module.def("entries_a_node", &entries_a_node);
  module.def("sources_at_a_time", &sources_at_a_time, py::arg("n_vertices"));
  module.def("threads_to_filter", &plan::threads_to_filter, py::arg("n_bytes"));
  module.def("queries_at_a_time", &plan::queries_at_a_time, py::arg("n_points"));
  module.def("rows_of_trees", &rows_of_trees, py::arg("n_wanted"), py::arg("bytes_a_row"),
             py::arg("ledger"));
  module.def("rows_to_place", &rows_to_place, py::arg("n_new"), py::arg("n_neighbours"),
             py::arg("dimension"), py::arg("bytes_of_result"), py::arg("ledger"));
  module.def("bytes_of_tree", &plan::bytes_of_tree, py::arg("n_points"), py::arg("dimension"));
  module.def("bytes_of_task", &bytes_of_task, py::arg("task"));
}

}  // namespace warpgraph
