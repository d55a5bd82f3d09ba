#include "primitives/graph_shape.hpp"

#include "core/threads/parallel.hpp"

#include <algorithm>
#include <cstdlib>

namespace warpgraph {

vertex_t max_degree_vertex(const CsrPattern& graph) {
  return parallel_reduce(
      graph.n_vertices, vertex_t{0}, [](std::int64_t v) { return static_cast<vertex_t>(v); },
      [&](vertex_t a, vertex_t b) {
        const edge_t of_a = graph.degree(a);
        const edge_t of_b = graph.degree(b);
        return of_a > of_b || (of_a == of_b && a < b) ? a : b;
      },
      light_grain);
}

bool is_hub(const CsrPattern& graph, vertex_t v) {
  constexpr edge_t hub_factor = 32;
  return graph.degree(v) > hub_factor * (graph.n_arcs / graph.n_vertices + 1);
}

vertex_t find_hub(const CsrPattern& graph) {
  if (graph.n_vertices == 0) return no_vertex;
  const vertex_t v = max_degree_vertex(graph);
  return is_hub(graph, v) ? v : no_vertex;
}

Locality locality_of(const CsrPattern& graph) {
  constexpr vertex_t max_vertices = 1 << 16;
  constexpr edge_t max_arcs_of_a_vertex = 16;
  constexpr edge_t hub_factor = 4;
  constexpr vertex_t near = 4096;
  if (graph.n_arcs == 0) return {};
  const vertex_t n_sampled = std::min(graph.n_vertices, max_vertices);
  const edge_t degree_of_hubs = hub_factor * (graph.n_arcs / graph.n_vertices + 1);
  edge_t n_arcs = 0;
  edge_t n_at_hubs = 0;
  edge_t n_seen = 0;
  edge_t n_near = 0;
  for (vertex_t i = 0; i < n_sampled; ++i) {
    const vertex_t v = i * (graph.n_vertices / n_sampled);
    const edge_t degree = graph.degree(v);
    n_arcs += degree;
    if (degree >= degree_of_hubs) n_at_hubs += degree;
    const edge_t first = graph.offsets[v];
    const edge_t last = first + std::min(degree, max_arcs_of_a_vertex);
    for (edge_t e = first; e < last; ++e) n_near += std::abs(graph.heads[e] - v) < near ? 1 : 0;
    n_seen += last - first;
  }
  const auto share = [](edge_t part, edge_t all) {
    return static_cast<double>(part) / static_cast<double>(std::max<edge_t>(all, 1));
  };
  return {share(n_at_hubs, n_arcs), share(n_near, n_seen)};
}

}  // namespace warpgraph
