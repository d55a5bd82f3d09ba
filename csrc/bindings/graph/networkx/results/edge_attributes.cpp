#include "bindings/graph/networkx/results/edge_attributes.hpp"

#include "bindings/graph/networkx/objects.hpp"
#include "bindings/graph/networkx/pauses.hpp"
#include "bindings/graph/networkx/prefetch_entries.hpp"
#include "bindings/graph/networkx/results/incidence.hpp"

#include <algorithm>

namespace warpgraph {
namespace {

/// Returns a borrowed reference to the value in a dictionary, or null: there is none, or an error
/// is set.
PyObject* find(PyObject* row, PyObject* key) {
  return PyDict_CheckExact(row) ? PyDict_GetItemWithError(row, key) : nullptr;
}

py::object value_of(PyObject* row, PyObject* key) {
  if (!PyDict_CheckExact(row)) return owned(PyObject_GetItem(row, key));
  PyObject* const value = find(row, key);
  if (value != nullptr) return py::reinterpret_borrow<py::object>(value);
  if (PyErr_Occurred() == nullptr) PyErr_SetObject(PyExc_KeyError, key);
  throw py::error_already_set();
}

/// Looks a value up and prefetches it, so that a reference can be taken later without waiting.
/// Until then, __eq__ of another key may remove it, so it has to be looked up again.
[[gnu::always_inline]] inline void prefetch_value(PyObject* row, PyObject* key) {
  PyObject* const value = find(row, key);
  if (value == nullptr && PyErr_Occurred() != nullptr) throw py::error_already_set();
  __builtin_prefetch(value, 1);
}

}  // namespace

/// Collects the attributes of edges in batches: they are four references away, most of them in no
/// cache, so those of many edges are prefetched at a time. Rows are near each other in memory as a
/// rule, so edges are visited in the order of their tails.
NodeList edge_attributes(const NodeList& nodes, std::span<const vertex_t> tails,
                         std::span<const vertex_t> heads, const NodeList& rows) {
  constexpr std::size_t batch_size = 64;
  NodeList found(tails.size());
  const Incidence by_tail = incidence(nodes.size(), tails, heads);
  const std::span<const std::int64_t> order(by_tail.weights);
  Pauses pauses;
  for (std::size_t first = 0; first < order.size(); first += batch_size) {
    const auto batch = order.subspan(first, std::min(batch_size, order.size() - first));
    const auto row = [&](std::size_t i) {
      return PyList_GET_ITEM(rows.ptr(), tails[static_cast<std::size_t>(batch[i])]);
    };
    const auto head = [&](std::size_t i) {
      return PyList_GET_ITEM(nodes.ptr(), by_tail.heads[first + i]);
    };
    for (std::size_t i = 0; i < batch.size(); ++i) {
      __builtin_prefetch(row(i));
      __builtin_prefetch(head(i));
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (PyDict_CheckExact(row(i))) prefetch_entries(row(i));
    }
    for (std::size_t i = 0; i < batch.size(); ++i) prefetch_value(row(i), head(i));
    for (std::size_t i = 0; i < batch.size(); ++i) {
      PyList_SET_ITEM(found.ptr(), batch[i], value_of(row(i), head(i)).release().ptr());
    }
    if (pauses.is_due(static_cast<std::int64_t>(4 * batch.size()))) pauses.pause();
  }
  return found;
}

}  // namespace warpgraph
