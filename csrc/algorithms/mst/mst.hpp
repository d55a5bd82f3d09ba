// Minimum spanning forest: one lightest spanning tree per component.
//
// Several forests may have equal weight. The result is Kruskal's with edges in a total order, so it
// is the same for every method, device and thread count. The edges are the entries above the
// diagonal, ordered by (weight, position), row by row; entries on and below it are skipped.
// graph/upper_triangle.hpp converts any matrix to that form. With `maximum`, heavy edges come first
// and ties stay in the order of their positions.
//
// mst_reference sorts all edges and unites sets one by one: Kruskal's algorithm [1].
//
// mst_cpu and mst_cuda run rounds of Boruvka's algorithm [2]: every tree chooses its lightest
// outgoing edge, and all chosen edges join the forest at once. A filter avoids most of the work:
// the light edges, about three per vertex, with a threshold estimated by sampling, go first. Nearly
// all other edges then have both ends in one tree and cost a single test [3, 4].
//
// On the CPU, the first round of a symmetric matrix is a scan over its rows, without atomics. The
// candidates of later rounds are sorted, so that only their indices are compared. Where rows are
// sorted already, scans for light edges end early. If most edges of a symmetric matrix join
// vertices with close numbers, blocks of rows that fit a core's cache are contracted instead, by
// Kruskal's algorithm as far as edges within a block decide; the rounds get what is left.
//
// On a GPU, a tree's minimum is an atomic on weight and position. If all edges fit in one pass
// (roads, grids), they are listed after the first round. That round needs no list, and no atomics
// either if rows are short and the matrix is symmetric. All further rounds on a list run in one
// launch, except the last ones, which a single block finishes in its shared memory. The forest is a
// bitmap over the entries until its edges are listed.
//
// [1] Kruskal: On the shortest spanning subtree of a graph and the traveling salesman problem.
//     Proc. AMS 7, 1956.
// [2] Nesetril, Milkova, Nesetrilova: Otakar Boruvka on minimum spanning tree problem.
//     Discrete Mathematics 233, 2001.
// [3] Osipov, Sanders, Singler: The filter-Kruskal minimum spanning tree algorithm. ALENEX 2009.
// [4] Fallin, Gonzalez, Seo, Burtscher: A high-performance MST implementation for GPUs. SC 2023.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "graph/csr.hpp"
#include "graph/upper_triangle.hpp"

#include <limits>
#include <span>

namespace warpgraph {

namespace cuda {
class DerivedCache;
class Stream;
}  // namespace cuda

/// The methods. `filter` is mst_cpu or mst_cuda; `boruvka`, over sorted rows, runs on CUDA devices.
/// mst/methods.hpp reads it; mst_cpu and mst_cuda ignore it.
enum class MstMethod { filter, boruvka, reference };

struct MstOptions {
  bool maximum = false;
  bool symmetric = false;  // the matrix is symmetric: entries below the diagonal repeat those above
  bool sorted_rows = false;  // in Kruskal's order, see graph/transform/sort_rows.hpp
  edge_t longest_row = std::numeric_limits<edge_t>::max();  // upper bound on the entries of a row
  MemoryBudget budget = {};
  MstMethod method = MstMethod::filter;
  /// The cache of the rows that `boruvka` prepares, for the next call; null: none.
  cuda::DerivedCache* derived = nullptr;
};

/// A forest's edges in Kruskal's order.
template <class W>
struct SpanningForest {
  HostVector<vertex_t> ends;  // tail and head of each edge, tail < head
  HostVector<W> weights;
  HostVector<edge_t> positions;  // in the arrays of the graph
};

template <class W>
SpanningForest<W> mst_reference(const CsrView<W>& graph, const MstOptions& options);

/// Returns what mst_cpu asks for.
template <class W>
[[nodiscard]] MemoryNeed need_of_forest(const CsrPattern& graph, const MstOptions& options);
template <class W>
SpanningForest<W> mst_cpu(const CsrView<W>& graph, const MstOptions& options);

/// Solves a graph on the stream's device. `positions` is there, too, with capacity for one item
/// less than there are vertices: it receives the positions of the forest's edges in ascending
/// order. Returns their number. mst_cuda_to_host waits for all of its work.
template <class W>
std::int64_t mst_cuda(const CsrView<W>& graph, const MstOptions& options, edge_t* positions,
                      const cuda::Stream& stream);
template <class W>
SpanningForest<W> mst_cuda_to_host(const CsrView<W>& graph, const MstOptions& options,
                                   const cuda::Stream& stream);

/// Returns whether an earlier call by `boruvka` has cached the rows on a device.
template <class W>
bool has_prepared_rows(const MstOptions& options);

/// Makes positions[i] = table[positions[i]] for n positions on the stream's device. The table is on
/// the host.
void gather_on_device(std::span<const edge_t> table, edge_t* positions, std::int64_t n,
                      const cuda::Stream& stream);

/// A list of edges, which may contain cycles. Equal weights are ordered by (smaller end, id), those
/// of equal ids as they come in the list; without ids, all as they come. With positions in the
/// arrays of one graph as ids, that is the order of the edges in the graph itself.
template <class W>
struct EdgeSet {
  vertex_t n_vertices;
  std::span<const vertex_t> ends;
  std::span<const W> weights;
  std::span<const edge_t> ids;
};

/// Returns the edges as a graph whose forest has them in that order; `positions` of the result are
/// indices in `edges`. Forests of parts of a graph are merged so: an edge that is in no forest of a
/// part is not in the forest of the whole. So the forest of the union of all parts' forests is that
/// of the whole, for any partition and any merge order.
template <class W>
UpperTriangle<W> arrange_edges(const EdgeSet<W>& edges, MemoryBudget budget = {});

/// Makes labels[v] the number of v's tree. Trees are numbered from 0 in the order of their smallest
/// vertices. Throws std::invalid_argument naming the first edge that closes a cycle.
void forest_labels(std::span<const vertex_t> ends, std::span<vertex_t> labels);

}  // namespace warpgraph
