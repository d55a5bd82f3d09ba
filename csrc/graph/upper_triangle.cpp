#include "graph/upper_triangle.hpp"

#include "graph/transform/group_arcs.hpp"

namespace warpgraph {
namespace {

constexpr edge_t arcs_per_block = 1 << 15;
constexpr const char* task = "bringing the graph to its upper triangle";

/// Returns the weights at `positions`.
template <class W>
HostVector<W> gather(const W* weights, const HostVector<edge_t>& positions) {
  HostVector<W> gathered(positions.size());
  parallel_for(static_cast<std::int64_t>(positions.size()), [&](std::int64_t i) {
    const auto slot = static_cast<std::size_t>(i);
    gathered[slot] = weights[positions[slot]];
  });
  return gathered;
}

}  // namespace

bool has_lower_triangle(const CsrPattern& graph) {
  std::atomic<bool> found{false};
  parallel_blocks(graph.n_arcs, arcs_per_block, [&](int, edge_t first, edge_t last) {
    if (found.load(std::memory_order_relaxed)) return;
    bool below = false;
    for_each_arc(graph, first, last, [&](vertex_t u, vertex_t v, edge_t) { below |= v < u; });
    if (below) found.store(true, std::memory_order_relaxed);
  });
  return found.load();
}

MemoryNeed most_need_of_upper_triangle(const CsrPattern& graph) {
  return need_of_grouping<edge_t>(task, graph.n_vertices, 2 * graph.n_arcs, graph.n_arcs);
}

template <class W>
UpperTriangle<W> upper_triangle(const CsrView<W>& graph, MemoryBudget budget) {
  // Groups by rows a list of the entries above the diagonal, followed by the transposed entries
  // below it. In each row this order is kept.
  const edge_t n = graph.n_arcs;
  Csr<edge_t> grouped = group_arcs<edge_t>(
      task, graph.n_vertices, 2 * n,
      [&](edge_t first, edge_t last, auto&& emit) {
        for_each_arc(graph, first, std::min(last, n), [&](vertex_t u, vertex_t v, edge_t e) {
          if (u < v) emit(u, v, e);
        });
        for_each_arc(graph, std::max(first - n, edge_t{0}), last - n,
                     [&](vertex_t u, vertex_t v, edge_t e) {
                       if (v < u) emit(v, u, e);
                     });
      },
      budget);
  UpperTriangle<W> result;
  result.graph.weights = gather(graph.weights, grouped.weights);
  result.graph.offsets = std::move(grouped.offsets);
  result.graph.heads = std::move(grouped.heads);
  result.positions = std::move(grouped.weights);
  return result;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(upper_triangle)

}  // namespace warpgraph
