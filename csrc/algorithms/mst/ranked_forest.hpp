// From ranks of edges to the edges. Private to this folder.
#pragma once

#include "algorithms/mst/boruvka_rows.hpp"
#include "algorithms/mst/mst.hpp"
#include "core/parallel.hpp"

namespace warpgraph::mst {

/// The edges with these ranks, in their order. `rows` were prepared of the graph.
template <class W>
SpanningForest<W> forest_of_ranks(const CsrView<W>& graph, const PreparedRows& rows,
                                  const HostVector<rank_t>& ranks) {
  const std::size_t n = ranks.size();
  SpanningForest<W> forest{HostVector<vertex_t>(2 * n), HostVector<W>(n), HostVector<edge_t>(n)};
  parallel_for(static_cast<std::int64_t>(n), [&](std::int64_t i) {
    const auto place = static_cast<std::size_t>(i);
    const edge_t e = rows.positions[ranks[place]];
    forest.positions[place] = e;
    forest.ends[2 * place] = tail_of(graph, e);
    forest.ends[2 * place + 1] = graph.heads[e];
    forest.weights[place] = graph.weights[e];
  });
  return forest;
}

}  // namespace warpgraph::mst
