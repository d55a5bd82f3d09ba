#include "bindings/graph/networkx/read_networkx.hpp"

#include "bindings/graph/networkx/edge_weights.hpp"
#include "bindings/graph/networkx/node_numbers.hpp"
#include "bindings/graph/networkx/pauses.hpp"
#include "bindings/graph/networkx/prefetch_entries.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/symmetry.hpp"

namespace warpgraph {
namespace {

/// The sentence of Python's own iterators.
[[noreturn]] void refuse_change() {
  throw std::runtime_error("dictionary changed size during iteration");
}

/// Reads the rows of a graph. A false result says that a mapping is no dictionary, or else unusual.
class RowReader {
 public:
  explicit RowReader(const NetworkxGraph& graph) : graph_(graph) {}

  [[nodiscard]] bool read_heads();
  [[nodiscard]] bool read_weights(EdgeWeights& weights);
  /// An undirected graph has each edge once from here on.
  void drop_mirrored_arcs();

  HostVector<edge_t> offsets;
  HostVector<vertex_t> heads;

 private:
  [[nodiscard]] bool list_rows();
  [[nodiscard]] bool read_row(vertex_t u, NeighbourReader& neighbours);
  [[nodiscard]] bool add_weights(PyObject* edges, EdgeWeights& weights) const;
  [[nodiscard]] bool read_weights_of_row(vertex_t u, EdgeWeights& weights);
  void prefetch_rows(vertex_t u) const;
  /// Parallel edges between two vertices, or -1.
  [[nodiscard]] Py_ssize_t count_parallel(PyObject* edges) const {
    if (!graph_.is_multigraph) return 1;
    return PyDict_CheckExact(edges) ? PyDict_GET_SIZE(edges) : Py_ssize_t{-1};
  }
  [[nodiscard]] bool reads_weight(vertex_t tail, vertex_t head) const noexcept {
    return graph_.is_directed || tail <= head;
  }
  [[nodiscard]] PyObject* row(vertex_t u) const { return PyList_GET_ITEM(rows_.ptr(), u); }

  const NetworkxGraph& graph_;
  py::list nodes_;
  py::list rows_;
  vertex_t n_vertices_ = 0;
  Pauses pauses_;
};

/// The lists own nodes and rows, so the outer dictionaries may change from here on.
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
  }
  return true;
}

/// Of the rows after u; of parallel edges also their dictionaries.
void RowReader::prefetch_rows(vertex_t u) const {
  constexpr vertex_t near = 4;
  if (u < n_vertices_ - 4 * near) __builtin_prefetch(row(u + 4 * near));
  if (u < n_vertices_ - 2 * near) prefetch_entries(row(u + 2 * near));
  if (!graph_.is_multigraph || u >= n_vertices_ - near) return;
  Py_ssize_t place = 0;
  PyObject* edges = nullptr;
  while (PyDict_Next(row(u + near), &place, nullptr, &edges) != 0) __builtin_prefetch(edges);
}

bool RowReader::read_heads() {
  if (!list_rows()) return false;
  std::size_t n_entries = 0;
  for (vertex_t u = 0; u < n_vertices_; ++u) {
    n_entries += static_cast<std::size_t>(PyDict_GET_SIZE(row(u)));
  }
  const std::size_t n_offsets = static_cast<std::size_t>(n_vertices_) + 1;
  MemoryBudget({}).require("building the graph from edges",
                           n_entries * sizeof(vertex_t) + n_offsets * sizeof(edge_t),
                           "free memory or use a smaller graph");
  offsets.resize(n_offsets);
  offsets[0] = 0;
  heads.reserve(n_entries);
  NodeNumbers numbers(nodes_);
  NeighbourReader neighbours(numbers, heads);
  for (vertex_t u = 0; u < n_vertices_; ++u) {
    prefetch_rows(u);
    if (!read_row(u, neighbours)) return false;
  }
  return neighbours.flush();
}

bool RowReader::read_row(vertex_t u, NeighbourReader& neighbours) {
  PyObject* const dictionary = row(u);
  const Py_ssize_t size = PyDict_GET_SIZE(dictionary);
  edge_t end = offsets[static_cast<std::size_t>(u)];
  Py_ssize_t place = 0;
  PyObject* node = nullptr;
  PyObject* edges = nullptr;
  for (Py_ssize_t i = 0; PyDict_Next(dictionary, &place, &node, &edges) != 0; ++i) {
    if (i == size) refuse_change();
    const Py_ssize_t parallel = count_parallel(edges);
    if (parallel < 0 || !neighbours.add(node, parallel)) return false;
    end += parallel;
    if (pauses_.is_due(1 + parallel)) {
      if (!neighbours.flush()) return false;
      pauses_.pause();
    }
    // Adding may have run __eq__ of a node.
    if (PyDict_GET_SIZE(dictionary) != size) refuse_change();
  }
  offsets[static_cast<std::size_t>(u) + 1] = end;
  return true;
}

bool RowReader::read_weights(EdgeWeights& weights) {
  for (vertex_t u = 0; u < n_vertices_; ++u) {
    prefetch_rows(u);
    if (!read_weights_of_row(u, weights)) return false;
  }
  return weights.flush();
}

/// Of an edge, or of parallel edges.
bool RowReader::add_weights(PyObject* edges, EdgeWeights& weights) const {
  if (!graph_.is_multigraph) return weights.add(edges);
  Py_ssize_t place = 0;
  PyObject* key = nullptr;
  PyObject* attributes = nullptr;
  while (PyDict_Next(edges, &place, &key, &attributes) != 0) {
    if (!weights.add(attributes)) return false;
  }
  return true;
}

bool RowReader::read_weights_of_row(vertex_t u, EdgeWeights& weights) {
  PyObject* const neighbours = row(u);
  auto arc = static_cast<std::size_t>(offsets[static_cast<std::size_t>(u)]);
  const auto end = static_cast<std::size_t>(offsets[static_cast<std::size_t>(u) + 1]);
  Py_ssize_t place = 0;
  PyObject* node = nullptr;
  PyObject* edges = nullptr;
  while (PyDict_Next(neighbours, &place, &node, &edges) != 0) {
    const Py_ssize_t parallel = count_parallel(edges);
    if (parallel < 0) return false;
    if (parallel == 0) continue;
    if (static_cast<std::size_t>(parallel) > end - arc) refuse_change();
    if (reads_weight(u, heads[arc]) && !add_weights(edges, weights)) return false;
    arc += static_cast<std::size_t>(parallel);
    if (pauses_.is_due(1 + parallel)) {
      if (!weights.flush()) return false;
      pauses_.pause();
    }
  }
  if (arc != end) refuse_change();
  return true;
}

void RowReader::drop_mirrored_arcs() {
  if (graph_.is_directed) return;
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

/// The graph with these weights, undirected edges both ways.
template <class W>
Csr<W> finish(RowReader&& rows, HostVector<W>&& weights, bool is_directed) {
  if constexpr (!std::is_same_v<W, Unweighted>) {
    // Parallel edges may have moved to another neighbour after the heads were read.
    if (weights.size() != rows.heads.size()) refuse_change();
  }
  Csr<W> graph{std::move(rows.offsets), std::move(rows.heads), std::move(weights)};
  if (is_directed) return graph;
  return run_released([&] { return symmetrise(graph.view()); });
}

}  // namespace

std::optional<NetworkxCsr> read_networkx(const NetworkxGraph& graph,
                                         const std::optional<py::str>& weight) {
  RowReader rows(graph);
  if (!rows.read_heads()) return std::nullopt;
  EdgeWeights weights(weight.value_or(py::str()), rows.heads.size());
  if (weight && !rows.read_weights(weights)) return std::nullopt;
  rows.drop_mirrored_arcs();
  const bool directed = graph.is_directed;
  if (!weights.floats.empty()) {
    return finish(std::move(rows), std::move(weights.floats), directed);
  }
  if (!weights.integers.empty()) {
    return finish(std::move(rows), std::move(weights.integers), directed);
  }
  return finish(std::move(rows), HostVector<Unweighted>(), directed);
}

}  // namespace warpgraph
