#include "primitives/relaxation/overflow.hpp"

#include "core/threads/parallel.hpp"
#include "graph/checks/entry_errors.hpp"
#include "primitives/relaxation/relax.hpp"

namespace warpgraph::shortest_paths {
namespace {

constexpr std::int64_t vertices_per_check = 256;

}  // namespace

template <class W>
void check_overflow(const CsrView<W>& graph, std::span<const W> distances) {
  const auto first_bad_arc = [&](vertex_t u) {
    const W from = distances[static_cast<std::size_t>(u)];
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
      const W to = distances[static_cast<std::size_t>(graph.heads[e])];
      if (!fits(from, weight_of(graph, e), to)) return e;
    }
    return edge_t{-1};
  };
  const vertex_t tail = parallel_reduce(
      graph.n_vertices, graph.n_vertices,
      [&](std::int64_t u) {
        const auto vertex = static_cast<vertex_t>(u);
        return first_bad_arc(vertex) < 0 ? graph.n_vertices : vertex;
      },
      [](vertex_t a, vertex_t b) { return std::min(a, b); }, vertices_per_check);
  if (tail == graph.n_vertices) return;
  const edge_t arc = first_bad_arc(tail);
  // Along a negative cycle, integers decrease until they saturate; then the search ends.
  if (weight_of(graph, arc) < W{0}) check_negative_cycle(graph, distances, false);
  throw SumOverflow(distances[static_cast<std::size_t>(tail)], weight_of(graph, arc), arc,
                    {tail, graph.heads[arc]},
                    "make the weights float64, or ask for a wider dtype where there is dtype=");
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(check_overflow)

}  // namespace warpgraph::shortest_paths
