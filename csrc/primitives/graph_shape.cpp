#include "primitives/graph_shape.hpp"

#include "core/threads/parallel.hpp"

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
  const vertex_t v = max_degree_vertex(graph);
  return is_hub(graph, v) ? v : no_vertex;
}

}  // namespace warpgraph
