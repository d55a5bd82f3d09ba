// Sizes that matter to calls without a plan, as those of other libraries' interfaces.
#include "core/memory/ledger.hpp"
#include "core/threads/parallel.hpp"
#include "plan/sizes/short_calls.hpp"
#include "plan/sizes/tasks.hpp"

#include <pybind11/numpy.h>
#include <pybind11/typing.h>

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

std::size_t rows_of_trees(std::size_t n_wanted, std::size_t n_columns, const py::dtype& dtype,
                          const Ledger& ledger) {
  const std::size_t bytes_a_row = n_columns * static_cast<std::size_t>(dtype.itemsize());
  return plan::rows_of_trees(n_wanted, bytes_a_row, ledger.budget().available());
}

/// Returns how many new points are placed at a time, within what is left in the ledger.
std::size_t rows_to_place(std::size_t n_new, std::size_t n_neighbours, std::size_t dimension,
                          std::size_t n_clusters, const Ledger& ledger) {
  const std::size_t bytes_a_row = plan::bytes_to_place(n_neighbours, dimension, n_clusters);
  const std::size_t n_rows = plan::rows_to_place(n_new, bytes_a_row, ledger.left());
  ledger.require("the search for neighbours", n_rows * bytes_a_row, "fit with fewer min_samples");
  return n_rows;
}

/// Asks for SciPy's tree of the points among which new ones are placed.
void require_tree(std::size_t n_points, std::size_t dimension, const Ledger& ledger) {
  ledger.require("the search for neighbours", plan::bytes_of_tree(n_points, dimension),
                 "fit to fewer points");
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
  module.def("rows_of_trees", &rows_of_trees, py::arg("n_wanted"), py::arg("n_columns"),
             py::arg("dtype"), py::arg("ledger"));
  module.def("rows_to_place", &rows_to_place, py::arg("n_new"), py::arg("n_neighbours"),
             py::arg("dimension"), py::arg("n_clusters"), py::arg("ledger"));
  module.def("require_tree", &require_tree, py::arg("n_points"), py::arg("dimension"),
             py::arg("ledger"));
}

}  // namespace warpgraph
