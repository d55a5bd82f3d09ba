#include "algorithms/traversal/search_along.hpp"
#include "algorithms/traversal/traversal.hpp"
#include "core/memory/host_vector.hpp"

#include <algorithm>

namespace warpgraph {
namespace {

using traversal_detail::FollowedArcs;
using traversal_detail::Visits;

class DepthFirstSearch {
 public:
  DepthFirstSearch(const FollowedArcs& arcs, Visits& visits)
      : arcs_(arcs), visits_(visits), path_(arcs.leaving.n_vertices) {}

  static constexpr std::size_t bytes(vertex_t n_vertices) {
    return static_cast<std::size_t>(n_vertices) * sizeof(Row) + Visits::bytes(n_vertices);
  }

  void run(vertex_t source) {
    std::int64_t depth = 0;  // vertices on the path before the last one
    visits_.add_source(source);
    Row last = row_of(arcs_.leaving, source);
    while (!visits_.is_full()) {
      const vertex_t child = next_unvisited(last);
      if (child != no_vertex) {
        path_[depth++] = last;
        visits_.add(child, last.vertex);
        last = row_of(arcs_.leaving, child);
      } else if (depth == 0) {
        return;
      } else {
        last = path_[--depth];
      }
    }
  }

 private:
  /// The arcs of a vertex of the current path that were not followed yet.
  struct Row {
    edge_t next;
    edge_t end;
    vertex_t vertex;
    bool is_entering;  // these arcs enter the vertex
  };

  Row row_of(const CsrPattern& graph, vertex_t v) {
    const edge_t begin = graph.begin(v);
    const edge_t end = graph.end(v);
    visits_.count(end - begin);
    prefetch(graph.heads, begin, end);
    return {begin, end, v, &graph == &arcs_.entering};
  }

  /// Prefetches the offsets of the first heads: the search waits for memory most of its time.
  [[gnu::always_inline]] void prefetch(const vertex_t* heads, edge_t begin, edge_t end) const {
    constexpr vertex_t fewest_vertices = 1 << 15;  // those of fewer fit the second-level cache
    constexpr edge_t prefetched_arcs = 4;
    if (arcs_.leaving.n_vertices < fewest_vertices) return;
    for (edge_t e = begin, last = std::min(end, begin + prefetched_arcs); e < last; ++e) {
      arcs_.leaving.offsets.prefetch(heads[e]);
    }
  }

  /// Follows arcs to a head that was not visited yet. Returns no_vertex if there is none left.
  vertex_t next_unvisited(Row& row) {
    const vertex_t v = next_unvisited(row, row.is_entering ? arcs_.entering : arcs_.leaving);
    if (v != no_vertex || row.is_entering || !arcs_.both_ways()) return v;
    row = row_of(arcs_.entering, row.vertex);
    return next_unvisited(row, arcs_.entering);
  }
  vertex_t next_unvisited(Row& row, const CsrPattern& graph) const {
    while (row.next < row.end) {
      const vertex_t v = graph.heads[row.next++];
      if (!visits_.has(v)) return v;
    }
    return no_vertex;
  }

  const FollowedArcs& arcs_;
  Visits& visits_;
  HostArray<Row> path_;
};

}  // namespace

vertex_t depth_first_order(const CsrPattern& graph, const TraversalOptions& options,
                           std::span<vertex_t> order, std::span<vertex_t> predecessors) {
  return traversal_detail::search_along(
      graph, options, [&](const FollowedArcs& arcs, MemoryBudget left) {
        left.require("depth-first order", DepthFirstSearch::bytes(graph.n_vertices),
                     "use a smaller graph");
        Visits visits(graph.n_vertices, options.missing, order, predecessors);
        DepthFirstSearch(arcs, visits).run(options.source);
        return visits.size();
      });
}

}  // namespace warpgraph
