// The edges that enter each vertex, in the binary heaps of minimum_arborescence.hpp. Private to
// this folder.
#pragma once

#include "core/containers/at.hpp"
#include "core/interrupt.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"
#include "graph/csr.hpp"

#include <algorithm>
#include <limits>

namespace warpgraph::arborescence {

/// Vertices between two polls for Ctrl-C.
constexpr vertex_t vertices_per_poll = 1 << 10;

template <class W>
struct EnteringEdge {
  W weight;
  vertex_t tail;
  edge_t position;
  /// Orders a heap whose top is the lightest edge, the first by position of several.
  static bool comes_later(const EnteringEdge& a, const EnteringEdge& b) {
    return b.weight < a.weight || (a.weight == b.weight && b.position < a.position);
  }
};

/// A binary heap for each vertex. Loops and edges into the root are in no arborescence, and edges
/// of weight inf count as absent: all these are left out.
template <class W>
class EnteringEdges {
 public:
  EnteringEdges(const CsrView<W>& graph, vertex_t root)
      : starts_(at(graph.n_vertices) + 1, edge_t{0}) {
    for_each_edge(graph, root, [&](vertex_t, vertex_t head, edge_t) { ++starts_[at(head) + 1]; });
    for (std::size_t v = 1; v < starts_.size(); ++v) starts_[v] += starts_[v - 1];
    edges_.resize(at(starts_.back()));
    ends_.assign(starts_.begin(), starts_.end() - 1);
    for_each_edge(graph, root, [&](vertex_t tail, vertex_t head, edge_t e) {
      edges_[at(ends_[at(head)]++)] = {graph.weights[e], tail, e};
    });
    parallel_for(graph.n_vertices, [&](std::int64_t v) {
      const auto [first, last] = heap(static_cast<vertex_t>(v));
      std::make_heap(first, last, EnteringEdge<W>::comes_later);
    });
  }

  static std::size_t bytes_needed(const CsrPattern& graph) {
    return at(graph.n_arcs) * sizeof(EnteringEdge<W>) +
           (2 * at(graph.n_vertices) + 1) * sizeof(edge_t);
  }

  [[nodiscard]] bool empty(vertex_t v) const { return starts_[at(v)] == ends_[at(v)]; }
  [[nodiscard]] const EnteringEdge<W>& lightest(vertex_t v) const {
    return edges_[at(starts_[at(v)])];
  }
  void drop_lightest(vertex_t v) {
    const auto [first, last] = heap(v);
    std::pop_heap(first, last, EnteringEdge<W>::comes_later);
    --ends_[at(v)];
  }

 private:
  /// Returns the begin and the end of a vertex's heap in edges_.
  auto heap(vertex_t v) {
    EnteringEdge<W>* const edges = edges_.data();
    return std::pair{edges + starts_[at(v)], edges + ends_[at(v)]};
  }

  /// Calls visit(tail, head, position) for the edges that are not left out, in the order of
  /// positions.
  template <class Visit>
  static void for_each_edge(const CsrView<W>& graph, vertex_t root, Visit&& visit) {
    for (vertex_t u = 0; u < graph.n_vertices; ++u) {
      if (u % vertices_per_poll == 0) poll();
      for (edge_t e = graph.begin(u), end = graph.end(u); e < end; ++e) {
        const vertex_t v = graph.heads[e];
        if (v == u || v == root || is_never_used(graph.weights[e])) continue;
        visit(u, v, e);
      }
    }
  }

  static bool is_never_used(W weight) {
    if constexpr (std::numeric_limits<W>::has_infinity) {
      return weight == std::numeric_limits<W>::infinity();
    }
    return false;
  }

  HostVector<edge_t> starts_;  // of the heaps in edges_
  HostVector<edge_t> ends_;    // of the heaps, which move towards their starts as edges are dropped
  HostVector<EnteringEdge<W>> edges_;
};

}  // namespace warpgraph::arborescence
