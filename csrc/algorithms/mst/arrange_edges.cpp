#include "algorithms/mst/mst.hpp"
#include "core/containers/radix_sort.hpp"
#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/order_key.hpp"
#include "graph/transform/group_arcs.hpp"
#include "graph/transform/row_blocks.hpp"

#include <algorithm>

namespace warpgraph {
namespace {

/// The longest row that one thread sorts. All threads together sort longer ones, so that a hub
/// neither keeps a single thread busy nor delays Ctrl-C.
constexpr edge_t long_row = 1 << 16;

struct NumberedEdge {
  edge_t id;
  edge_t number;  // in the list of all edges
  vertex_t head;
  friend bool operator<(const NumberedEdge& a, const NumberedEdge& b) {
    return a.id != b.id ? a.id < b.id : a.number < b.number;
  }
};

/// Sorts the edges of each row by id, in place; those of equal ids stay in the order of the list.
/// Lists mostly come in long runs of ascending ids, so most rows are in order and only read.
class RowsById {
 public:
  /// Takes rows whose weights are the edges' numbers.
  RowsById(Csr<edge_t>& rows, std::span<const edge_t> ids) : rows_(rows), ids_(ids) {}

  void sort() {
    RowBlocks(rows_.view()).for_each([&](std::int64_t, vertex_t first, vertex_t last) {
      std::vector<NumberedEdge> edges;
      for (vertex_t u = first; u < last; ++u) {
        if (degree(u) <= long_row) sort_short(rows_.offsets[slot(u)], degree(u), edges);
      }
    });
    for (vertex_t u = 0; u < rows_.view().n_vertices; ++u) {
      if (degree(u) > long_row) sort_long(u, rows_.offsets[slot(u)], degree(u));
    }
  }

  /// Returns an upper bound of the memory that sort() takes. A thread's list grows by doubling, and
  /// during reallocation the old one takes half as much as the new one.
  [[nodiscard]] std::size_t scratch_bytes() const {
    const edge_t longest = parallel_reduce(
        rows_.view().n_vertices, edge_t{0},
        [&](std::int64_t u) { return degree(static_cast<vertex_t>(u)); },
        [](edge_t a, edge_t b) { return std::max(a, b); });
    const auto n_edges = static_cast<edge_t>(rows_.heads.size());
    const edge_t apart = std::min(num_threads() * std::min(longest, long_row), n_edges);
    const std::size_t lists = static_cast<std::size_t>(apart) * sizeof(NumberedEdge);
    const auto together = static_cast<std::size_t>(longest > long_row ? longest : 0);
    constexpr std::size_t per_edge = 2 * sizeof(SortedItem) + sizeof(vertex_t) + sizeof(edge_t);
    return std::max(lists + lists / 2, together * per_edge);
  }

 private:
  template <class I>
  static std::size_t slot(I i) {
    return static_cast<std::size_t>(i);
  }
  [[nodiscard]] edge_t degree(vertex_t u) const {
    return rows_.offsets[slot(u) + 1] - rows_.offsets[slot(u)];
  }
  [[nodiscard]] edge_t id(edge_t e) const { return ids_[slot(rows_.weights[slot(e)])]; }

  void sort_short(edge_t begin, edge_t degree, std::vector<NumberedEdge>& edges) {
    bool is_sorted = true;
    for (edge_t e = begin + 1; e < begin + degree; ++e) is_sorted &= id(e - 1) <= id(e);
    if (is_sorted) return;
    edges.clear();
    for (edge_t e = begin; e < begin + degree; ++e) {
      edges.push_back({id(e), rows_.weights[slot(e)], rows_.heads[slot(e)]});
    }
    std::sort(edges.begin(), edges.end());
    for (edge_t i = 0; i < degree; ++i) {
      rows_.weights[slot(begin + i)] = edges[slot(i)].number;
      rows_.heads[slot(begin + i)] = edges[slot(i)].head;
    }
  }

  void sort_long(vertex_t u, edge_t begin, edge_t degree) {
    if (parallel_find_first(degree - 1, [&](std::int64_t i) {
          return id(begin + i) > id(begin + i + 1);
        }) == degree - 1) {
      return;
    }
    constexpr edge_t max_sortable = std::numeric_limits<std::uint32_t>::max();
    EXPECTS(degree <= max_sortable, "row ", u, " has ", degree, " entries; at most ", max_sortable,
            " can be sorted");
    const auto order =
        sorted_by_key(degree, [&](std::int64_t i) { return order_key(id(begin + i)); });
    HostVector<edge_t> numbers(slot(degree));
    HostVector<vertex_t> heads(slot(degree));
    parallel_for(degree, [&](std::int64_t i) {
      const edge_t from = begin + order[i].index;
      numbers[slot(i)] = rows_.weights[slot(from)];
      heads[slot(i)] = rows_.heads[slot(from)];
    });
    parallel_for(degree, [&](std::int64_t i) {
      rows_.weights[slot(begin + i)] = numbers[slot(i)];
      rows_.heads[slot(begin + i)] = heads[slot(i)];
    });
  }

  Csr<edge_t>& rows_;
  std::span<const edge_t> ids_;
};

}  // namespace

template <class W>
UpperTriangle<W> arrange_edges(const EdgeSet<W>& edges, MemoryBudget budget) {
  const auto n = static_cast<std::int64_t>(edges.weights.size());
  EXPECTS(edges.ends.size() == 2 * edges.weights.size() &&
              (edges.ids.empty() || edges.ids.size() == edges.weights.size()),
          "an edge has two ends, a weight and an id; got ", edges.ends.size(), " ends, ", n,
          " weights and ", edges.ids.size(), " ids");
  const std::int64_t bad = parallel_find_first(2 * n, [&](std::int64_t i) {
    const vertex_t v = edges.ends[static_cast<std::size_t>(i)];
    return v < 0 || v >= edges.n_vertices;
  });
  EXPECTS(bad == 2 * n, "edges[", bad / 2, "] ends in ", edges.ends[static_cast<std::size_t>(bad)],
          ", which is not a vertex of ", vertex_range(edges.n_vertices));
  Csr<edge_t> numbers = group_arcs<edge_t>(
      "arranging the edges", edges.n_vertices, n,
      [&](std::int64_t first, std::int64_t last, auto&& emit) {
        for (std::int64_t i = first; i < last; ++i) {
          const vertex_t a = edges.ends[static_cast<std::size_t>(2 * i)];
          const vertex_t b = edges.ends[static_cast<std::size_t>(2 * i + 1)];
          if (a != b) emit(std::min(a, b), std::max(a, b), i);
        }
      },
      budget);
  RowsById rows(numbers, edges.ids);
  const std::size_t n_arranged = numbers.weights.size();
  const std::size_t held =
      numbers.offsets.size() * sizeof(edge_t) + n_arranged * (sizeof(edge_t) + sizeof(vertex_t));
  const std::size_t scratch = edges.ids.empty() ? 0 : rows.scratch_bytes();
  budget.after(held).require("arranging the edges", std::max(scratch, n_arranged * sizeof(W)),
                             "use a smaller graph");
  if (!edges.ids.empty()) rows.sort();
  UpperTriangle<W> result;
  result.graph.offsets = std::move(numbers.offsets);
  result.graph.heads = std::move(numbers.heads);
  result.positions = std::move(numbers.weights);
  result.graph.weights.resize(n_arranged);
  parallel_for(static_cast<std::int64_t>(n_arranged), [&](std::int64_t e) {
    const auto number = static_cast<std::size_t>(result.positions[static_cast<std::size_t>(e)]);
    result.graph.weights[static_cast<std::size_t>(e)] = edges.weights[number];
  });
  return result;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(arrange_edges)

}  // namespace warpgraph
