#include "algorithms/connected_components/connected_components.hpp"
#include "core/containers/bitmap.hpp"
#include "core/containers/union_find.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/boruvka/canonical_labels.hpp"

#include <vector>

namespace warpgraph {
namespace {

/// Arcs of each vertex that the first pass unites along [1, section 4]: further arcs connect few
/// more vertices.
constexpr edge_t sampled_arcs = 2;
constexpr std::int64_t vertices_per_block = 1024;

/// Prefetches what later vertices need: first the start of a row, and once that has arrived, the
/// parent of its first head.
void prefetch_ahead(const CsrPattern& graph, UnionFind sets, vertex_t u) {
  constexpr vertex_t row_distance = 24;
  constexpr vertex_t parent_distance = 12;
  const auto row = [&](vertex_t ahead) {
    return graph.begin(u < graph.n_vertices - ahead ? u + ahead : u);
  };
  __builtin_prefetch(&graph.heads[row(row_distance)]);
  if (const edge_t e = row(parent_distance); e < graph.n_arcs) {
    __builtin_prefetch(&sets.parent[graph.heads[e]]);
  }
}

void unite_sampled_arcs(const CsrPattern& graph, UnionFind sets) {
  parallel_for(
      graph.n_vertices,
      [&](std::int64_t row) {
        const auto u = static_cast<vertex_t>(row);
        prefetch_ahead(graph, sets, u);
        const edge_t end = std::min(graph.end(u), graph.begin(u) + sampled_arcs);
        for (edge_t e = graph.begin(u); e < end; ++e) sets.unite(u, graph.heads[e]);
      },
      vertices_per_block);
}

/// Attaches every vertex to its root.
void flatten(vertex_t n_vertices, UnionFind sets) {
  parallel_for(
      n_vertices, [&](std::int64_t v) { sets.point_to_root(static_cast<vertex_t>(v)); },
      light_grain);
}

/// Returns the root of a giant component, if there is one: the most frequent root among evenly
/// spaced samples.
vertex_t frequent_root(vertex_t n_vertices, UnionFind sets) {
  constexpr vertex_t n_samples = 1024;
  const vertex_t stride = std::max(1, n_vertices / n_samples);
  std::vector<vertex_t> roots;
  for (std::int64_t v = 0; v < n_vertices; v += stride) roots.push_back(sets.parent[v]);
  std::sort(roots.begin(), roots.end());
  vertex_t best = 0;
  std::ptrdiff_t max_count = 0;
  for (auto first = roots.begin(); first != roots.end();) {
    const auto last = std::upper_bound(first, roots.end(), *first);
    if (last - first > max_count) {
      max_count = last - first;
      best = *first;
    }
    first = last;
  }
  return best;
}

/// The vertices of one set, as a bitmap, so that lookups of random vertices hit the cache.
Bitmap members(vertex_t n_vertices, UnionFind sets, vertex_t root) {
  Bitmap bits(n_vertices);
  bits.fill(n_vertices, [&](std::int64_t v) { return sets.parent[v] == root; });
  return bits;
}

/// Calls outside(v) for the heads of a row that are not in `set`. Nearly all heads are in it, so
/// heads are tested in batches without a branch for each.
template <class Outside>
void for_each_outside(const CsrPattern& graph, vertex_t u, BitmapView set, Outside&& outside) {
  constexpr edge_t heads_per_batch = 16;
  const edge_t end = graph.end(u);
  for (edge_t first = graph.begin(u), last = first; first < end; first = last) {
    last = std::min(first + heads_per_batch, end);
    bool all = true;
    for (edge_t e = first; e < last; ++e) all &= set.test(graph.heads[e]);
    for (edge_t e = first; !all && e < last; ++e) {
      if (!set.test(graph.heads[e])) outside(graph.heads[e]);
    }
  }
}

void unite_remaining_arcs(const CsrPattern& graph, bool symmetric, UnionFind sets) {
  Bitmap bits = members(graph.n_vertices, sets, frequent_root(graph.n_vertices, sets));
  const BitmapView giant = bits.view();
  parallel_for(
      graph.n_vertices,
      [&](std::int64_t row) {
        const auto u = static_cast<vertex_t>(row);
        if (giant.test(row)) {
          // In a symmetric graph, an arc that leaves the giant component is found from its other
          // end.
          if (!symmetric) for_each_outside(graph, u, giant, [&](vertex_t v) { sets.unite(u, v); });
          return;
        }
        for (edge_t e = graph.begin(u) + sampled_arcs; e < graph.end(u); ++e) {
          sets.unite(u, graph.heads[e]);
        }
      },
      vertices_per_block);
}

}  // namespace

vertex_t connected_components_cpu(const CsrPattern& graph, bool symmetric,
                                  std::span<vertex_t> labels, std::size_t memory_limit) {
  MemoryBudget(Device{}, memory_limit)
      .require("labelling components", numbering_bytes(graph.n_vertices), "free some memory");
  const UnionFind sets{labels.data()};
  parallel_for(
      graph.n_vertices, [&](std::int64_t v) { sets.make_singleton(static_cast<vertex_t>(v)); },
      light_grain);
  unite_sampled_arcs(graph, sets);
  flatten(graph.n_vertices, sets);
  unite_remaining_arcs(graph, symmetric, sets);
  flatten(graph.n_vertices, sets);
  return number_components(labels);
}

vertex_t connected_components_reference(const CsrPattern& graph, std::span<vertex_t> labels) {
  // A search in both directions would need the reversed arcs; uniting sets does not.
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
