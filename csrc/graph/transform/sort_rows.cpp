#include "graph/transform/sort_rows.hpp"

#include "core/containers/radix_sort.hpp"
#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/order_key.hpp"
#include "graph/transform/row_blocks.hpp"

#include <algorithm>

namespace warpgraph {
namespace {

/// Length of the longest row that one thread sorts; all threads together sort longer ones, so that
/// a hub neither keeps a single thread busy nor delays Ctrl-C.
constexpr edge_t long_row = 1 << 16;

template <class Key>
struct Item {
  Key key;
  std::uint32_t offset;  // in the row
  friend bool operator<(Item a, Item b) {
    return a.key != b.key ? a.key < b.key : a.offset < b.offset;
  }
};

/// Returns an upper bound on the buffers for the longest rows: for one row that all threads sort
/// together, or for one row per thread. The latter buffers grow by doubling, and during
/// reallocation the old one takes half as much as the new one.
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
SortedRows<W> sort_rows(const CsrView<W>& graph, bool heaviest_first, MemoryBudget budget) {
  const auto n_arcs = static_cast<std::size_t>(graph.n_arcs);
  budget.require("sorting the rows by weight",
                 n_arcs * (sizeof(vertex_t) + sizeof(W) + sizeof(edge_t)) + scratch_bytes<W>(graph),
                 "use a smaller graph");
  SortedRows<W> sorted{HostVector<vertex_t>(n_arcs), HostVector<W>(n_arcs),
                       HostVector<edge_t>(n_arcs)};
  using Key = order_key_t<W>;
  const Key flip = heaviest_first ? std::numeric_limits<Key>::max() : Key{0};
  const auto key = [&](edge_t e) { return order_key(graph.weights[e]) ^ flip; };
  const auto write = [&](edge_t to, edge_t from) {
    const auto slot = static_cast<std::size_t>(to);
    sorted.heads[slot] = graph.heads[from];
    sorted.weights[slot] = graph.weights[from];
    sorted.positions[slot] = from;
  };
  RowBlocks(graph).for_each([&](std::int64_t, vertex_t first, vertex_t last) {
    std::vector<Item<Key>> items;
    for (vertex_t u = first; u < last; ++u) {
      const edge_t begin = graph.begin(u);
      const edge_t degree = graph.degree(u);
      if (degree > long_row) continue;
      items.clear();
      for (edge_t i = 0; i < degree; ++i) {
        items.push_back({key(begin + i), static_cast<std::uint32_t>(i)});
      }
      std::sort(items.begin(), items.end());
      for (edge_t i = 0; i < degree; ++i) {
        write(begin + i, begin + items[static_cast<std::size_t>(i)].offset);
      }
    }
  });
  for (vertex_t u = 0; u < graph.n_vertices; ++u) {
    const edge_t begin = graph.begin(u);
    const edge_t degree = graph.degree(u);
    if (degree <= long_row) continue;
    constexpr edge_t max_sortable = std::numeric_limits<std::uint32_t>::max();
    EXPECTS(degree <= max_sortable, "row ", u, " has ", degree, " entries; at most ", max_sortable,
            " can be sorted");
    const auto order = sorted_by_key(degree, [&](std::int64_t i) { return key(begin + i); });
    parallel_for(degree, [&](std::int64_t i) { write(begin + i, begin + order[i].index); });
  }
  return sorted;
}

/// Returns whether in_order(e) is true for each arc but the first of its row.
template <class InOrder>
bool are_rows_in_order(const CsrPattern& graph, InOrder&& in_order) {
  std::atomic<bool> are_all{true};
  RowBlocks(graph).for_each([&](std::int64_t, vertex_t first, vertex_t last) {
    if (!are_all.load(std::memory_order_relaxed)) return;
    bool are_these = true;
    for (vertex_t u = first; u < last; ++u) {
      for (edge_t e = graph.begin(u) + 1; e < graph.end(u); ++e) are_these &= in_order(e);
    }
    if (!are_these) are_all.store(false, std::memory_order_relaxed);
  });
  return are_all.load();
}

template <class W>
bool has_sorted_rows(const CsrView<W>& graph, bool heaviest_first) {
  const W* const weights = graph.weights;
  return heaviest_first
             ? are_rows_in_order(graph, [=](edge_t e) { return weights[e - 1] >= weights[e]; })
             : are_rows_in_order(graph, [=](edge_t e) { return weights[e - 1] <= weights[e]; });
}

bool has_ascending_heads(const CsrPattern& graph) {
  const vertex_t* const heads = graph.heads;
  return are_rows_in_order(graph, [=](edge_t e) { return heads[e - 1] <= heads[e]; });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(sort_rows)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(has_sorted_rows)

}  // namespace warpgraph
