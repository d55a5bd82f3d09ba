#include "bindings/graph/networkx/edge_dictionaries.hpp"

#include "bindings/graph/networkx/objects.hpp"
#include "bindings/graph/networkx/pauses.hpp"

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

/// A new dictionary with the attributes of an edge.
py::object copy_attributes(const py::list& rows, vertex_t tail, PyObject* head) {
  if (rows.empty()) return py::dict();
  const py::object attributes = owned(PyObject_GetItem(item(rows, tail), head));
  if (PyDict_CheckExact(attributes.ptr())) return owned(PyDict_Copy(attributes.ptr()));
  py::object copied = py::dict();
  if (PyDict_Update(copied.ptr(), attributes.ptr()) != 0) throw py::error_already_set();
  return copied;
}

}  // namespace

std::pair<Adjacency, Adjacency> edge_dictionaries(const NodeList& nodes,
                                                  std::span<const vertex_t> vertices,
                                                  const TreeEdges& edges, bool directed) {
  const Rows successors(nodes, vertices);
  std::optional<Rows> others;
  if (directed) others.emplace(nodes, vertices);
  const Rows& predecessors = directed ? *others : successors;
  Pauses pauses;
  for (std::size_t i = 0; i < edges.tails.size(); ++i) {
    const vertex_t tail = edges.tails[i];
    const vertex_t head = edges.heads[i];
    const py::object attributes = copy_attributes(edges.rows, tail, item(nodes, head));
    insert(successors[tail], item(nodes, head), attributes);
    insert(predecessors[head], item(nodes, tail), attributes);
    if (pauses.is_due(4)) pauses.pause();
  }
  return {successors.by_node, predecessors.by_node};
}

}  // namespace warpgraph
