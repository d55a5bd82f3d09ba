// The first round of Boruvka's algorithm on a symmetric matrix: every vertex is joined to its
// nearest neighbour. All edges of a vertex lie in its row, so this is one scan over the rows, and
// no two threads want to write to the same place. Private to this folder.
#pragma once

#include "algorithms/mst/edge_order.hpp"
#include "algorithms/mst/filter_boruvka/growing_forest.hpp"
#include "graph/transform/row_blocks.hpp"

namespace warpgraph::mst {

/// Chosen edges of which only the entry below the diagonal is known. Their position is that of the
/// mirrored entry, the first such in the row of the smaller end; looking it up is left to the next
/// scan, which passes by all rows anyway.
template <class W>
class SoughtEdges {
 public:
  SoughtEdges() = default;
  explicit SoughtEdges(vertex_t n_vertices) : low_end_(n_vertices), key_(n_vertices) {}

  void seek(vertex_t high, vertex_t low, order_key_t<W> key) {
    low_end_[high] = low;
    key_[high] = key;
  }
  /// Nothing is sought for this vertex.
  void skip(vertex_t high) { low_end_[high] = no_vertex; }

  /// True when the entry (low, high) with this key is sought; then it is no more. Call it for the
  /// entries of a row in their order, and from one thread a row: nobody else alters what is sought
  /// in that row.
  bool claim(vertex_t low, vertex_t high, const RankedGraph<W>& graph, edge_t e) {
    if (relaxed_load(low_end_[high]) != low || key_[high] != graph.key(e)) return false;
    relaxed_store(low_end_[high], no_vertex);
    return true;
  }

 private:
  HostArray<vertex_t> low_end_;
  HostArray<order_key_t<W>> key_;
};

/// What one look at a row finds.
struct RowSummary {
  edge_t nearest;      // position of the arc that comes first in Kruskal's order, or -1
  edge_t first_upper;  // no entry above the diagonal lies before it
};

/// Entries below the diagonal stand for their mirror images, which lie in earlier rows: of equal
/// weights the smaller head comes first.
template <class W>
RowSummary summarise_row(const RankedGraph<W>& graph, vertex_t u, bool is_sorted) {
  RowSummary found{-1, graph.end(u)};
  order_key_t<W> least = std::numeric_limits<order_key_t<W>>::max();
  vertex_t least_row = u;
  for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
    const vertex_t v = graph.heads[e];
    if (v > u && e < found.first_upper) found.first_upper = e;
    const order_key_t<W> key = graph.key(e);
    if (is_sorted && found.nearest >= 0 && key > least) break;
    if (key > least || v == u) continue;
    const vertex_t row = std::min(u, v);
    if (found.nearest >= 0 && key == least && row >= least_row) continue;
    found.nearest = e;
    least = key;
    least_row = row;
  }
  // Where the scan ended early, it need not have come to the first one.
  if (is_sorted) found.first_upper = graph.begin(u);
  return found;
}

/// What the first round leaves to the later ones.
template <class W>
struct FirstRound {
  SoughtEdges<W> sought;
  /// Of each row: no entry above the diagonal lies before this position. In rows that are sorted,
  /// as nearly all are, it halves the scans to come.
  HostArray<edge_t> first_upper;
  /// How many vertices have no edge at all.
  std::int64_t n_lonely = 0;
};

/// Joins every vertex to its nearest neighbour.
template <class W>
FirstRound<W> join_nearest_neighbours(const RankedGraph<W>& graph, const RowBlocks& blocks,
                                      bool is_sorted, GrowingForest& forest) {
  FirstRound<W> result{SoughtEdges<W>(graph.n_vertices), HostArray<edge_t>(graph.n_vertices), 0};
  const HostArray<edge_t> nearest(graph.n_vertices);
  const HostArray<vertex_t> target(graph.n_vertices);
  blocks.for_each([&](std::int64_t, vertex_t first, vertex_t last) {
    for (vertex_t u = first; u < last; ++u) {
      const RowSummary row = summarise_row(graph, u, is_sorted);
      result.first_upper[u] = row.first_upper;
      nearest[u] = row.nearest;
      target[u] = row.nearest < 0 ? u : graph.heads[row.nearest];
    }
  });
  parallel_for(graph.n_vertices, [&](std::int64_t v) {
    const auto u = static_cast<vertex_t>(v);
    result.sought.skip(u);
    if (target[u] == u || keeps_root(target.get(), u)) return;
    forest.label[u] = target[u];
    if (u < target[u]) {
      forest.choose(nearest[u]);
    } else {
      result.sought.seek(u, target[u], graph.key(nearest[u]));
    }
  });
  forest.flatten();
  result.n_lonely = parallel_reduce(
      graph.n_vertices, std::int64_t{0}, [&](std::int64_t v) { return nearest[v] < 0 ? 1 : 0; },
      std::plus<>{});
  return result;
}

}  // namespace warpgraph::mst
