#include "bindings/graph/networkx/edge_dictionaries.hpp"

#include "bindings/graph/networkx/objects.hpp"
#include "bindings/graph/networkx/pauses.hpp"
#include "bindings/graph/networkx/prefetch_entries.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace warpgraph {
namespace {

PyObject* item(const py::list& list, vertex_t v) { return PyList_GET_ITEM(list.ptr(), v); }

/// Rows by vertex, and by node in a dictionary.
class Rows {
 public:
  Rows(const NodeList& nodes, std::span<const vertex_t> vertices) : rows_(nodes.size()) {
    Pauses pauses;
    for (const vertex_t v : vertices) {
      py::object& row = rows_[static_cast<std::size_t>(v)] = py::dict();
      insert(by_node, item(nodes, v), row);
      if (pauses.is_due(1)) pauses.pause();
    }
  }
  [[nodiscard]] const py::object& operator[](vertex_t v) const {
    return rows_[static_cast<std::size_t>(v)];
  }

  Adjacency by_node;

 private:
  std::vector<py::object> rows_;
};

py::object copied(const py::object& attributes) {
  if (!attributes) return py::dict();
  if (PyDict_CheckExact(attributes.ptr())) return owned(PyDict_Copy(attributes.ptr()));
  py::object made = py::dict();
  if (PyDict_Update(made.ptr(), attributes.ptr()) != 0) throw py::error_already_set();
  return made;
}

py::object value_of(PyObject* row, PyObject* key) {
  if (!PyDict_CheckExact(row)) return owned(PyObject_GetItem(row, key));
  PyObject* const value = PyDict_GetItemWithError(row, key);
  if (value != nullptr) return py::reinterpret_borrow<py::object>(value);
  if (PyErr_Occurred() == nullptr) PyErr_SetObject(PyExc_KeyError, key);
  throw py::error_already_set();
}

[[gnu::always_inline]] inline void prefetch_dictionary(PyObject* object) {
  if (PyDict_CheckExact(object)) prefetch_entries(object);
}

/// Calls visit(i, attributes of edge i) for all edges; of no rows, with null. Attributes are four
/// references away, most of them in no cache, so those of many edges are prefetched at a time.
template <class Visit>
void for_each_edge(const NodeList& nodes, const TreeEdges& edges, Visit&& visit) {
  constexpr std::size_t batch_size = 64;
  std::array<py::object, batch_size> found;
  Pauses pauses;
  const std::size_t n = edges.tails.size();
  for (std::size_t first = 0; first < n; first += batch_size) {
    const std::size_t size = std::min(batch_size, n - first);
    const auto row = [&](std::size_t i) { return item(edges.rows, edges.tails[first + i]); };
    const auto head = [&](std::size_t i) { return item(nodes, edges.heads[first + i]); };
    if (!edges.rows.empty()) {
      for (std::size_t i = 0; i < size; ++i) {
        __builtin_prefetch(row(i));
        __builtin_prefetch(head(i));
      }
      for (std::size_t i = 0; i < size; ++i) prefetch_dictionary(row(i));
      for (std::size_t i = 0; i < size; ++i) found[i] = value_of(row(i), head(i));
      for (std::size_t i = 0; i < size; ++i) prefetch_dictionary(found[i].ptr());
    }
    for (std::size_t i = 0; i < size; ++i) visit(first + i, found[i]);
    if (pauses.is_due(static_cast<std::int64_t>(4 * size))) pauses.pause();
  }
}

}  // namespace

AttributesOfEdges edge_attributes(const NodeList& nodes, const TreeEdges& edges) {
  EXPECTS(!edges.rows.empty() || edges.tails.empty(), "the edges have no rows of attributes");
  AttributesOfEdges found(edges.tails.size());
  for_each_edge(nodes, edges, [&](std::size_t i, const py::object& attributes) {
    PyList_SET_ITEM(found.ptr(), static_cast<Py_ssize_t>(i), Py_NewRef(attributes.ptr()));
  });
  return found;
}

std::pair<Adjacency, Adjacency> edge_dictionaries(const NodeList& nodes,
                                                  std::span<const vertex_t> vertices,
                                                  const TreeEdges& edges, bool directed) {
  const Rows successors(nodes, vertices);
  std::optional<Rows> others;
  if (directed) others.emplace(nodes, vertices);
  const Rows& predecessors = directed ? *others : successors;
  for_each_edge(nodes, edges, [&](std::size_t i, const py::object& original) {
    const vertex_t tail = edges.tails[i];
    const vertex_t head = edges.heads[i];
    const py::object attributes = copied(original);
    insert(successors[tail], item(nodes, head), attributes);
    insert(predecessors[head], item(nodes, tail), attributes);
  });
  return {successors.by_node, predecessors.by_node};
}

}  // namespace warpgraph
