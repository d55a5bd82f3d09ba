#include "bindings/graph/small_matrix.hpp"

#include <algorithm>

namespace warpgraph {
namespace {

template <class T>
bool is_plain(const py::array& array) {
  return py::isinstance<py::array_t<T>>(array) && (array.flags() & py::array::c_style) != 0 &&
         is_aligned(array);
}

/// Returns whether a shape is (n, n).
bool is_square(const py::tuple& shape, py::ssize_t n) {
  return shape.size() == 2 && std::ranges::all_of(shape, [&](py::handle side) {
           return PyLong_CheckExact(side.ptr()) && PyLong_AsSsize_t(side.ptr()) == n;
         });
}

}  // namespace

std::optional<SmallMatrix> read_small_matrix(const py::object& matrix, py::ssize_t max_vertices,
                                             py::ssize_t max_arcs) {
  SmallMatrix read{matrix.attr("indptr"), matrix.attr("indices"), matrix.attr("data"), {}};
  const py::ssize_t n = read.indptr.size() - 1;
  const py::ssize_t n_arcs = read.indices.size();
  if (n < 1 || n > max_vertices || n_arcs > max_arcs || read.data.size() != n_arcs) return {};
  if (!is_plain<std::int32_t>(read.indptr) || !is_plain<vertex_t>(read.indices)) return {};
  if (!is_plain<double>(read.data) || !is_square(matrix.attr("shape"), n)) return {};
  read.view.n_vertices = static_cast<vertex_t>(n);
  read.view.n_arcs = n_arcs;
  read.view.offsets = Offsets(static_cast<const std::int32_t*>(read.indptr.data()));
  read.view.heads = static_cast<const vertex_t*>(read.indices.data());
  read.view.weights = static_cast<const double*>(read.data.data());
  validate_structure(read.view);
  return read;
}

vertex_t vertex_named_by(const py::object& number, vertex_t n) {
  if (!PyLong_CheckExact(number.ptr())) return no_vertex;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  return overflow == 0 && value >= 0 && value < n ? static_cast<vertex_t>(value) : no_vertex;
}

}  // namespace warpgraph
