#include "graph/transform/sort_rows.hpp"

#include "core/containers/radix_sort.hpp"
#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/order_key.hpp"
#include "graph/transform/row_blocks.hpp"

#include <algorithm>

namespace warpgraph {
namespace {

/// All threads together sort a row longer than this, so that a hub neither keeps a single thread
/// busy nor delays Ctrl-C.
constexpr edge_t long_row = 1 << 16;

template <class Key>
struct Item {
  Key key;
  std::uint32_t offset;  // in the row
  friend bool operator<(Item a, Item b) {
    return a.key != b.key ? a.key < b.key : a.offset < b.offset;
  }
};

template <class W>
class RowSorter {
 public:
  RowSorter(const CsrView<W>& graph, bool heaviest_first, SortedRows<W>& sorted)
      : graph_(graph),
        flip_(heaviest_first ? std::numeric_limits<Key>::max() : Key{0}),
        sorted_(sorted) {}

  /// `items` is scratch.
  void sort_row(vertex_t u, std::vector<Item<order_key_t<W>>>& items) const {
    const edge_t begin = graph_.begin(u);
    const edge_t degree = graph_.degree(u);
    items.clear();
    for (edge_t i = 0; i < degree; ++i) {
      items.push_back({key(begin + i), static_cast<std::uint32_t>(i)});
    }
    std::sort(items.begin(), items.end());
    for (edge_t i = 0; i < degree; ++i) {
      write(begin + i, begin + items[static_cast<std::size_t>(i)].offset);
    }
  }

  void sort_long_row(vertex_t u) const {
    const edge_t begin = graph_.begin(u);
    const edge_t degree = graph_.degree(u);
    constexpr edge_t max_sortable = std::numeric_limits<std::uint32_t>::max();
    EXPECTS(degree <= max_sortable, "row ", u, " has ", degree, " entries; at most ", max_sortable,
            " can be sorted");
    const auto order = sorted_by_key(degree, [&](std::int64_t i) { return key(begin + i); });
    parallel_for(degree, [&](std::int64_t i) { write(begin + i, begin + order[i].index); });
  }

 private:
  using Key = order_key_t<W>;
  [[nodiscard]] Key key(edge_t e) const { return order_key(graph_.weights[e]) ^ flip_; }
  void write(edge_t to, edge_t from) const {
    const auto slot = static_cast<std::size_t>(to);
    sorted_.heads[slot] = graph_.heads[from];
    sorted_.weights[slot] = graph_.weights[from];
    sorted_.positions[slot] = from;
  }

  CsrView<W> graph_;
  Key flip_;
  SortedRows<W>& sorted_;
};

/// Upper bound of the buffers for the longest rows: for one row that all threads sort together, or
/// for one row per thread. The latter buffers grow by doubling, and during reallocation the old one
/// takes half as much as the new one.
template <class W>
std::size_t scratch_bytes(const CsrPattern& graph) {
  const edge_t longest = parallel_reduce(
      graph.n_vertices, edge_t{0},
      [&](std::int64_t u) { return graph.degree(static_cast<vertex_t>(u)); },
      [](edge_t a, edge_t b) { return std::max(a, b); });
  const edge_t apart = std::min(num_threads() * std::min(longest, long_row), graph.n_arcs);
  const auto items = static_cast<std::size_t>(apart) * sizeof(Item<order_key_t<W>>);
  const edge_t together = longest > long_row ? longest : 0;
  return std::max(items + items / 2, 2 * static_cast<std::size_t>(together) * sizeof(SortedItem));
}

}  // namespace

template <class W>
SortedRows<W> sort_rows(const CsrView<W>& graph, bool heaviest_first, std::size_t memory_limit) {
  const auto n_arcs = static_cast<std::size_t>(graph.n_arcs);
  MemoryBudget({}, memory_limit)
      .require("sorting the rows by weight",
               n_arcs * (sizeof(vertex_t) + sizeof(W) + sizeof(edge_t)) + scratch_bytes<W>(graph),
               "free memory or use a smaller graph");
  SortedRows<W> sorted{HostVector<vertex_t>(n_arcs), HostVector<W>(n_arcs),
                       HostVector<edge_t>(n_arcs)};
  const RowSorter<W> sorter(graph, heaviest_first, sorted);
  RowBlocks(graph).for_each([&](std::int64_t, vertex_t first, vertex_t last) {
    std::vector<Item<order_key_t<W>>> items;
    for (vertex_t u = first; u < last; ++u) {
      if (graph.degree(u) <= long_row) sorter.sort_row(u, items);
    }
  });
  for (vertex_t u = 0; u < graph.n_vertices; ++u) {
    if (graph.degree(u) > long_row) sorter.sort_long_row(u);
  }
  return sorted;
}

template <class W>
bool has_sorted_rows(const CsrView<W>& graph, bool heaviest_first) {
  std::atomic<bool> sorted{true};
  RowBlocks(graph).for_each([&](std::int64_t, vertex_t first, vertex_t last) {
    if (!sorted.load(std::memory_order_relaxed)) return;
    bool in_order = true;
    for (vertex_t u = first; u < last; ++u) {
      for (edge_t e = graph.begin(u) + 1; e < graph.end(u); ++e) {
        const W before = graph.weights[e - 1];
        in_order &= heaviest_first ? before >= graph.weights[e] : before <= graph.weights[e];
      }
    }
    if (!in_order) sorted.store(false, std::memory_order_relaxed);
  });
  return sorted.load();
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(sort_rows)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(has_sorted_rows)

}  // namespace warpgraph
