// The edges of given ranks. Private to this folder.
#pragma once

#include "algorithms/mst/mst.hpp"
#include "algorithms/mst/sorted_rows/prepared_rows.hpp"
#include "core/threads/parallel.hpp"

namespace warpgraph::mst {

/// Returns the edges with these ranks, in that order. `rows` were prepared from the graph.
template <class W>
SpanningForest<W> forest_of_ranks(const CsrView<W>& graph, const PreparedRows& rows,
                                  const HostVector<rank_t>& ranks) {
  // Edges in the order of their weights are scattered over the graph: prefetching a batch overlaps
  // the latency of their reads.
  constexpr std::int64_t batch = 16;
  const std::size_t n = ranks.size();
  SpanningForest<W> forest{HostVector<vertex_t>(2 * n), HostVector<W>(n), HostVector<edge_t>(n)};
  parallel_blocks(static_cast<std::int64_t>(n), default_grain, [&](int, auto first, auto last) {
    for (std::int64_t begin = first; begin < last; begin += batch) {
      const auto from = static_cast<std::size_t>(begin);
      const auto to = static_cast<std::size_t>(std::min(begin + batch, last));
      for (std::size_t i = from; i < to; ++i) {
        forest.positions[i] = rows.positions[ranks[i]];
        __builtin_prefetch(graph.heads + forest.positions[i]);
        __builtin_prefetch(graph.weights + forest.positions[i]);
      }
      for (std::size_t i = from; i < to; ++i) {
        forest.ends[2 * i] = rows.tails[ranks[i]];
        forest.ends[2 * i + 1] = graph.heads[forest.positions[i]];
        forest.weights[i] = graph.weights[forest.positions[i]];
      }
    }
  });
  return forest;
}

}  // namespace warpgraph::mst
