#include "algorithms/traversal/search_along.hpp"
#include "algorithms/traversal/traversal.hpp"

namespace warpgraph {
namespace {

using traversal_detail::Visits;

/// Places ahead in the queue whose offsets and whose heads are prefetched: the first far enough for
/// an access to memory, the second when the first has come.
constexpr vertex_t offsets_ahead = 16;
constexpr vertex_t heads_ahead = 8;

void prefetch(const CsrPattern& graph, const Visits& queue, vertex_t place) {
  if (place + offsets_ahead >= queue.size()) return;
  graph.offsets.prefetch(queue[place + offsets_ahead]);
  __builtin_prefetch(graph.heads + graph.begin(queue[place + heads_ahead]));
}

void search(const CsrPattern& graph, vertex_t source, Visits& queue) {
  queue.add(source, no_vertex);
  for (vertex_t place = 0; place < queue.size() && !queue.is_full(); ++place) {
    const vertex_t u = queue[place];
    const edge_t end = graph.end(u);
    prefetch(graph, queue, place);
    queue.count(graph.degree(u));
    for (edge_t e = graph.begin(u); e < end; ++e) {
      const vertex_t v = graph.heads[e];
      if (!queue.has(v)) queue.add(v, u);
    }
  }
}

}  // namespace

vertex_t breadth_first_order(const CsrPattern& graph, const TraversalOptions& options,
                             std::span<vertex_t> order, std::span<vertex_t> predecessors) {
  return traversal_detail::search_along(
      graph, options, [&](const CsrPattern& arcs, std::size_t limit) {
        MemoryBudget(Device{}, limit)
            .require("breadth-first order", Visits::bytes(arcs.n_vertices), "free some memory");
        Visits visits(arcs.n_vertices, order, predecessors);
        search(arcs, options.source, visits);
        return visits.size();
      });
}

}  // namespace warpgraph
