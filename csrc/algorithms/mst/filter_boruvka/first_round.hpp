// The first round of Boruvka's algorithm on a symmetric matrix: every vertex is joined to its
// nearest neighbour. A vertex's row holds all of its edges, so this is one scan over the rows, and
// no two threads write to the same address. Private to this folder.
#pragma once

#include "algorithms/mst/edge_order.hpp"
#include "algorithms/mst/filter_boruvka/growing_forest.hpp"
#include "algorithms/mst/filter_boruvka/row_scan.hpp"
#include "graph/transform/row_blocks.hpp"

namespace warpgraph::mst {

/// Chosen edges of which only the entry below the diagonal has been found. Their position is that
/// of the transposed entry, the first such in the row of the smaller end. The lookup is deferred to
/// the next scan, which visits all rows anyway.
template <class W>
class DeferredEdgeIds {
 public:
  DeferredEdgeIds() = default;
  explicit DeferredEdgeIds(vertex_t n_vertices) : low_end_(n_vertices), key_(n_vertices) {}

  void defer(vertex_t high, vertex_t low, order_key_t<W> key) {
    low_end_[high] = low;
    key_[high] = key;
  }
  /// No id is deferred for this vertex.
  void clear(vertex_t high) { low_end_[high] = no_vertex; }

  [[nodiscard]] bool is_deferred(vertex_t high) const {
    return low_end_ && low_end_[high] != no_vertex;
  }

  void prefetch(vertex_t high) const {
    if (low_end_) __builtin_prefetch(&low_end_[high]);
  }

  /// Whether the id of the entry (low, high) with this key is deferred; if so, it no longer is.
  /// Call it for the entries of a row in order, and from one thread per row: no other thread
  /// changes the deferred ids of that row.
  bool resolve(vertex_t low, vertex_t high, const KeyedGraph<W>& graph, edge_t e) {
    if (!low_end_) return false;
    if (relaxed_load(low_end_[high]) != low || key_[high] != graph.key(e)) return false;
    relaxed_store(low_end_[high], no_vertex);
    return true;
  }

 private:
  HostArray<vertex_t> low_end_;
  HostArray<order_key_t<W>> key_;
};

/// What the first round passes on to the later ones.
template <class W>
struct FirstRound {
  DeferredEdgeIds<W> deferred;
  /// Of each row: no entry above the diagonal lies before this position. In rows sorted by head, as
  /// nearly all are, it halves the later scans.
  HostArray<edge_t> first_upper;
  /// Vertices without edges.
  std::int64_t n_isolated = 0;
};

/// Joins every vertex to its nearest neighbour.
template <class W>
FirstRound<W> join_nearest_neighbours(const KeyedGraph<W>& graph, const RowBlocks& blocks,
                                      bool is_sorted, GrowingForest& forest) {
  FirstRound<W> result{DeferredEdgeIds<W>(graph.n_vertices), HostArray<edge_t>(graph.n_vertices),
                       0};
  const HostArray<edge_t> nearest(graph.n_vertices);
  const HostArray<vertex_t> target(graph.n_vertices);
  constexpr std::int64_t vertices_ahead = 16;
  const std::int64_t last_vertex = std::int64_t{graph.n_vertices} - 1;
  blocks.for_each([&](std::int64_t, vertex_t first, vertex_t last) {
    summarise_rows(graph, first, last, is_sorted, [&](vertex_t u, RowSummary row) {
      result.first_upper[u] = row.first_upper;
      nearest[u] = row.nearest;
      target[u] = row.nearest < 0 ? u : graph.heads[row.nearest];
    });
  });
  parallel_for(graph.n_vertices, [&](std::int64_t v) {
    const auto u = static_cast<vertex_t>(v);
    __builtin_prefetch(&target[target[std::min(v + vertices_ahead, last_vertex)]]);
    result.deferred.clear(u);
    if (target[u] == u || keeps_root(target.get(), u)) return;
    forest.label[u] = target[u];
    if (u < target[u]) {
      forest.choose(nearest[u]);
    } else {
      result.deferred.defer(u, target[u], graph.key(nearest[u]));
    }
  });
  forest.flatten();
  result.n_isolated = parallel_reduce(
      graph.n_vertices, std::int64_t{0}, [&](std::int64_t v) { return nearest[v] < 0 ? 1 : 0; },
      std::plus<>{});
  return result;
}

}  // namespace warpgraph::mst
