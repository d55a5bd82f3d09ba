// Vertex orders with memory locality.
//
// Vertices that are near each other in the graph should be near each other in memory: then the data
// of a vertex' neighbours is likely cached, and the neighbours' numbers differ in few bits
// (compress.hpp).
//
// degree: hubs first, for graphs in which a few vertices have most of the arcs.
// reverse_cuthill_mckee: breadth-first levels from a pseudo-peripheral vertex of each component
// [1],
//   for meshes and roads; the matrix becomes a narrow band.
// communities: vertices that share most of their neighbours get adjacent numbers. So do, level by
//   level, communities with the most arcs between them relative to their size, as in [2]. For every
//   graph that has clusters, and the default.
//
// Each order depends on the graph alone, not on the number of threads. Neighbours are the heads of
// the stored arcs: store an undirected graph in both directions first.
//
// [1] George, Liu: Computer solution of large sparse positive definite systems. Prentice-Hall 1981.
// [2] Arai, Shiokawa, Yamamuro, Onizuka, Iwamura: Rabbit order: just-in-time parallel reordering
//     for fast graph analysis. IPDPS 2016.
#pragma once

#include "graph/csr.hpp"

namespace warpgraph {

/// Functions that return the vertices in their new order: item i is the vertex that becomes number
/// i.
HostVector<vertex_t> order_by_degree(const CsrPattern& graph);
HostVector<vertex_t> order_by_reverse_cuthill_mckee(const CsrPattern& graph);
HostVector<vertex_t> order_by_communities(const CsrPattern& graph);

enum class OrderStrategy { degree, reverse_cuthill_mckee, communities };

HostVector<vertex_t> vertex_order(const CsrPattern& graph, OrderStrategy strategy);

/// Returns the inverse permutation: inverse[order[i]] = i. Throws std::invalid_argument if `order`
/// is no permutation.
HostVector<vertex_t> inverse_order(std::span<const vertex_t> order);

template <class W>
struct PermutedGraph {
  Csr<W> graph;
  HostVector<edge_t> positions;  // of each arc in the original graph, if they are wanted
};

/// Renumbers the vertices; the arcs of a row keep their order.
template <class W>
PermutedGraph<W> permute(const CsrView<W>& graph, std::span<const vertex_t> order,
                         bool wants_positions = true);

/// Returns the mean over the arcs of the bit width of |tail - head|: the measure that reordering
/// minimizes.
double mean_gap_bits(const CsrPattern& graph);

}  // namespace warpgraph
