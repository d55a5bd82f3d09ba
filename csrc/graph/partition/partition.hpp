// Partition of a graph: which device owns a vertex, and which rows it has.
//
// Parts are ranges of consecutive vertices with about as many arcs each, so an owner is found by a
// few comparisons, and the order of the vertices decides how many arcs join different parts:
// reorder.hpp has orders with locality. A device has the rows of its vertices; their heads keep
// their numbers in the whole graph.
#pragma once

#include "graph/csr.hpp"

#include <span>
#include <vector>

namespace warpgraph {

/// Upper bound on the number of parts: more workers than a runtime has on one host.
inline constexpr int max_parts = 64;

/// View of a partition. It is trivially copyable: kernels take it by value.
struct PartitionView {
  int n_parts = 0;
  /// Bounds of the parts: part p has the vertices begins[p] .. begins[p + 1] - 1.
  vertex_t begins[max_parts + 1] = {};

  [[nodiscard]] WARPGRAPH_HOST_DEVICE vertex_t begin(int part) const noexcept {
    return begins[part];
  }
  [[nodiscard]] WARPGRAPH_HOST_DEVICE vertex_t end(int part) const noexcept {
    return begins[part + 1];
  }
  [[nodiscard]] WARPGRAPH_HOST_DEVICE vertex_t size(int part) const noexcept {
    return end(part) - begin(part);
  }
  /// Returns the part that has a vertex, in O(log n_parts).
  [[nodiscard]] WARPGRAPH_HOST_DEVICE int owner(vertex_t v) const noexcept {
    int first = 0;
    for (int left = n_parts; left > 1;) {
      const int half = left / 2;
      if (begin(first + half) <= v) first += half;
      left -= half;
    }
    return first;
  }
};

/// Divides the vertices into n_parts ranges whose rows have about as many arcs each; a vertex
/// counts as one arc. Parts of small graphs may be empty. 1 <= n_parts <= max_parts.
[[nodiscard]] PartitionView equal_arcs(const CsrPattern& graph, int n_parts);

/// Divides the vertices likewise where only entries above the diagonal count as edges: if every
/// edge is stored both ways, the first rows have most of these.
[[nodiscard]] PartitionView equal_edges(const CsrPattern& graph, int n_parts);

/// A part of a graph in host memory: the rows of its vertices, numbered from 0, with heads that are
/// numbered as in the whole graph.
struct GraphPart {
  HostVector<edge_t> offsets;
  CsrPattern rows;  // refers to the heads of the whole graph, and to `offsets`
  edge_t first_arc = 0;

  GraphPart(const CsrPattern& graph, const PartitionView& partition, int part);
  GraphPart(const GraphPart&) = delete;
  GraphPart& operator=(const GraphPart&) = delete;
};

/// Returns the part's rows with the weights of the whole graph.
template <class W>
[[nodiscard]] CsrView<W> with_weights_of(const GraphPart& part, const CsrView<W>& graph) {
  CsrView<W> view;
  static_cast<CsrPattern&>(view) = part.rows;
  view.weights = graph.weights == nullptr ? nullptr : graph.weights + part.first_arc;
  return view;
}

}  // namespace warpgraph
