#include "primitives/path_trees/direct_arcs.hpp"

#include "core/threads/parallel.hpp"

#include <algorithm>

namespace warpgraph {

template <class W>
void prefer_direct_arcs(const CsrView<W>& graph, const DistanceRows<W>& rows, vertex_t missing,
                        vertex_t* predecessors) {
  const std::int64_t n = graph.n_vertices;
  const auto finish_row = [&](std::int64_t i) {
    vertex_t* tree = predecessors + i * n;
    for (std::int64_t v = 0; v < n; ++v) tree[v] = tree[v] < 0 ? missing : tree[v];
    const W* distances = rows.row(i);
    const vertex_t source = rows.sources[static_cast<std::size_t>(i)];
    for (edge_t e = graph.begin(source); e < graph.end(source); ++e) {
      const vertex_t v = graph.heads[e];
      const W weight = graph.weights == nullptr ? W{1} : graph.weights[e];
      if (tree[v] >= 0 && weight == distances[v]) tree[v] = source;
    }
  };
  const std::int64_t grain = light_grain / std::max<std::int64_t>(n, 1) + 1;
  parallel_for(rows.size(), finish_row, grain);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(prefer_direct_arcs)

}  // namespace warpgraph
