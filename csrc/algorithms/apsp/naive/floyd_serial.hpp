// The serial reference of apsp_cpu, and the initial rows that it shares with the blocked method.
// Not for use outside this folder.
#pragma once

#include "algorithms/apsp/accumulator.hpp"
#include "algorithms/apsp/apsp.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>

namespace warpgraph::apsp_detail {

/// Writes row u of the initial matrix: the lightest of parallel arcs, `none` where there is no arc,
/// and 0 for u itself unless it has a negative loop. `convert` maps a weight to the matrix's type.
template <class Value, class R, class Convert>
void fill_row(const CsrView<R>& graph, vertex_t u, Value none, Value* row, Convert&& convert) {
  std::fill_n(row, graph.n_vertices, none);
  row[u] = Value{0};
  for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
    Value& place = row[graph.heads[e]];
    place = std::min(place, convert(shortest_paths::weight_of(graph, e)));
  }
}

/// Runs Floyd's three loops, computed in R itself.
template <class R>
void floyd_serial(const CsrView<R>& graph, ApspResult<R> result);

}  // namespace warpgraph::apsp_detail
