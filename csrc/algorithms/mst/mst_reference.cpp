#include "algorithms/mst/mst.hpp"
#include "core/interrupt.hpp"

#include <algorithm>
#include <numeric>

namespace warpgraph {
namespace {

template <class W>
struct UndirectedEdge {
  W weight;
  edge_t position;
  vertex_t tail;
  vertex_t head;
};

template <class W>
std::vector<UndirectedEdge<W>> sorted_edges(const CsrView<W>& graph, bool heaviest_first) {
  std::vector<UndirectedEdge<W>> edges;
  for (vertex_t u = 0; u < graph.n_vertices; ++u) {
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
      if (graph.heads[e] > u) edges.push_back({graph.weights[e], e, u, graph.heads[e]});
    }
  }
  std::stable_sort(edges.begin(), edges.end(),
                   [&](const UndirectedEdge<W>& a, const UndirectedEdge<W>& b) {
                     return heaviest_first ? b.weight < a.weight : a.weight < b.weight;
                   });
  return edges;
}

}  // namespace

template <class W>
SpanningForest<W> mst_reference(const CsrView<W>& graph, const MstOptions& options) {
  const auto n_vertices = static_cast<std::size_t>(graph.n_vertices);
  const auto n_arcs = static_cast<std::size_t>(graph.n_arcs);
  options.budget.require("sorting the edges",
                         n_arcs * 2 * sizeof(UndirectedEdge<W>) + n_vertices * sizeof(vertex_t),
                         "use method 'auto'");
  std::vector<vertex_t> set(n_vertices);
  std::iota(set.begin(), set.end(), 0);
  const auto root = [&](vertex_t v) {
    while (set[static_cast<std::size_t>(v)] != v) v = set[static_cast<std::size_t>(v)];
    return v;
  };
  SpanningForest<W> forest;
  for (const UndirectedEdge<W>& edge : sorted_edges(graph, options.maximum)) {
    poll();
    const vertex_t a = root(edge.tail);
    const vertex_t b = root(edge.head);
    if (a == b) continue;
    set[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    forest.ends.insert(forest.ends.end(), {edge.tail, edge.head});
    forest.weights.push_back(edge.weight);
    forest.positions.push_back(edge.position);
  }
  return forest;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(mst_reference)

}  // namespace warpgraph
