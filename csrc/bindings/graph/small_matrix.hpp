// Small matrices of SciPy, which are read in place. To make a handle, to release the GIL and to let
// hooks be polled takes several times as long as searches of these.
#pragma once

#include "bindings/arrays.hpp"
#include "graph/csr.hpp"

#include <optional>

namespace warpgraph {

/// A matrix whose arrays it keeps alive.
struct SmallMatrix {
  py::array indptr;
  py::array indices;
  py::array data;
  CsrView<double> view;
};

/// Reads a matrix of SciPy's CSR classes. Returns nothing if it is not square, has no vertices or
/// more vertices or entries than these, or its arrays are not contiguous ones of 32-bit indices and
/// float64. Throws std::invalid_argument if they are no graph: see validate_structure.
std::optional<SmallMatrix> read_small_matrix(const py::object& matrix, py::ssize_t max_vertices,
                                             py::ssize_t max_arcs);

/// Returns the vertex of a graph of n that an int names, or no_vertex.
vertex_t vertex_named_by(const py::object& number, vertex_t n);

}  // namespace warpgraph
