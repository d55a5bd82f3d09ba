// Minimum spanning forest: the edges of the lightest tree of every component.
//
// Many trees may be equally light; the one returned is Kruskal's with edges in a total order, so
// that it is the same for every method, device and thread count. The edges are the entries above
// the diagonal, ordered by (weight, position), row by row; entries on and below it are passed by.
// graph/upper_triangle.hpp brings any matrix into that form. With `maximum`, heavy
// edges come first and ties stay in the order of their positions.
//
// mst_reference sorts all edges and joins sets one by one.
#pragma once

#include "graph/csr.hpp"

#include <span>
#include <vector>

namespace warpgraph {

struct MstOptions {
  bool maximum = false;
  bool mirrored = false;         // the entries below the diagonal mirror those above it
  std::size_t memory_limit = 0;  // bytes; 0: whatever is free
};

/// Edges in Kruskal's order.
template <class W>
struct SpanningForest {
  std::vector<vertex_t> ends;  // tail and head of each edge, tail < head
  std::vector<W> weights;
  std::vector<edge_t> positions;  // in the arrays of the graph
};

template <class W>
SpanningForest<W> mst_reference(const CsrView<W>& graph, const MstOptions& options);

template <class W>
SpanningForest<W> mst_cpu(const CsrView<W>& graph, const MstOptions& options);

/// labels[v] becomes the number of v's tree, trees numbered from 0 in the order of their smallest
/// vertices. Throws std::invalid_argument naming the first edge that closes a cycle.
void forest_labels(std::span<const vertex_t> ends, std::span<vertex_t> labels);

}  // namespace warpgraph
