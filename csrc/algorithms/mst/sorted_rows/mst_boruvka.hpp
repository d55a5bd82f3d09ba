// Boruvka's algorithm over sorted rows, by the four procedures of Kolganov for large graphs [1].
//
// A round (1) finds the lightest edge that leaves each tree: every row is scanned from where its
// last scan stopped to its first arc that leaves the row's tree, and the minimum over a tree's rows
// is its choice; (2) removes the cycles of two trees that have chosen each other; (3) merges trees
// by following chosen trees to the ends of the paths; (4) renumbers the trees from 0. Trees are
// arrays of numbers, without lists of members.
//
// Rows must be sorted beforehand, which takes longer than all rounds together. So this is for
// graphs that are prepared once and solved repeatedly, as in [1], whose times do not
// include it, and for those that do not fit on a device (see hybrid.hpp). To solve a plain matrix
// once, mst_cuda is faster. On an H200, 16.8 M vertices in cliques with 538 M arcs take 103 ms to
// prepare and then 8.7 ms per forest.
//
// Different from [1]: each arc is read at most once in all rounds together; the giant
// component does not choose, so most rows of a graph with one are never read to their ends; and
// ranks are unique, so the result is Kruskal's forest even with ties.
//
// [1] Kolganov: Parallel implementation of the minimum spanning tree algorithm on hybrid systems.
//     Vestnik YuUrGU, Computational mathematics and software engineering 5(3), 2016.
#pragma once

#include "algorithms/mst/mst.hpp"

namespace warpgraph {

/// Solves a graph on the stream's device. `positions` is there, too, with capacity for one item
/// less than there are vertices: it receives the positions of the forest's edges in ascending
/// order. Returns their number; does not wait for the last of the work. mst_boruvka_cuda_to_host
/// does.
template <class W>
std::int64_t mst_boruvka_cuda(const CsrView<W>& graph, const MstOptions& options, edge_t* positions,
                              const cuda::Stream& stream);
template <class W>
SpanningForest<W> mst_boruvka_cuda_to_host(const CsrView<W>& graph, const MstOptions& options,
                                           const cuda::Stream& stream);

}  // namespace warpgraph
