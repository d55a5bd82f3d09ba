#include <vector>

#include "algorithms/connected_components/connected_components.hpp"
#include "core/parallel.hpp"
#include "core/union_find.hpp"

namespace warpgraph {
namespace {

/// Arcs of each vertex that the first pass joins along [1, section 4]: more find little more.
constexpr edge_t sampled_arcs = 2;
constexpr std::int64_t vertices_per_block = 1024;

void join_along_sampled_arcs(const CsrPattern& graph, UnionFind sets) {
  parallel_for(
      graph.n_vertices,
      [&](std::int64_t row) {
        const auto u = static_cast<vertex_t>(row);
        const edge_t end = std::min(graph.end(u), graph.begin(u) + sampled_arcs);
        for (edge_t e = graph.begin(u); e < end; ++e) sets.unite(u, graph.heads[e]);
      },
      vertices_per_block);
}

/// Hangs every vertex directly below its root.
void flatten(vertex_t n_vertices, UnionFind sets) {
  parallel_for(n_vertices, [&](std::int64_t v) {
    const auto vertex = static_cast<vertex_t>(v);
    relaxed_store(sets.parent[v], sets.root(vertex));
  });
}

void join_along_remaining_arcs(const CsrPattern& graph, UnionFind sets) {
  parallel_for(
      graph.n_vertices,
      [&](std::int64_t row) {
        const auto u = static_cast<vertex_t>(row);
        vertex_t root = sets.find(u);
        for (edge_t e = graph.begin(u) + sampled_arcs; e < graph.end(u); ++e) {
          if (relaxed_load(sets.parent[graph.heads[e]]) == root) continue;
          sets.unite(u, graph.heads[e]);
          root = sets.find(u);
        }
      },
      vertices_per_block);
}

/// labels hold flat parents; afterwards numbers in the order of the roots.
vertex_t number_roots(std::span<vertex_t> labels) {
  const auto n = static_cast<std::int64_t>(labels.size());
  std::vector<vertex_t> number(labels.size());
  parallel_for(n, [&](std::int64_t v) {
    number[static_cast<std::size_t>(v)] = labels[static_cast<std::size_t>(v)] == v ? 1 : 0;
  });
  const vertex_t n_components = exclusive_scan_in_place(number.data(), n);
  parallel_for(n, [&](std::int64_t v) {
    vertex_t& label = labels[static_cast<std::size_t>(v)];
    label = number[static_cast<std::size_t>(label)];
  });
  return n_components;
}

}  // namespace

vertex_t connected_components_cpu(const CsrPattern& graph, std::span<vertex_t> labels) {
  const UnionFind sets{labels.data()};
  parallel_for(graph.n_vertices,
               [&](std::int64_t v) { sets.make_singleton(static_cast<vertex_t>(v)); });
  join_along_sampled_arcs(graph, sets);
  flatten(graph.n_vertices, sets);
  join_along_remaining_arcs(graph, sets);
  flatten(graph.n_vertices, sets);
  return number_roots(labels);
}

vertex_t connected_components_reference(const CsrPattern& graph, std::span<vertex_t> labels) {
  // Searching along arcs both ways needs the reversed arcs; joining sets one by one does not.
  std::vector<vertex_t> set(labels.size());
  for (std::size_t v = 0; v < set.size(); ++v) set[v] = static_cast<vertex_t>(v);
  const auto root = [&](vertex_t v) {
    while (set[static_cast<std::size_t>(v)] != v) v = set[static_cast<std::size_t>(v)];
    return v;
  };
  for (vertex_t u = 0; u < graph.n_vertices; ++u) {
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
      const vertex_t a = root(u);
      const vertex_t b = root(graph.heads[e]);
      set[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  }
  vertex_t n_components = 0;
  for (vertex_t v = 0; v < graph.n_vertices; ++v) {
    const vertex_t smallest = root(v);
    labels[static_cast<std::size_t>(v)] =
        smallest == v ? n_components++ : labels[static_cast<std::size_t>(smallest)];
  }
  return n_components;
}

}  // namespace warpgraph
