#include "bindings/graph/networkx/edge_weights.hpp"

#include "bindings/graph/networkx/objects.hpp"
#include "bindings/graph/networkx/prefetch_entries.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace warpgraph {
namespace {

/// Returns the attribute of this name, or null if there is none or a key is no string.
PyObject* find_attribute(PyObject* attributes, PyObject* name) {
  Py_ssize_t place = 0;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  while (PyDict_Next(attributes, &place, &key, &value) != 0) {
    if (key == name) return value;
    if (!PyUnicode_CheckExact(key)) return nullptr;
  }
  // Another string of the same letters. All keys are strings, so this runs no Python code.
  value = PyDict_GetItemWithError(attributes, name);
  if (value == nullptr && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return value;
}

/// Largest number up to which floats have all integers. Larger integers among floats would be
/// rounded.
constexpr std::int64_t largest_exact = std::int64_t{1} << 53;

bool is_exact(std::int64_t integer) { return -largest_exact < integer && integer < largest_exact; }

}  // namespace

EdgeWeights::EdgeWeights(const py::str& name, std::size_t n_edges, bool takes_both_types)
    : n_edges_(n_edges), takes_both_types_(takes_both_types) {
  // Keys of dictionaries of attributes are interned as a rule.
  PyObject* interned = py::object(name).release().ptr();
  PyUnicode_InternInPlace(&interned);
  name_ = py::reinterpret_steal<py::object>(interned);
}

bool EdgeWeights::flush() {
  const std::span<PyObject*> batch(batch_.data(), std::exchange(n_batch_, 0));
  for (PyObject* const attributes : batch) {
    if (!PyDict_CheckExact(attributes)) return false;
    if (PyDict_GET_SIZE(attributes) > 0) prefetch_entries(attributes);
  }
  for (PyObject*& item : batch) {
    if (PyDict_GET_SIZE(item) == 0) {
      item = nullptr;
      continue;
    }
    item = find_attribute(item, name_.ptr());
    if (item == nullptr) return false;
    prefetch_bytes(item, sizeof(PyLongObject));
  }
  for (PyObject* const value : batch) {
    if (!append(value)) return false;
  }
  return true;
}

/// Appends the weight of an edge; null if the edge has no attributes.
bool EdgeWeights::append(PyObject* value) {
  if (value == nullptr) {
    ++n_without_;
    return integers.empty() && floats.empty();
  }
  if (n_without_ > 0) return false;
  if (PyFloat_CheckExact(value)) return append_float(PyFloat_AS_DOUBLE(value));
  return PyLong_CheckExact(value) && append_integer(value);
}

bool EdgeWeights::append_float(double value) {
  if (floats.empty()) {
    if (!integers.empty() && !takes_both_types_) return false;
    if (!std::all_of(integers.begin(), integers.end(), is_exact)) return false;
    floats.reserve(n_edges_);
    floats.assign(integers.begin(), integers.end());
    integers = {};
  }
  floats.push_back(value);
  return !std::isnan(value);
}

bool EdgeWeights::append_integer(PyObject* value) {
  std::int64_t integer = 0;
  if (!fits_int64(value, integer)) return false;
  if (!floats.empty()) {
    return takes_both_types_ && is_exact(integer) && append_float(static_cast<double>(integer));
  }
  if (integers.empty()) integers.reserve(n_edges_);
  integers.push_back(integer);
  return true;
}

}  // namespace warpgraph
