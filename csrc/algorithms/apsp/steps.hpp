// The steps of apsp_cpu.cpp. For this folder.
#pragma once

#include "algorithms/apsp/apsp.hpp"
#include "algorithms/apsp/arithmetic.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>

namespace warpgraph::apsp_steps {

/// u's arcs as a row of the matrix, before any path is looked for: the lightest of parallel arcs,
/// `none` where there is no arc, 0 for u itself unless it has a negative loop. `convert` turns
/// weights into what the matrix holds.
template <class Value, class R, class Convert>
void fill_row(const CsrView<R>& graph, vertex_t u, Value none, Value* row, Convert&& convert) {
  std::fill_n(row, graph.n_vertices, none);
  row[u] = Value{0};
  for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
    Value& place = row[graph.heads[e]];
    place = std::min(place, convert(shortest_paths::weight_of(graph, e)));
  }
}

/// Floyd's three loops in R itself.
template <class R>
void floyd_serial(const CsrView<R>& graph, ApspResult<R> result);

}  // namespace warpgraph::apsp_steps
