// Searches of small matrices of SciPy. To make a handle, to release the GIL and to let hooks be
// polled takes several times as long as these searches, and SciPy's own have less to do.
#include "algorithms/traversal/traversal.hpp"
#include "bindings/items.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <optional>

namespace warpgraph {
namespace {

constexpr py::ssize_t most_items = 1 << 13;

using Indices = py::array_t<vertex_t>;
/// The order and the predecessors.
using Visits = Tuple<Indices, Indices>;

bool is_contiguous(const py::array& array) {
  return py::isinstance<Indices>(array) && (array.flags() & py::array::c_style) != 0;
}

/// Whether a shape is (n, n).
bool is_square(const py::tuple& shape, py::ssize_t n) {
  return shape.size() == 2 && std::ranges::all_of(shape, [&](py::handle side) {
           return PyLong_CheckExact(side.ptr()) && PyLong_AsSsize_t(side.ptr()) == n;
         });
}

/// Whether a vertex of a graph of n was named by an int.
bool is_vertex(const py::object& start, vertex_t n) {
  if (!PyLong_CheckExact(start.ptr())) return false;
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(start.ptr(), &overflow);
  return overflow == 0 && number >= 0 && number < n;
}

/// None if the matrix, of SciPy's CSR classes, is not small and square or has other types than
/// float64 and 32-bit indices, or if `start` is no vertex.
template <vertex_t find_order(const CsrPattern&, const TraversalOptions&, std::span<vertex_t>,
                              std::span<vertex_t>)>
std::optional<Visits> visits_of(const py::object& matrix, const py::object& start,
                                vertex_t missing) {
  const py::array indptr = matrix.attr("indptr");
  const py::array indices = matrix.attr("indices");
  if (indptr.size() < 2 || std::max(indptr.size(), indices.size()) > most_items) return {};
  const auto n = static_cast<vertex_t>(indptr.size() - 1);
  if (!is_contiguous(indptr) || !is_contiguous(indices) || !is_vertex(start, n)) return {};
  if (!py::isinstance<py::array_t<double>>(matrix.attr("data"))) return {};
  if (!is_square(matrix.attr("shape"), n)) return {};

  const CsrPattern graph{n, indices.size(), Offsets(readable<std::int32_t>(indptr).data()),
                         readable<vertex_t>(indices).data()};
  validate_structure(graph);
  Indices predecessors(n);
  std::vector<vertex_t> order(static_cast<std::size_t>(n));
  TraversalOptions options;
  options.source = start.cast<vertex_t>();
  options.missing = missing;
  const vertex_t n_visited =
      find_order(graph, options, order, {predecessors.mutable_data(), order.size()});
  return Visits(py::make_tuple(Indices(n_visited, order.data()), predecessors));
}

}  // namespace

void init_small_traversal(py::module_& module) {
  module.def("small_breadth_first_order", &visits_of<breadth_first_order>, py::arg("matrix"),
             py::arg("start"), py::arg("missing"));
  module.def("small_depth_first_order", &visits_of<depth_first_order>, py::arg("matrix"),
             py::arg("start"), py::arg("missing"));
}

}  // namespace warpgraph
