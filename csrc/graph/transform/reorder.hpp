// New numbers for the vertices, so that what is used together lies together.
//
// A vertex that is near another in the graph should be near it in memory: then what is read about a
// vertex' neighbours is in the cache already, and neighbours fit few bits (compress.hpp).
//
// degree: hubs first, for graphs in which few vertices have an end of most arcs.
// reverse_cuthill_mckee: level by level from the rim of each component [1], for meshes and roads;
//   the matrix becomes a narrow band.
// communities: vertices that share most of their neighbours get adjacent numbers, and so do, level
//   by level, communities that are joined by most arcs for their size, as in [2]. For everything
//   that has clusters, and the default.
//
// Each is a function of the graph alone, whatever the number of threads. Neighbours are the arcs as
// stored: for an undirected graph, store it both ways first.
//
// [1] George, Liu: Computer solution of large sparse positive definite systems. Prentice-Hall 1981.
// [2] Arai, Shiokawa, Yamamuro, Onizuka, Iwamura: Rabbit order: just-in-time parallel reordering
//     for fast graph analysis. IPDPS 2016.
#pragma once

#include "graph/csr.hpp"

namespace warpgraph {

/// The vertices in their new order: item i is the vertex that becomes number i.
HostVector<vertex_t> order_by_degree(const CsrPattern& graph);
HostVector<vertex_t> order_by_reverse_cuthill_mckee(const CsrPattern& graph);
HostVector<vertex_t> order_by_communities(const CsrPattern& graph);

/// inverse[order[i]] = i. Throws std::invalid_argument if `order` is no permutation.
HostVector<vertex_t> inverse_order(std::span<const vertex_t> order);

template <class W>
struct PermutedGraph {
  Csr<W> graph;
  HostVector<edge_t> positions;  // of each arc in the graph it was made of
};

/// The graph with the vertices renumbered; the arcs of a row keep their order.
template <class W>
PermutedGraph<W> permute(const CsrView<W>& graph, std::span<const vertex_t> order);

/// The mean over the arcs of the number of bits that the difference of an arc's ends takes: what
/// renumbering is to make small.
double mean_gap_bits(const CsrPattern& graph);

}  // namespace warpgraph
