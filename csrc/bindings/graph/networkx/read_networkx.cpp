#include "bindings/graph/networkx/read_networkx.hpp"

#include "bindings/graph/networkx/entry_reader.hpp"
#include "bindings/graph/networkx/pauses.hpp"
#include "bindings/graph/networkx/prefetch_entries.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/symmetry/symmetry.hpp"

#include <numeric>

namespace warpgraph {
namespace {

/// Throws with the sentence of Python's own iterators.
[[noreturn]] void refuse_change() {
  throw std::runtime_error("dictionary changed size during iteration");
}

/// Reader of the rows of a graph. Functions return false if a mapping is no dictionary, or
/// something else is unusual.
class RowReader {
 public:
  explicit RowReader(const NetworkxGraph& graph) : graph_(graph) {}

  [[nodiscard]] bool list_rows();
  /// Reads all rows. The weights of an undirected graph are those of arcs to vertices that do not
  /// come before.
  [[nodiscard]] bool read(EdgeWeights* weights);
  /// Removes the arcs of undirected edges at the second of their ends.
  void drop_mirrored_arcs();
  [[nodiscard]] std::size_t n_entries() const noexcept { return n_entries_; }

  HostVector<edge_t> offsets;
  HostVector<vertex_t> heads;
  /// True if the dictionaries of attributes of an undirected graph are the same at both ends.
  bool shares_attributes = false;

 private:
  void reserve();
  [[nodiscard]] bool read_row(vertex_t u, EntryReader& entries);
  [[nodiscard]] bool pause_if_due(EntryReader& entries);
  [[gnu::always_inline]] void prefetch_rows(vertex_t u) const;
  [[nodiscard]] PyObject* row(vertex_t u) const { return PyList_GET_ITEM(rows_.ptr(), u); }

  const NetworkxGraph& graph_;
  py::list nodes_;
  py::list rows_;
  vertex_t n_vertices_ = 0;
  std::size_t n_entries_ = 0;
  Pauses pauses_;
};

/// Lists nodes and rows. The lists own them, so the outer dictionaries may change from here on.
bool RowReader::list_rows() {
  PyObject* const adjacency = graph_.adjacency.ptr();
  if (!PyDict_CheckExact(graph_.nodes.ptr()) || !PyDict_CheckExact(adjacency)) return false;
  const auto list = [](PyObject* made) {
    if (made == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::list>(made);
  };
  nodes_ = list(PyDict_Keys(graph_.nodes.ptr()));
  const py::list tails = list(PyDict_Keys(adjacency));
  rows_ = list(PyDict_Values(adjacency));
  if (nodes_.size() > static_cast<std::size_t>(infinity<vertex_t>())) return false;
  if (nodes_.size() != tails.size() || rows_.size() != tails.size()) return false;
  n_vertices_ = static_cast<vertex_t>(nodes_.size());
  for (vertex_t u = 0; u < n_vertices_; ++u) {
    if (PyList_GET_ITEM(nodes_.ptr(), u) != PyList_GET_ITEM(tails.ptr(), u)) return false;
    if (!PyDict_CheckExact(row(u))) return false;
    n_entries_ += static_cast<std::size_t>(PyDict_GET_SIZE(row(u)));
  }
  return true;
}

/// Prefetches the rows after u.
inline void RowReader::prefetch_rows(vertex_t u) const {
  constexpr vertex_t near = 8;
  if (u < n_vertices_ - 2 * near) __builtin_prefetch(row(u + 2 * near));
  if (u < n_vertices_ - near) prefetch_entries(row(u + near));
}

void RowReader::reserve() {
  const std::size_t n_offsets = static_cast<std::size_t>(n_vertices_) + 1;
  MemoryBudget().require("building the graph from edges",
                         n_entries_ * sizeof(vertex_t) + n_offsets * sizeof(edge_t),
                         "use a smaller graph");
  offsets.assign(n_offsets, 0);
}

bool RowReader::read(EdgeWeights* weights) {
  reserve();
  NodeNumbers numbers(nodes_);
  EntryReader entries({graph_.is_directed, graph_.is_multigraph}, numbers, weights,
                      offsets.data() + 1);
  entries.heads.reserve(n_entries_);
  for (vertex_t u = 0; u < n_vertices_; ++u) {
    prefetch_rows(u);
    if (!read_row(u, entries)) return false;
  }
  if (!entries.flush()) return false;
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  heads = std::move(entries.heads);
  shares_attributes = entries.shares_attributes();
  return true;
}

bool RowReader::read_row(vertex_t u, EntryReader& entries) {
  PyObject* const dictionary = row(u);
  const Py_ssize_t size = PyDict_GET_SIZE(dictionary);
  if (!graph_.is_multigraph) offsets[static_cast<std::size_t>(u) + 1] = size;
  Py_ssize_t i = 0;
  Py_ssize_t place = 0;
  PyObject* node = nullptr;
  PyObject* edge = nullptr;
  for (; PyDict_Next(dictionary, &place, &node, &edge) != 0; ++i) {
    if (i == size) refuse_change();
    if (!entries.add(u, node, edge) || !pause_if_due(entries)) return false;
    // Adding may have run __eq__ of a node.
    if (PyDict_GET_SIZE(dictionary) != size) refuse_change();
  }
  if (i != size) refuse_change();
  return true;
}

bool RowReader::pause_if_due(EntryReader& entries) {
  if (!pauses_.is_due(1 + entries.take_parallel())) return true;
  if (!entries.flush()) return false;
  pauses_.pause();
  return true;
}

void RowReader::drop_mirrored_arcs() {
  std::size_t kept = 0;
  std::size_t arc = 0;
  for (vertex_t u = 0; u < n_vertices_; ++u) {
    const auto end = static_cast<std::size_t>(offsets[static_cast<std::size_t>(u) + 1]);
    for (; arc < end; ++arc) {
      if (heads[arc] >= u) heads[kept++] = heads[arc];
    }
    offsets[static_cast<std::size_t>(u) + 1] = static_cast<edge_t>(kept);
  }
  heads.resize(kept);
}

/// Returns the graph with these weights of all arcs, or nothing if edges differ in both directions.
template <class W>
std::optional<NetworkxCsr> finish(const NetworkxGraph& graph, RowReader&& rows,
                                  HostVector<W>&& weights) {
  constexpr bool has_weights = !std::is_same_v<W, Unweighted>;
  if (graph.is_directed || (!has_weights && graph.order == ArcOrder::dictionaries)) {
    return Csr<W>{std::move(rows.offsets), std::move(rows.heads), std::move(weights)};
  }
  if (graph.order == ArcOrder::edges) {
    rows.drop_mirrored_arcs();
    const Csr<W> edges{std::move(rows.offsets), std::move(rows.heads), std::move(weights)};
    return run_released([&] { return symmetrise(edges.view()); });
  }
  if constexpr (has_weights) {
    Csr<W> found{std::move(rows.offsets), std::move(rows.heads), {}};
    auto both = run_released([&] { return weights_both_ways<W>(found.view(), weights); });
    if (!rows.shares_attributes || !both) return std::nullopt;
    found.weights = std::move(*both);
    return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<NetworkxCsr> read_networkx(const NetworkxGraph& graph,
                                         const std::optional<py::str>& weight) {
  RowReader rows(graph);
  if (!rows.list_rows()) return std::nullopt;
  std::optional<EdgeWeights> weights;
  const bool takes_both_types = graph.order == ArcOrder::edges;
  if (weight) weights.emplace(*weight, rows.n_entries(), takes_both_types);
  if (!rows.read(weights ? &*weights : nullptr)) return std::nullopt;
  std::optional<NetworkxCsr> found;
  if (weights && !weights->floats.empty()) {
    found = finish(graph, std::move(rows), std::move(weights->floats));
  } else if (weights && !weights->integers.empty()) {
    found = finish(graph, std::move(rows), std::move(weights->integers));
  } else {
    found = finish(graph, std::move(rows), HostVector<Unweighted>());
  }
  if (found) return found;
  // Someone has replaced attributes at one end of an edge: both ends are read.
  NetworkxGraph directed = graph;
  directed.is_directed = true;
  return read_networkx(directed, weight);
}

}  // namespace warpgraph
