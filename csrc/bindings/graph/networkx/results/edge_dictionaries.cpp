#include "bindings/graph/networkx/results/edge_dictionaries.hpp"

#include "bindings/graph/networkx/objects.hpp"
#include "bindings/graph/networkx/pauses.hpp"
#include "bindings/graph/networkx/prefetch_entries.hpp"
#include "bindings/graph/networkx/results/incidence.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace warpgraph {
namespace {

PyObject* item(const py::list& list, std::int64_t i) { return PyList_GET_ITEM(list.ptr(), i); }

PyObject** items_of(const py::list& list) {
  return reinterpret_cast<PyListObject*>(list.ptr())->ob_item;
}

/// Returns a new dictionary with the items of a mapping.
py::object copied(PyObject* attributes) {
  if (PyDict_CheckExact(attributes)) return owned(PyDict_Copy(attributes));
  py::object made = py::dict();
  if (PyDict_Update(made.ptr(), attributes) != 0) throw py::error_already_set();
  return made;
}

/// Prefetches the first values of a dictionary, whose reference counts a copy of it increments.
[[gnu::always_inline]] inline void prefetch_values(PyObject* dictionary) {
  constexpr int max_values = 4;
  Py_ssize_t place = 0;
  PyObject* value = nullptr;
  for (int i = 0; i < max_values && PyDict_Next(dictionary, &place, nullptr, &value) != 0; ++i) {
    __builtin_prefetch(value, 1);
  }
}

/// Copies of the attributes of each edge. They are made in the order in which rows need them first:
/// near each other in memory, most are found in the cache.
class AttributeCopies {
 public:
  AttributeCopies(const TreeEdges& edges, const Incidence& rows)
      : originals_(edges.attributes), copies_(edges.tails.size()) {
    const std::span<const std::int64_t> entries(rows.weights);
    for (std::size_t first = 0; first < entries.size(); first += batch_size) {
      copy(entries.subspan(first, std::min(batch_size, entries.size() - first)));
    }
  }

  [[nodiscard]] const py::object& operator[](std::int64_t edge) const {
    return copies_[static_cast<std::size_t>(edge)];
  }

 private:
  static constexpr std::size_t batch_size = 64;

  /// Copies the attributes of these edges, except those that have a copy.
  void copy(std::span<const std::int64_t> entries) {
    std::array<std::int64_t, batch_size> edges;
    const auto end = std::copy_if(entries.begin(), entries.end(), edges.begin(),
                                  [&](std::int64_t edge) { return !(*this)[edge]; });
    const std::span<const std::int64_t> batch(edges.begin(), end);
    if (!originals_.empty()) prefetch(batch);
    for (const std::int64_t edge : batch) {
      py::object& made = copies_[static_cast<std::size_t>(edge)];
      if (made) continue;  // the edge is twice in the batch
      made = originals_.empty() ? owned(PyDict_New()) : copied(item(originals_, edge));
    }
    if (pauses_.is_due(static_cast<std::int64_t>(batch.size()))) pauses_.pause();
  }
  /// Prefetches the originals, which are three references away, most of them in no cache.
  void prefetch(std::span<const std::int64_t> batch) const {
    for (const std::int64_t edge : batch) __builtin_prefetch(items_of(originals_) + edge);
    for (const std::int64_t edge : batch) __builtin_prefetch(item(originals_, edge));
    const auto for_each_dictionary = [&](auto&& fetch) {
      for (const std::int64_t edge : batch) {
        PyObject* const original = item(originals_, edge);
        if (PyDict_CheckExact(original)) fetch(original);
      }
    };
    for_each_dictionary([](PyObject* original) { prefetch_entries(original); });
    for_each_dictionary([](PyObject* original) { prefetch_values(original); });
  }

  const py::list& originals_;
  std::vector<py::object> copies_;
  Pauses pauses_;
};

/// Maker of rows one after the other, each with all of its entries, while its memory is in the
/// cache.
class RowMaker {
 public:
  RowMaker(const NodeList& nodes, const Incidence& edges, const AttributeCopies& attributes)
      : nodes_(nodes), edges_(edges), view_(edges_.view()), attributes_(attributes) {}

  Adjacency make(std::span<const vertex_t> vertices) const {
    constexpr std::size_t ahead = 16;
    const auto rows = py::reinterpret_steal<Adjacency>(new_dictionary(vertices.size()).release());
    Pauses pauses;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      // The references in a row come first, then the objects to which they refer.
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
  /// Calls visit(place of the neighbour, attributes) for the entries of a row, whose weights are
  /// the numbers of edges.
  template <class Visit>
  [[gnu::always_inline]] void for_row(vertex_t u, Visit&& visit) const {
    for (edge_t e = view_.begin(u); e < view_.end(u); ++e) {
      visit(items_of(nodes_) + view_.heads[e], attributes_[view_.weights[e]]);
    }
  }

  const NodeList& nodes_;
  const Incidence& edges_;
  CsrView<std::int64_t> view_;
  const AttributeCopies& attributes_;
};

void require_attributes(const TreeEdges& edges) {
  EXPECTS(edges.attributes.size() == edges.tails.size(), "expected attributes of ",
          edges.tails.size(), " edges, got ", edges.attributes.size());
}

}  // namespace

EdgeList edge_list(const NodeList& nodes, const TreeEdges& edges) {
  constexpr std::size_t ahead = 16;
  require_attributes(edges);
  EdgeList found(edges.tails.size());
  Pauses pauses;
  for (std::size_t i = 0; i < edges.tails.size(); ++i) {
    const std::size_t later = std::min(i + ahead, edges.tails.size() - 1);
    __builtin_prefetch(item(nodes, edges.tails[later]), 1);
    __builtin_prefetch(item(nodes, edges.heads[later]), 1);
    const auto place = static_cast<Py_ssize_t>(i);
    __builtin_prefetch(item(edges.attributes, static_cast<Py_ssize_t>(later)), 1);
    py::object edge = owned(PyTuple_New(3));
    PyTuple_SET_ITEM(edge.ptr(), 0, Py_NewRef(item(nodes, edges.tails[i])));
    PyTuple_SET_ITEM(edge.ptr(), 1, Py_NewRef(item(nodes, edges.heads[i])));
    PyTuple_SET_ITEM(edge.ptr(), 2, Py_NewRef(item(edges.attributes, place)));
    PyList_SET_ITEM(found.ptr(), place, edge.release().ptr());
    if (pauses.is_due(1)) pauses.pause();
  }
  return found;
}

NodeValues attribute_dictionaries(const NodeList& nodes, const NodeList& attributes) {
  EXPECTS(nodes.size() == attributes.size(), "expected attributes of ", nodes.size(),
          " nodes, got ", attributes.size());
  const auto found = py::reinterpret_steal<NodeValues>(new_dictionary(nodes.size()).release());
  Pauses pauses;
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    const auto i = static_cast<std::int64_t>(v);
    insert(found, item(nodes, i), copied(item(attributes, i)).ptr());
    if (pauses.is_due(1)) pauses.pause();
  }
  return found;
}

std::pair<Adjacency, Adjacency> edge_dictionaries(const NodeList& nodes,
                                                  std::span<const vertex_t> vertices,
                                                  const TreeEdges& edges, bool directed) {
  const std::size_t n_edges = edges.tails.size();
  EXPECTS(edges.attributes.empty() || edges.attributes.size() == n_edges, "expected attributes of ",
          n_edges, " edges, got ", edges.attributes.size());
  const Incidence from = incidence(nodes.size(), edges.tails, edges.heads, !directed);
  const AttributeCopies attributes(edges, from);
  const Adjacency successors = RowMaker(nodes, from, attributes).make(vertices);
  if (!directed) return {successors, successors};
  const Incidence to = incidence(nodes.size(), edges.heads, edges.tails);
  return {successors, RowMaker(nodes, to, attributes).make(vertices)};
}

}  // namespace warpgraph
