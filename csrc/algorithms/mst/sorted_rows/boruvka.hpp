// Boruvka's algorithm over sorted rows, by the four procedures of an article on large graphs [1].
//
// A round (1) finds the lightest edge that leaves each tree: every row is scanned from where it
// stopped last to its first arc that leaves the row's tree, and the least of a tree's rows wins;
// (2) removes the cycles of two trees that have chosen each other; (3) merges trees, following
// chosen trees to the ends of the paths; (4) numbers the trees anew from 0. Trees are arrays of
// numbers, without lists of members.
//
// Rows must be sorted beforehand, which takes longer than all rounds together: this is for graphs
// that are prepared once and solved again, as in the article, whose times do not include it, and
// for those that do not fit a device (see hybrid.hpp). To solve a plain matrix once,
// mst_cuda is faster. On an H200, 16.8 M vertices in cliques with 538 M arcs take 103 ms to prepare
// and then 8.7 ms a forest.
//
// What is not the article's: a row is read once in all rounds together; the largest tree does not
// choose, so most rows of a graph with a giant component are never read to their ends; and ranks
// are unique, which makes the answer Kruskal's whatever ties there are.
//
// [1] Kolganov: Parallel implementation of the minimum spanning tree algorithm on hybrid systems.
//     Vestnik YuUrGU, Computational mathematics and software engineering 5(3), 2016.
#pragma once

#include "algorithms/mst/mst.hpp"

namespace warpgraph {

namespace cuda {
class DerivedCache;
}

struct BoruvkaOptions {
  bool maximum = false;
  /// Keep neighbours as graph/transform/compress.hpp has them: fewer bytes where they have near
  /// numbers.
  bool compressed = false;
  std::size_t memory_limit = 0;  // bytes; 0: whatever is free
  /// Where the prepared rows are kept for the next call, if anywhere.
  cuda::DerivedCache* derived = nullptr;
};

/// Prepares rows and runs all four procedures on CPU threads.
template <class W>
SpanningForest<W> mst_boruvka_cpu(const CsrView<W>& graph, const BoruvkaOptions& options);

/// Whether an earlier call has kept the rows.
template <class W>
bool has_prepared_rows(const BoruvkaOptions& options);

/// The graph lies on the stream's device, and so does `positions`, which has room for as many items
/// as there are vertices, less one: it receives the positions of the forest's edges, which rise.
/// Returns their number; does not wait for the last of the work. mst_boruvka_cuda_to_host does.
template <class W>
std::int64_t mst_boruvka_cuda(const CsrView<W>& graph, const BoruvkaOptions& options,
                              edge_t* positions, const cuda::Stream& stream);
template <class W>
SpanningForest<W> mst_boruvka_cuda_to_host(const CsrView<W>& graph, const BoruvkaOptions& options,
                                           const cuda::Stream& stream);

}  // namespace warpgraph
