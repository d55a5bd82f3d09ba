#include "bindings/graph/networkx/results/node_lists.hpp"

#include "bindings/graph/networkx/objects.hpp"
#include "bindings/graph/networkx/pauses.hpp"
#include "core/error.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"

namespace warpgraph {
namespace {

/// Bytes of a list without items, and of its entry in a dictionary that grows.
constexpr std::size_t bytes_per_list = 56 + 104;

void require_lists(std::size_t n_lists, std::size_t n_items) {
  MemoryBudget().require("making lists of nodes",
                         n_lists * bytes_per_list + n_items * sizeof(PyObject*),
                         "search with a cutoff, or ask for the lengths alone");
}

PyObject** items_of(PyObject* list) { return reinterpret_cast<PyListObject*>(list)->ob_item; }

/// Nodes by their numbers, as borrowed references.
class Nodes {
 public:
  Nodes(const NodeList& nodes, std::size_t n_vertices) : nodes_(nodes) {
    EXPECTS(nodes.size() == n_vertices, "expected ", n_vertices, " nodes, got ", nodes.size());
  }
  PyObject* operator[](vertex_t v) const { return PyList_GET_ITEM(nodes_.ptr(), v); }
  /// Prefetches the nodes that come some places after order[i]. Making a key of a node, or counting
  /// a reference to it, reads it, and nodes by distance are in no order in memory.
  [[gnu::always_inline]] void prefetch(std::span<const vertex_t> order, std::size_t i) const {
    constexpr std::size_t ahead = 16;
    PyObject* const* const items = items_of(nodes_.ptr());
    if (i + 2 * ahead < order.size()) __builtin_prefetch(items + order[i + 2 * ahead]);
    if (i + ahead < order.size()) __builtin_prefetch(items[order[i + ahead]]);
  }
  /// Returns a new reference.
  PyObject* get(vertex_t v) const { return Py_NewRef((*this)[v]); }

 private:
  const NodeList& nodes_;
};

template <class T>
py::object number(T value) {
  return owned(std::is_floating_point_v<T> ? PyFloat_FromDouble(static_cast<double>(value))
                                           : PyLong_FromLongLong(static_cast<std::int64_t>(value)));
}

py::object new_list(std::int64_t size) { return owned(PyList_New(static_cast<Py_ssize_t>(size))); }

/// Returns the number of vertices on the path to each vertex of `order`; 0 for others.
HostVector<vertex_t> sizes_of_paths(std::span<const vertex_t> order,
                                    std::span<const vertex_t> predecessors) {
  HostVector<vertex_t> sizes(predecessors.size(), 0);
  const auto parent = [&](vertex_t v) { return predecessors[static_cast<std::size_t>(v)]; };
  const auto size = [&](vertex_t v) -> vertex_t& { return sizes[static_cast<std::size_t>(v)]; };
  for (const vertex_t end : order) {
    poll();
    vertex_t unknown = 0;
    vertex_t v = end;
    for (; v >= 0 && size(v) == 0; v = parent(v)) ++unknown;
    const vertex_t known = v < 0 ? 0 : size(v);
    for (v = end; unknown > 0; v = parent(v)) size(v) = known + unknown--;
  }
  return sizes;
}

class PathLists {
 public:
  PathLists(Nodes nodes, std::span<const vertex_t> predecessors, bool to_root)
      : nodes_(nodes),
        predecessors_(predecessors),
        to_root_(to_root),
        lists_(predecessors.size(), nullptr) {}

  /// Makes the path to a vertex. The result has to live as long as this object.
  py::object make(vertex_t end, vertex_t size) {
    py::object made = new_list(size);
    lists_[static_cast<std::size_t>(end)] = made.ptr();
    PyObject** const items = items_of(made.ptr());
    if (!copies_parent(end, size, items)) walk(end, size, items);
    return made;
  }

  /// Prefetches the list that a path will be copied from, and then its items.
  [[gnu::always_inline]] void prefetch_list(vertex_t end) const {
    __builtin_prefetch(list_of_parent(end));
  }
  [[gnu::always_inline]] void prefetch_items(vertex_t end) const {
    constexpr vertex_t items_per_line = 8;
    constexpr vertex_t max_items = 32;  // processors prefetch the rest of long lists
    PyObject* const known = list_of_parent(end);
    if (known == nullptr) return;
    for (vertex_t i = 0; i < max_items && i < PyList_GET_SIZE(known); i += items_per_line) {
      __builtin_prefetch(items_of(known) + i);
    }
  }

 private:
  /// Copies the list of the predecessor, if that was made before: it is the rest of this one.
  /// Returns whether it was.
  bool copies_parent(vertex_t end, vertex_t size, PyObject** items) {
    if (size == 1) return false;
    PyObject* const known = list_of_parent(end);
    if (known == nullptr || PyList_GET_SIZE(known) != size - 1) return false;
    items[to_root_ ? 0 : size - 1] = nodes_.get(end);
    PyObject** const rest = items + (to_root_ ? 1 : 0);
    for (vertex_t i = 0; i < size - 1; ++i) rest[i] = Py_NewRef(PyList_GET_ITEM(known, i));
    return true;
  }

  /// Returns the list of the parent, or null if there is no parent, or no list of it yet.
  [[nodiscard]] PyObject* list_of_parent(vertex_t v) const {
    const vertex_t parent = predecessors_[static_cast<std::size_t>(v)];
    return parent < 0 ? nullptr : lists_[static_cast<std::size_t>(parent)];
  }

  void walk(vertex_t v, vertex_t size, PyObject** items) const {
    for (vertex_t i = 0; i < size; ++i, v = predecessors_[static_cast<std::size_t>(v)]) {
      items[to_root_ ? i : size - 1 - i] = nodes_.get(v);
    }
  }

  Nodes nodes_;
  std::span<const vertex_t> predecessors_;
  bool to_root_;
  HostVector<PyObject*> lists_;
};

}  // namespace

template <class T>
NodeValues node_values(const NodeList& nodes, std::span<const vertex_t> order,
                       std::span<const T> values) {
  const Nodes names(nodes, values.size());
  const auto found = py::reinterpret_steal<NodeValues>(new_dictionary(order.size()).release());
  Pauses pauses;
  for (std::size_t i = 0; i < order.size(); ++i) {
    names.prefetch(order, i);
    const vertex_t v = order[i];
    insert(found, names[v], number(values[static_cast<std::size_t>(v)]).ptr());
    if (pauses.is_due(1)) pauses.pause();
  }
  return found;
}

NodeLists path_lists(const NodeList& nodes, std::span<const vertex_t> order,
                     std::span<const vertex_t> predecessors, bool to_root) {
  const Nodes names(nodes, predecessors.size());
  std::size_t n_items = 0;
  const HostVector<vertex_t> sizes = run_released([&] {
    HostVector<vertex_t> found = sizes_of_paths(order, predecessors);
    for (const vertex_t size : found) n_items += static_cast<std::size_t>(size);
    return found;
  });
  require_lists(order.size(), n_items);
  PathLists lists(names, predecessors, to_root);
  const auto found = py::reinterpret_steal<NodeLists>(new_dictionary(order.size()).release());
  Pauses pauses;
  constexpr std::size_t lists_ahead = 16;
  constexpr std::size_t items_ahead = 8;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i + lists_ahead < order.size()) lists.prefetch_list(order[i + lists_ahead]);
    if (i + items_ahead < order.size()) lists.prefetch_items(order[i + items_ahead]);
    names.prefetch(order, i);
    const vertex_t v = order[i];
    const vertex_t size = sizes[static_cast<std::size_t>(v)];
    insert(found, names[v], lists.make(v, size).ptr());
    if (pauses.is_due(size)) pauses.pause();
  }
  return found;
}

NodeLists group_lists(const NodeList& nodes, std::span<const vertex_t> order,
                      std::span<const edge_t> offsets, std::span<const vertex_t> members) {
  const Nodes names(nodes, nodes.size());
  require_lists(order.size(), members.size());
  const auto found = py::reinterpret_steal<NodeLists>(new_dictionary(order.size()).release());
  Pauses pauses;
  for (std::size_t i = 0; i < order.size(); ++i) {
    names.prefetch(order, i);
    const edge_t size = offsets[i + 1] - offsets[i];
    const py::object group = new_list(size);
    const auto first = members.begin() + offsets[i];
    for (edge_t k = 0; k < size; ++k) PyList_SET_ITEM(group.ptr(), k, names.get(first[k]));
    insert(found, names[order[i]], group.ptr());
    if (pauses.is_due(1 + size)) pauses.pause();
  }
  return found;
}

NodeSets sets_by_label(const NodeList& nodes, std::span<const vertex_t> labels, vertex_t n_labels) {
  const Nodes names(nodes, labels.size());
  NodeSets sets(static_cast<std::size_t>(n_labels));
  for (vertex_t label = 0; label < n_labels; ++label) {
    PyList_SET_ITEM(sets.ptr(), label, owned(PySet_New(nullptr)).release().ptr());
  }
  Pauses pauses;
  for (std::size_t v = 0; v < labels.size(); ++v) {
    PyObject* const set = PyList_GET_ITEM(sets.ptr(), labels[v]);
    if (PySet_Add(set, names[static_cast<vertex_t>(v)]) != 0) throw py::error_already_set();
    if (pauses.is_due(1)) pauses.pause();
  }
  return sets;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(node_values)

}  // namespace warpgraph
