#include "primitives/path_trees/tight_arcs.hpp"

#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"

#include <algorithm>
#include <utility>

namespace warpgraph {
namespace {

template <class W>
bool is_sum(W distance, W weight, W expected) {
  if constexpr (std::is_integral_v<W>) {
    W sum = 0;
    return !__builtin_add_overflow(distance, weight, &sum) && sum == expected;
  } else {
    return distance + weight == expected;
  }
}

/// Calls visit(u, rank of v) for the tight arcs u -> v, u ascending: in the order of `order`, each
/// row would be a miss of the caches.
template <class W, class Visit>
void for_each_tight_arc(const CsrView<W>& graph, std::span<const W> distances,
                        const HostVector<vertex_t>& rank, Visit&& visit) {
  for (vertex_t u = 0; u < graph.n_vertices; ++u) {
    if (rank[static_cast<std::size_t>(u)] < 0) continue;
    poll();
    const W distance = distances[static_cast<std::size_t>(u)];
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
      const auto v = static_cast<std::size_t>(graph.heads[e]);
      const W weight = graph.weights == nullptr ? W{1} : graph.weights[e];
      if (!is_sum(distance, weight, distances[v]) || rank[v] < 0) continue;
      visit(u, static_cast<std::size_t>(rank[v]));
    }
  }
}

}  // namespace

template <class W>
TightArcs tight_arcs(const CsrView<W>& graph, std::span<const vertex_t> order,
                     std::span<const W> distances) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  MemoryBudget().require(
      "listing the predecessors of all shortest paths",
      n * (3 * sizeof(vertex_t) + sizeof(edge_t)) + graph.n_arcs * sizeof(vertex_t),
      "use a smaller graph");
  HostVector<vertex_t> rank(n, no_vertex);
  for (std::size_t i = 0; i < order.size(); ++i) {
    rank[static_cast<std::size_t>(order[i])] = static_cast<vertex_t>(i);
  }
  // Parallel arcs but the first find their tail here.
  HostVector<vertex_t> last(order.size(), no_vertex);
  TightArcs arcs;
  arcs.offsets.assign(order.size() + 1, 0);
  for_each_tight_arc(graph, distances, rank, [&](vertex_t u, std::size_t head) {
    arcs.offsets[head + 1] += std::exchange(last[head], u) != u;
  });
  for (std::size_t i = 0; i < order.size(); ++i) arcs.offsets[i + 1] += arcs.offsets[i];
  arcs.tails.resize(static_cast<std::size_t>(arcs.offsets.back()));
  HostVector<edge_t> next(arcs.offsets.begin(), arcs.offsets.end());
  std::fill(last.begin(), last.end(), no_vertex);
  for_each_tight_arc(graph, distances, rank, [&](vertex_t u, std::size_t head) {
    if (std::exchange(last[head], u) == u) return;
    arcs.tails[static_cast<std::size_t>(next[head]++)] = u;
  });
  const auto by_rank = [&](vertex_t u, vertex_t v) {
    return rank[static_cast<std::size_t>(u)] < rank[static_cast<std::size_t>(v)];
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    poll();
    std::sort(arcs.tails.begin() + arcs.offsets[i], arcs.tails.begin() + arcs.offsets[i + 1],
              by_rank);
  }
  return arcs;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(tight_arcs)

}  // namespace warpgraph
