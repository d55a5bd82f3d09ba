#include "graph/upper_triangle.hpp"

#include "core/parallel.hpp"

#include <algorithm>

namespace warpgraph {
namespace {

constexpr vertex_t rows_per_block = 256;
constexpr vertex_t rows_between_polls = 1 << 14;

/// Calls visit(u, e) for the entries of all rows in their order.
template <class Visit>
void for_each_entry(const CsrPattern& graph, Visit&& visit) {
  for (vertex_t u = 0; u < graph.n_vertices; ++u) {
    if (u % rows_between_polls == 0) poll();
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) visit(u, e);
  }
}

}  // namespace

bool has_lower_triangle(const CsrPattern& graph) {
  std::atomic<bool> found{false};
  parallel_blocks(graph.n_vertices, rows_per_block,
                  [&](int, std::int64_t first, std::int64_t last) {
                    for (std::int64_t row = first; row < last && !found; ++row) {
                      const auto u = static_cast<vertex_t>(row);
                      bool below = false;
                      for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
                        below |= graph.heads[e] < u;
                      }
                      if (below) found = true;
                    }
                  });
  return found;
}

template <class W>
UpperTriangle<W> upper_triangle(const CsrView<W>& graph) {
  UpperTriangle<W> result;
  std::vector<edge_t>& offsets = result.graph.offsets;
  offsets.assign(static_cast<std::size_t>(graph.n_vertices) + 1, 0);
  for_each_entry(graph, [&](vertex_t u, edge_t e) {
    const vertex_t v = graph.heads[e];
    if (u != v) ++offsets[static_cast<std::size_t>(std::min(u, v))];
  });
  const auto n_edges = static_cast<std::size_t>(
      exclusive_scan_in_place(offsets.data(), static_cast<std::int64_t>(offsets.size())));
  result.graph.heads.resize(n_edges);
  result.graph.weights.resize(n_edges);
  result.positions.resize(n_edges);

  std::vector<edge_t> cursor = offsets;
  const auto append = [&](vertex_t low, vertex_t high, edge_t e) {
    const auto slot = static_cast<std::size_t>(cursor[static_cast<std::size_t>(low)]++);
    result.graph.heads[slot] = high;
    result.graph.weights[slot] = graph.weights[e];
    result.positions[slot] = e;
  };
  for_each_entry(graph, [&](vertex_t u, edge_t e) {
    if (graph.heads[e] > u) append(u, graph.heads[e], e);
  });
  for_each_entry(graph, [&](vertex_t u, edge_t e) {
    if (graph.heads[e] < u) append(graph.heads[e], u, e);
  });
  return result;
}

#define WARPGRAPH_INSTANTIATE(W) template UpperTriangle<W> upper_triangle<W>(const CsrView<W>&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
