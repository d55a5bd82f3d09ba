#include "bindings/graph/networkx/results/edge_dictionaries.hpp"

#include "bindings/graph/networkx/objects.hpp"
#include "bindings/graph/networkx/pauses.hpp"
#include "bindings/graph/networkx/prefetch_entries.hpp"
#include "graph/csr.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace warpgraph {
namespace {

PyObject* item(const py::list& list, vertex_t v) { return PyList_GET_ITEM(list.ptr(), v); }

/// The edges of each vertex in their order: heads are the other ends, weights the numbers of the
/// edges.
using Incidence = Csr<std::int64_t>;

/// A counting sort on the calling thread: making the dictionaries takes many times as long.
Incidence group_by_end(std::size_t n_vertices, std::span<const vertex_t> from,
                       std::span<const vertex_t> to, bool both_ways) {
  constexpr std::size_t edges_between_polls = 1 << 16;
  Incidence found;
  found.offsets.assign(n_vertices + 1, 0);
  edge_t* const next = found.offsets.data();
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (i % edges_between_polls == 0) poll();
    ++next[from[i]];
    if (both_ways) ++next[to[i]];
  }
  // Each offset is at first where the row ends. Filled from the back, it ends where the row starts.
  std::partial_sum(next, next + n_vertices + 1, next);
  const auto n_ends = static_cast<std::size_t>(next[n_vertices]);
  found.heads.resize(n_ends);
  found.weights.resize(n_ends);
  for (std::size_t i = from.size(); i-- > 0;) {
    if (i % edges_between_polls == 0) poll();
    const auto write = [&](vertex_t u, vertex_t v) {
      const auto place = static_cast<std::size_t>(--next[u]);
      found.heads[place] = v;
      found.weights[place] = static_cast<std::int64_t>(i);
    };
    if (both_ways) write(to[i], from[i]);
    write(from[i], to[i]);
  }
  return found;
}

Incidence incidence(std::size_t n_vertices, std::span<const vertex_t> from,
                    std::span<const vertex_t> to, bool both_ways = false) {
  return run_released([&] { return group_by_end(n_vertices, from, to, both_ways); });
}

py::object copied(const py::object& attributes) {
  if (!attributes) return py::dict();
  if (PyDict_CheckExact(attributes.ptr())) return owned(PyDict_Copy(attributes.ptr()));
  py::object made = py::dict();
  if (PyDict_Update(made.ptr(), attributes.ptr()) != 0) throw py::error_already_set();
  return made;
}

/// A borrowed reference to the value in a dictionary, or null: there is none, or an error is set.
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

/// Looks a value up to prefetch it: a reference can be taken without waiting for it later on. Until
/// then, __eq__ of another key may remove it, so that it has to be looked up again.
[[gnu::always_inline]] inline void prefetch_value(PyObject* row, PyObject* key) {
  PyObject* const value = find(row, key);
  if (value == nullptr && PyErr_Occurred() != nullptr) throw py::error_already_set();
  __builtin_prefetch(value, 1);
}

[[gnu::always_inline]] inline void prefetch_dictionary(PyObject* object) {
  if (PyDict_CheckExact(object)) prefetch_entries(object);
}

/// Prefetches the first values, which a copy counts references to.
void prefetch_values(PyObject* object) {
  constexpr int most_values = 4;
  if (object == nullptr || !PyDict_CheckExact(object)) return;
  Py_ssize_t place = 0;
  PyObject* value = nullptr;
  for (int i = 0; i < most_values && PyDict_Next(object, &place, nullptr, &value) != 0; ++i) {
    __builtin_prefetch(value, 1);
  }
}

/// Calls visit(i, attributes of edge i) for all edges; of no rows, with null. Before, prepare() of
/// the attributes, which are prefetched. They are four
/// references away, most of them in no cache, so those of many edges are prefetched at a time. Rows
/// are near each other in memory as a rule: edges are visited in the order of their tails.
template <class Prepare, class Visit>
void for_each_edge(const NodeList& nodes, const TreeEdges& edges, Prepare&& prepare,
                   Visit&& visit) {
  constexpr std::size_t batch_size = 64;
  std::array<py::object, batch_size> found;
  Pauses pauses;
  const Incidence by_tail = incidence(nodes.size(), edges.tails, edges.heads);
  const std::span<const std::int64_t> order(by_tail.weights);
  for (std::size_t first = 0; first < order.size(); first += batch_size) {
    const auto batch = order.subspan(first, std::min(batch_size, order.size() - first));
    const auto row = [&](std::size_t i) {
      return item(edges.rows, edges.tails[static_cast<std::size_t>(batch[i])]);
    };
    const auto head = [&](std::size_t i) { return item(nodes, by_tail.heads[first + i]); };
    if (!edges.rows.empty()) {
      for (std::size_t i = 0; i < batch.size(); ++i) {
        __builtin_prefetch(row(i));
        __builtin_prefetch(head(i));
      }
      for (std::size_t i = 0; i < batch.size(); ++i) prefetch_dictionary(row(i));
      for (std::size_t i = 0; i < batch.size(); ++i) prefetch_value(row(i), head(i));
      for (std::size_t i = 0; i < batch.size(); ++i) found[i] = value_of(row(i), head(i));
      for (std::size_t i = 0; i < batch.size(); ++i) prefetch_dictionary(found[i].ptr());
      for (std::size_t i = 0; i < batch.size(); ++i) prepare(found[i].ptr());
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      visit(static_cast<std::size_t>(batch[i]), found[i]);
    }
    if (pauses.is_due(static_cast<std::int64_t>(4 * batch.size()))) pauses.pause();
  }
}

std::vector<py::object> copied_attributes(const NodeList& nodes, const TreeEdges& edges) {
  std::vector<py::object> copies(edges.tails.size());
  for_each_edge(nodes, edges, &prefetch_values,
                [&](std::size_t i, const py::object& original) { copies[i] = copied(original); });
  return copies;
}

/// Makes rows one after the other, each with all of its entries, while its memory is in the cache.
class RowMaker {
 public:
  RowMaker(const NodeList& nodes, const Incidence& edges, const std::vector<py::object>& attributes)
      : nodes_(nodes), edges_(edges), view_(edges_.view()), attributes_(attributes) {}

  Adjacency make(std::span<const vertex_t> vertices) const {
    constexpr std::size_t ahead = 16;
    const auto rows = py::reinterpret_steal<Adjacency>(new_dictionary(vertices.size()).release());
    Pauses pauses;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      if (i + 2 * ahead < vertices.size()) prefetch_references(vertices[i + 2 * ahead]);
      if (i + ahead < vertices.size()) prefetch_objects(vertices[i + ahead]);
      const vertex_t u = vertices[i];
      insert(rows, item(nodes_, u), make_row(u).ptr());
      if (pauses.is_due(1 + view_.degree(u))) pauses.pause();
    }
    return rows;
  }

 private:
  [[nodiscard]] py::object make_row(vertex_t u) const {
    py::object row = owned(PyDict_New());
    for_row(u, [&](PyObject* const* node, const py::object& attributes) {
      insert(row, *node, attributes.ptr());
    });
    return row;
  }
  [[gnu::always_inline]] void prefetch_references(vertex_t u) const {
    for_row(u, [](PyObject* const* node, const py::object& attributes) {
      __builtin_prefetch(node);
      __builtin_prefetch(&attributes);
    });
  }
  [[gnu::always_inline]] void prefetch_objects(vertex_t u) const {
    for_row(u, [](PyObject* const* node, const py::object& attributes) {
      __builtin_prefetch(*node);
      __builtin_prefetch(attributes.ptr(), 1);
    });
  }
  /// Calls visit(place of the neighbour, attributes) for the entries of a row.
  template <class Visit>
  [[gnu::always_inline]] void for_row(vertex_t u, Visit&& visit) const {
    PyObject* const* const nodes = reinterpret_cast<PyListObject*>(nodes_.ptr())->ob_item;
    for (edge_t e = view_.begin(u); e < view_.end(u); ++e) {
      visit(nodes + view_.heads[e], attributes_[static_cast<std::size_t>(view_.weights[e])]);
    }
  }

  const NodeList& nodes_;
  const Incidence& edges_;
  CsrView<std::int64_t> view_;
  const std::vector<py::object>& attributes_;
};

}  // namespace

EdgeList edge_list(const NodeList& nodes, const TreeEdges& edges) {
  EXPECTS(!edges.rows.empty() || edges.tails.empty(), "the edges have no rows of attributes");
  EdgeList found(edges.tails.size());
  const auto nothing = [](PyObject*) {};
  for_each_edge(nodes, edges, nothing, [&](std::size_t i, const py::object& attributes) {
    py::object edge = owned(PyTuple_New(3));
    PyTuple_SET_ITEM(edge.ptr(), 0, Py_NewRef(item(nodes, edges.tails[i])));
    PyTuple_SET_ITEM(edge.ptr(), 1, Py_NewRef(item(nodes, edges.heads[i])));
    PyTuple_SET_ITEM(edge.ptr(), 2, Py_NewRef(attributes.ptr()));
    PyList_SET_ITEM(found.ptr(), static_cast<Py_ssize_t>(i), edge.release().ptr());
  });
  return found;
}

NodeValues attribute_dictionaries(const NodeList& nodes, const NodeList& attributes) {
  EXPECTS(nodes.size() == attributes.size(), "expected attributes of ", nodes.size(),
          " nodes, got ", attributes.size());
  const auto found = py::reinterpret_steal<NodeValues>(new_dictionary(nodes.size()).release());
  Pauses pauses;
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    const auto original =
        py::reinterpret_borrow<py::object>(item(attributes, static_cast<vertex_t>(v)));
    insert(found, item(nodes, static_cast<vertex_t>(v)), copied(original).ptr());
    if (pauses.is_due(1)) pauses.pause();
  }
  return found;
}

std::pair<Adjacency, Adjacency> edge_dictionaries(const NodeList& nodes,
                                                  std::span<const vertex_t> vertices,
                                                  const TreeEdges& edges, bool directed) {
  const std::vector<py::object> attributes = copied_attributes(nodes, edges);
  const std::size_t n = nodes.size();
  const Incidence from = incidence(n, edges.tails, edges.heads, !directed);
  const Adjacency successors = RowMaker(nodes, from, attributes).make(vertices);
  if (!directed) return {successors, successors};
  const Incidence to = incidence(n, edges.heads, edges.tails);
  return {successors, RowMaker(nodes, to, attributes).make(vertices)};
}

}  // namespace warpgraph
