#include "algorithms/traversal/search_along.hpp"
#include "algorithms/traversal/traversal.hpp"
#include "core/memory/host_vector.hpp"

#include <algorithm>

namespace warpgraph {
namespace {

using traversal_detail::Visits;

class DepthFirstSearch {
 public:
  DepthFirstSearch(const CsrPattern& graph, Visits& visits)
      : graph_(graph), visits_(visits), path_(graph.n_vertices) {}

  static constexpr std::size_t bytes(vertex_t n_vertices) {
    return static_cast<std::size_t>(n_vertices) * sizeof(Row) + Visits::bytes(n_vertices);
  }

  void run(vertex_t source) {
    std::int64_t depth = 0;  // vertices on the path before the last one
    Row last = enter(source, no_vertex);
    while (!visits_.is_full()) {
      const vertex_t child = next_unvisited(last);
      if (child != no_vertex) {
        path_[depth++] = last;
        last = enter(child, last.vertex);
      } else if (depth == 0) {
        return;
      } else {
        last = path_[--depth];
      }
    }
  }

 private:
  /// Of a vertex of the current path: the arcs that were not followed yet.
  struct Row {
    edge_t next;
    edge_t end;
    vertex_t vertex;
  };

  Row enter(vertex_t v, vertex_t predecessor) {
    visits_.add(v, predecessor);
    const edge_t begin = graph_.begin(v);
    const edge_t end = graph_.end(v);
    visits_.count(end - begin);
    prefetch(begin, end);
    return {begin, end, v};
  }

  /// The rows of the first heads: the search waits for memory most of its time.
  void prefetch(edge_t begin, edge_t end) const {
    constexpr edge_t prefetched_arcs = 4;
    for (edge_t e = begin, last = std::min(end, begin + prefetched_arcs); e < last; ++e) {
      graph_.offsets.prefetch(graph_.heads[e]);
    }
  }

  /// Follows arcs to a head that was not visited yet; no_vertex: there is none left.
  vertex_t next_unvisited(Row& row) {
    while (row.next < row.end) {
      const vertex_t v = graph_.heads[row.next++];
      if (!visits_.has(v)) return v;
    }
    return no_vertex;
  }

  const CsrPattern& graph_;
  Visits& visits_;
  HostArray<Row> path_;
};

}  // namespace

vertex_t depth_first_order(const CsrPattern& graph, const TraversalOptions& options,
                           std::span<vertex_t> order, std::span<vertex_t> predecessors) {
  return traversal_detail::search_along(
      graph, options, [&](const CsrPattern& arcs, std::size_t limit) {
        MemoryBudget(Device{}, limit)
            .require("depth-first order", DepthFirstSearch::bytes(arcs.n_vertices),
                     "free some memory");
        Visits visits(arcs.n_vertices, order, predecessors);
        DepthFirstSearch(arcs, visits).run(options.source);
        return visits.size();
      });
}

}  // namespace warpgraph
