// Python's objects without the checks of their general interfaces: results have many of them.
#pragma once

#include <pybind11/pybind11.h>

namespace warpgraph {

namespace py = pybind11;

/// Takes over a new reference. Null: an error is set, which is thrown.
inline py::object owned(PyObject* made) {
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(made);
}

inline void insert(const py::object& dictionary, PyObject* key, const py::object& value) {
  if (PyDict_SetItem(dictionary.ptr(), key, value.ptr()) != 0) throw py::error_already_set();
}

}  // namespace warpgraph
