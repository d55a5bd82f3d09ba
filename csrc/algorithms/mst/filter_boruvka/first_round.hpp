// The first round of Boruvka's algorithm on a symmetric matrix: every vertex is joined to its
// nearest neighbour. A vertex's row holds all of its edges, so this is one scan over the rows, and
// no two threads write to the same address. Private to this folder.
#pragma once

#include "algorithms/mst/edge_order.hpp"
#include "algorithms/mst/filter_boruvka/growing_forest.hpp"
#include "algorithms/mst/filter_boruvka/row_scan.hpp"
#include "graph/transform/row_blocks.hpp"

#include <array>

namespace warpgraph::mst {

/// The chosen edges of which only the entry below the diagonal has been found. The id of an edge is
/// the position of its entry above the diagonal: the first one in the row of the smaller end,
/// `low`, that has the head `high` and the same key. It is looked up in the next scan, which visits
/// all rows anyway.
template <class W>
class DeferredEdgeIds {
 public:
  DeferredEdgeIds() = default;
  explicit DeferredEdgeIds(vertex_t n_vertices) : edges_(n_vertices) {}

  /// Defers the id of an edge between two vertices. If `low` is no_vertex, none is deferred.
  void defer(vertex_t high, vertex_t low, order_key_t<W> key) { edges_[high] = {low, key}; }

  [[nodiscard]] bool is_deferred(vertex_t high) const {
    return edges_ && edges_[high].low != no_vertex;
  }

  [[gnu::always_inline]] void prefetch(vertex_t high) const {
    if (edges_) __builtin_prefetch(&edges_[high]);
  }

  /// Returns whether resolve() might return true for the entry (low, high) with this key.
  [[nodiscard]] bool matches(vertex_t low, vertex_t high, order_key_t<W> key) const {
    if (!edges_) return false;
    const bool has_low = relaxed_load(edges_[high].low) == low;
    const bool has_key = edges_[high].key == key;
    return has_low & has_key;
  }

  /// Returns whether the entry (low, high) with this key is one whose position is looked for. It is
  /// then found, and later entries do not match. One thread per row `low` calls this for the row's
  /// entries in order, so no other thread changes the ids that are deferred to this row.
  bool resolve(vertex_t low, vertex_t high, order_key_t<W> key) {
    if (!matches(low, high, key)) return false;
    relaxed_store(edges_[high].low, no_vertex);
    return true;
  }

 private:
  struct Edge {
    vertex_t low;
    order_key_t<W> key;
  };
  HostArray<Edge> edges_;  // of each vertex as the higher end
};

/// The results of the first round that later ones use.
template <class W>
struct FirstRound {
  DeferredEdgeIds<W> deferred;
  /// A position in each row before which no entry is above the diagonal. Later scans begin there,
  /// which halves them where rows are sorted by head, as nearly all are.
  HostArray<edge_t> first_upper;
  /// The number of vertices without edges.
  std::int64_t n_isolated = 0;
};

/// Hooks every vertex to its target, its nearest neighbour; of two that are each other's target,
/// only the smaller one. The loop over vertices has no branches, since whether a vertex is hooked,
/// and whether its target is larger, is hard to predict. Returns the number of vertices without
/// edges, which are their own targets.
template <class W>
std::int64_t hook_to_targets(const KeyedGraph<W>& graph, const HostArray<edge_t>& nearest,
                             const HostArray<vertex_t>& target, DeferredEdgeIds<W>& deferred,
                             GrowingForest& forest) {
  constexpr std::int64_t vertices_per_block = 1024;
  constexpr std::int64_t vertices_ahead = 16;
  const std::int64_t n = graph.n_vertices;
  return parallel_reduce(
      (n + vertices_per_block - 1) / vertices_per_block, std::int64_t{0},
      [&](std::int64_t block) {
        std::array<edge_t, vertices_per_block> chosen;
        std::size_t n_chosen = 0;
        std::int64_t n_isolated = 0;
        const std::int64_t last = std::min((block + 1) * vertices_per_block, n);
        for (std::int64_t v = block * vertices_per_block; v < last; ++v) {
          const auto u = static_cast<vertex_t>(v);
          __builtin_prefetch(&target[target[std::min(v + vertices_ahead, n - 1)]]);
          const vertex_t to = target[u];
          const bool is_isolated = to == u;
          const bool is_hooked = !(is_isolated | ((target[to] == u) & (u > to)));
          n_isolated += is_isolated;
          forest.label[u] = is_hooked ? to : u;
          deferred.defer(u, (is_hooked & (to < u)) ? to : no_vertex,
                         graph.key(std::max<edge_t>(nearest[u], 0)));
          chosen[n_chosen] = nearest[u];
          n_chosen += static_cast<std::size_t>(is_hooked & (u < to));
        }
        const auto first_row = static_cast<vertex_t>(block * vertices_per_block);
        for (std::size_t i = 0; i < n_chosen; ++i) {
          forest.choose_within(graph, first_row, static_cast<vertex_t>(last), chosen[i]);
        }
        return n_isolated;
      },
      std::plus<>{}, 2);
}

/// Joins every vertex to its nearest neighbour.
template <class W>
FirstRound<W> join_nearest_neighbours(const KeyedGraph<W>& graph, const RowBlocks& blocks,
                                      bool is_sorted, GrowingForest& forest) {
  FirstRound<W> result{DeferredEdgeIds<W>(graph.n_vertices), HostArray<edge_t>(graph.n_vertices),
                       0};
  const HostArray<edge_t> nearest(graph.n_vertices);
  const HostArray<vertex_t> target(graph.n_vertices);
  blocks.for_each([&](std::int64_t, vertex_t first, vertex_t last) {
    summarise_rows(graph, first, last, is_sorted, [&](vertex_t u, RowSummary row) {
      result.first_upper[u] = row.first_upper;
      nearest[u] = row.nearest;
      target[u] = row.nearest < 0 ? u : graph.heads[row.nearest];
    });
  });
  result.n_isolated = hook_to_targets(graph, nearest, target, result.deferred, forest);
  forest.flatten();
  return result;
}

}  // namespace warpgraph::mst
