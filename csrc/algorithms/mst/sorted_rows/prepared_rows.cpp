#include "algorithms/mst/sorted_rows/prepared_rows.hpp"

#include "algorithms/mst/edge_order.hpp"
#include "core/containers/radix_sort.hpp"
#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "graph/transform/group_arcs.hpp"

namespace warpgraph::mst {
namespace {

constexpr edge_t arcs_per_block = 1 << 15;

/// The edges of a graph in the order of their positions.
struct EdgeList {
  HostVector<vertex_t> tails;
  HostVector<edge_t> positions;
};

/// The bytes per edge: the list, and again by rank; then either the order, twice for the sort, or
/// the order and both arcs, of which group_arcs has two copies.
constexpr std::size_t list_bytes = 2 * (sizeof(vertex_t) + sizeof(edge_t));
constexpr std::size_t arc_bytes = 2 * (sizeof(Arc<rank_t>) + sizeof(vertex_t) + sizeof(rank_t));
constexpr std::size_t bytes_per_edge =
    list_bytes + sizeof(SortedItem) + std::max(sizeof(SortedItem), arc_bytes);

EdgeList list_edges(const CsrPattern& graph, MemoryBudget budget) {
  const std::int64_t n_blocks = (graph.n_arcs + arcs_per_block - 1) / arcs_per_block;
  std::vector<std::int64_t> starts(static_cast<std::size_t>(n_blocks) + 1, 0);
  // This calls visit(next, u, e), where `next` is the start of the block, for visit to advance.
  const auto for_each_edge = [&](auto&& visit) {
    parallel_blocks(graph.n_arcs, arcs_per_block, [&](int, edge_t first, edge_t last) {
      std::int64_t& start = starts[static_cast<std::size_t>(first / arcs_per_block)];
      auto next = static_cast<std::size_t>(start);
      for_each_arc(graph, first, last, [&](vertex_t u, vertex_t v, edge_t e) {
        if (u < v) visit(next, u, e);
      });
      start = static_cast<std::int64_t>(next);
    });
  };
  for_each_edge([](std::size_t& next, vertex_t, edge_t) { ++next; });
  const auto n_edges = static_cast<std::size_t>(
      exclusive_scan_in_place(starts.data(), static_cast<std::int64_t>(starts.size())));
  check_rankable(static_cast<std::int64_t>(n_edges));
  budget.require(
      "sorting the edges of the graph",
      n_edges * bytes_per_edge + (static_cast<std::size_t>(graph.n_vertices) + 1) * sizeof(edge_t),
      "use method=\"filter\"");
  EdgeList list{HostVector<vertex_t>(n_edges), HostVector<edge_t>(n_edges)};
  for_each_edge([&](std::size_t& next, vertex_t u, edge_t e) {
    list.tails[next] = u;
    list.positions[next++] = e;
  });
  return list;
}

}  // namespace

void check_rankable(std::int64_t n_edges) {
  EXPECTS(n_edges <= max_ranked_edges, "the graph has ", n_edges,
          " edges, but method=\"boruvka\" can rank no more than ", max_ranked_edges,
          "; use method=\"filter\"");
}

RowsView PreparedRows::view() const noexcept {
  const CsrPattern rows{static_cast<vertex_t>(offsets.size() - 1),
                        static_cast<edge_t>(ranks.size()), Offsets(offsets.data()),
                        heads.empty() ? nullptr : heads.data()};
  return {rows, ranks.data()};
}

template <class W>
PreparedRows prepare_rows(const CsrView<W>& graph, bool maximum, MemoryBudget budget) {
  const KeyedGraph<W> ranked(graph, maximum);
  const EdgeList list = list_edges(graph, budget);
  const auto n_edges = static_cast<std::int64_t>(list.positions.size());
  const auto order = sorted_by_key(n_edges, [&](std::int64_t i) {
    return ranked.key(list.positions[static_cast<std::size_t>(i)]);
  });
  PreparedRows rows;
  rows.positions.resize(list.positions.size());
  rows.tails.resize(list.positions.size());
  parallel_for(n_edges, [&](std::int64_t rank) {
    const std::uint32_t edge = order[rank].index;
    rows.positions[static_cast<std::size_t>(rank)] = list.positions[edge];
    rows.tails[static_cast<std::size_t>(rank)] = list.tails[edge];
  });
  Csr<rank_t> grouped = group_arcs<rank_t>(
      "sorting the rows of the graph", graph.n_vertices, n_edges,
      [&](std::int64_t first, std::int64_t last, auto&& emit) {
        for (std::int64_t i = first; i < last; ++i) {
          const vertex_t u = rows.tails[static_cast<std::size_t>(i)];
          const vertex_t v = graph.heads[rows.positions[static_cast<std::size_t>(i)]];
          emit(u, v, static_cast<rank_t>(i));
          emit(v, u, static_cast<rank_t>(i));
        }
      },
      budget.after(list.positions.size() * (list_bytes + sizeof(SortedItem))));
  rows.offsets = std::move(grouped.offsets);
  rows.heads = std::move(grouped.heads);
  rows.ranks = std::move(grouped.weights);
  return rows;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(prepare_rows)

}  // namespace warpgraph::mst
