// Minimum spanning forest: the edges of the lightest tree of every component.
//
// Many trees may be equally light; the one returned is Kruskal's with edges in a total order, so
// that it is the same for every method, device and thread count. The edges are the entries above
// the diagonal, ordered by (weight, position), row by row; entries on and below it are passed by.
// graph/upper_triangle.hpp brings any matrix into that form. With `maximum`, heavy
// edges come first and ties stay in the order of their positions.
//
// mst_reference sorts all edges and joins sets one by one: Kruskal's algorithm [1].
// mst_cpu and mst_cuda run rounds of Boruvka's algorithm [2]: every tree chooses the first edge
// that leaves it, and all chosen edges join the forest at once. Most edges never get that far: the
// light ones, about three for each vertex and found by sampling, go first, and nearly all others
// then have both ends in one tree, which takes a look and no more [3, 4].
// On the CPU, the first round of a symmetric matrix is a scan over its rows, without atomics; the
// candidates of the later ones are sorted, so that their places are all that is compared. Where
// rows are sorted already, scans for light edges end early.
// On a GPU, a tree's minimum is an atomic on weight and position. Where all edges are one portion
// (roads, grids), they are listed after the first round, which needs no list, nor atomics if rows
// are short and mirrored. All further rounds on a list run in one launch, but for the last ones,
// which one block finishes in its shared memory. The forest is a bit for each entry until its edges
// are listed.
//
// [1] Kruskal: On the shortest spanning subtree of a graph and the traveling salesman problem.
//     Proc. AMS 7, 1956.
// [2] Nesetril, Milkova, Nesetrilova: Otakar Boruvka on minimum spanning tree problem.
//     Discrete Mathematics 233, 2001.
// [3] Osipov, Sanders, Singler: The filter-Kruskal minimum spanning tree algorithm. ALENEX 2009.
// [4] Fallin, Gonzalez, Seo, Burtscher: A high-performance MST implementation for GPUs. SC 2023.
#pragma once

#include "graph/csr.hpp"
#include "graph/upper_triangle.hpp"

#include <limits>
#include <span>

namespace warpgraph {

namespace cuda {
class Stream;
}

struct MstOptions {
  bool maximum = false;
  bool mirrored = false;     // the entries below the diagonal mirror those above it
  bool sorted_rows = false;  // as graph/sort_rows.hpp leaves them, in Kruskal's order
  edge_t longest_row = std::numeric_limits<edge_t>::max();  // no row has more entries
  std::size_t memory_limit = 0;                             // bytes; 0: whatever is free
};

/// Edges in Kruskal's order.
template <class W>
struct SpanningForest {
  HostVector<vertex_t> ends;  // tail and head of each edge, tail < head
  HostVector<W> weights;
  HostVector<edge_t> positions;  // in the arrays of the graph
};

template <class W>
SpanningForest<W> mst_reference(const CsrView<W>& graph, const MstOptions& options);

template <class W>
SpanningForest<W> mst_cpu(const CsrView<W>& graph, const MstOptions& options);

/// The graph lies on the stream's device, and so does `positions`, which has room for as many items
/// as there are vertices, less one: it receives the positions of the forest's edges, which rise.
/// Returns their number. mst_cuda_to_host waits for all of its work.
template <class W>
std::int64_t mst_cuda(const CsrView<W>& graph, const MstOptions& options, edge_t* positions,
                      const cuda::Stream& stream);
template <class W>
SpanningForest<W> mst_cuda_to_host(const CsrView<W>& graph, const MstOptions& options,
                                   const cuda::Stream& stream);

/// positions[i] = table[positions[i]] for n positions on the stream's device, with a table that
/// lies on the host.
void look_up_on_device(std::span<const edge_t> table, edge_t* positions, std::int64_t n,
                       const cuda::Stream& stream);

/// Edges from anywhere, cycles and all. Equal weights rank by (smaller end, id): with positions in
/// the arrays of one graph for ids that is the order of the edges in the graph itself.
template <class W>
struct EdgeSet {
  vertex_t n_vertices;
  std::span<const vertex_t> ends;
  std::span<const W> weights;
  std::span<const edge_t> ids;
};

/// The edges as a graph whose forest has them in that order; `positions` are their numbers. Since
/// an edge that is in no forest of a part is in none of the whole, the forest of the edges of all
/// parts' forests is that of the whole, however it was cut and in whatever order they are merged.
/// memory_limit: bytes; 0: what is free.
template <class W>
UpperTriangle<W> arrange_edges(const EdgeSet<W>& edges, std::size_t memory_limit = 0);

/// labels[v] becomes the number of v's tree, trees numbered from 0 in the order of their smallest
/// vertices. Throws std::invalid_argument naming the first edge that closes a cycle.
void forest_labels(std::span<const vertex_t> ends, std::span<vertex_t> labels);

}  // namespace warpgraph
