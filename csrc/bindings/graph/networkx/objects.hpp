// Python's objects without the checks of their general interfaces: results have many of them.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/typing.h>

#include <cstdint>
#if PY_VERSION_HEX < 0x030B0000
#include <longintrepr.h>
#endif

namespace warpgraph {

namespace py = pybind11;

/// Takes over a new reference. If it is null, an error is set, which is thrown.
inline py::object owned(PyObject* made) {
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(made);
}

/// Reads an object of the type int itself. Returns false if the number needs more than 64 bits.
inline bool fits_int64(PyObject* integer, std::int64_t& value) {
  // Numbers of one digit are most, and are read without a call.
#if PY_VERSION_HEX >= 0x030C0000
  const auto* const number = reinterpret_cast<const PyLongObject*>(integer);
  if (PyUnstable_Long_IsCompact(number)) {
    value = PyUnstable_Long_CompactValue(number);
    return true;
  }
#else
  const Py_ssize_t digits = Py_SIZE(integer);  // negative if the number is
  if (digits >= -1 && digits <= 1) {
    const auto* const number = reinterpret_cast<const PyLongObject*>(integer);
    value = digits * static_cast<std::int64_t>(number->ob_digit[0]);
    return true;
  }
#endif
  int overflow = 0;
  value = PyLong_AsLongLongAndOverflow(integer, &overflow);
  return overflow == 0;
}

/// Makes a dictionary with room for this many entries: growing to them would insert most of them
/// again. The function is no part of Python's interface, and is not available from 3.13 on.
inline py::object new_dictionary(std::size_t n_entries) {
#if PY_VERSION_HEX < 0x030D0000
  return owned(_PyDict_NewPresized(static_cast<Py_ssize_t>(n_entries)));
#else
  (void)n_entries;
  return owned(PyDict_New());
#endif
}

inline void insert(const py::object& dictionary, PyObject* key, PyObject* value) {
  if (PyDict_SetItem(dictionary.ptr(), key, value) != 0) throw py::error_already_set();
}

}  // namespace warpgraph
