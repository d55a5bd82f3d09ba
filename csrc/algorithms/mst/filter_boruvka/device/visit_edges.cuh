// All threads of a grid visit the entries of a graph above the diagonal and find the edges that
// join two trees. Private to this folder.
//
// Warps take chunks of equal length, regardless of row boundaries, so hubs do not unbalance the
// load. A warp loads the ends of 32 rows at a time, one per lane, and finds the row of an entry by
// five shuffles. That needs neither shared memory nor a barrier, and warps hide each other's
// latency.
#pragma once

#include "algorithms/mst/edge_order.hpp"
#include "algorithms/mst/filter_boruvka/device/trees_view.cuh"
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"

namespace warpgraph::mst {

/// Entries that a lane loads before it uses the first: enough to keep the memory busy.
inline constexpr int arcs_per_lane = 4;
inline constexpr edge_t arcs_per_step = arcs_per_lane * cuda::warp_lanes;
/// The entries that a warp takes at a time. Finding the first row of a chunk takes about five
/// dependent reads, so a chunk should not be much shorter; longer ones balance worse.
inline constexpr edge_t max_chunk = 8 * arcs_per_step;

/// A filter for the edges of a graph with ranks from `begin` to before `end`, given the tree of
/// each vertex.
template <class Bits, class WordRank>
struct EdgeFilter {
  KeyedBits<Bits> graph;
  edge_t first_position;  // of the first entry, among those of all devices
  const vertex_t* label;  // nullptr: every vertex is its own tree
  WordRank begin;
  WordRank end;

  __device__ vertex_t tree_of(vertex_t v) const { return label == nullptr ? v : label[v]; }
};

/// Returns the tail of the arc at position e, found by a full warp: each step compares 32 rows at
/// once, so it takes one dependent read where bisection takes five.
__device__ inline vertex_t tail_by_warp(const CsrPattern& graph, edge_t e) {
  // begin(low) <= e < begin(high), where begin(n_vertices) is the end of all rows.
  std::int64_t low = 0;
  std::int64_t high = graph.n_vertices;
  while (high - low > 1) {
    const std::int64_t step = (high - low + cuda::warp_lanes - 1) / cuda::warp_lanes;
    const std::int64_t probe = low + (cuda::lane() + 1) * step;
    const bool at_or_before = probe < high && graph.offsets[probe] <= e;
    // Offsets are non-decreasing, so the lanes with true come first; the last lane never has true.
    const int n = __popc(__ballot_sync(cuda::all_lanes, at_or_before));
    low += n * step;
    high = min(high, low + step);
  }
  return static_cast<vertex_t>(low);
}

/// A window of 32 consecutive rows: lane i holds row first + i.
struct RowWindow {
  vertex_t first;
  int end;         // of the lane's row, relative to the entry that the window was opened for
  vertex_t label;  // of the lane's row

  /// Returns the index, among the 32, of the row that holds entry i: the number of rows that end
  /// before it.
  __device__ int find(int i) const {
    int row = 0;
#pragma unroll
    for (int step = cuda::warp_lanes / 2; step > 0; step /= 2) {
      if (__shfl_sync(cuda::all_lanes, end, row + step - 1) <= i) row += step;
    }
    return row;
  }
};

/// Returns the 32 rows from `first` on. Row `first` or a later one holds entry e. Row ends are
/// clamped to `last`.
template <class Bits, class WordRank>
__device__ RowWindow open_window(const EdgeFilter<Bits, WordRank>& filter, vertex_t first, edge_t e,
                                 edge_t last) {
  const std::int64_t row = static_cast<std::int64_t>(first) + cuda::lane();
  const bool exists = row < filter.graph.n_vertices;
  const edge_t end = exists ? min(filter.graph.offsets[row + 1], last) : last;
  return {first, static_cast<int>(end - e),
          exists ? filter.tree_of(static_cast<vertex_t>(row)) : no_vertex};
}

/// Calls visit(edges, found) in full warps for entries e .. e + n - 1 of the rows in a window that
/// was opened for e, arcs_per_lane entries per lane at a time. `found` marks those that pass the
/// filter and join two trees.
template <class Bits, class WordRank, class Visit>
__device__ void visit_window(const EdgeFilter<Bits, WordRank>& filter, const RowWindow& window,
                             edge_t e, int n, Visit& visit) {
  const vertex_t* const heads = filter.graph.heads + e;
  for (int from = cuda::lane(); from < n + cuda::lane(); from += static_cast<int>(arcs_per_step)) {
    vertex_t head[arcs_per_lane];
    DeviceCandidate<WordRank> edge[arcs_per_lane];
    bool found[arcs_per_lane];
#pragma unroll
    for (int k = 0; k < arcs_per_lane; ++k) {
      const int i = from + k * cuda::warp_lanes;
      head[k] = i < n ? heads[i] : no_vertex;  // which is below all rows
      edge[k].rank =
          WordRank::make(i < n ? filter.graph.key(e + i) : 0, filter.first_position + e + i);
    }
#pragma unroll
    for (int k = 0; k < arcs_per_lane; ++k) {
      const int row = window.find(min(from + k * cuda::warp_lanes, n - 1));
      const bool passes =
          head[k] > window.first + row && edge[k].rank.is_within(filter.begin, filter.end);
      edge[k].a = __shfl_sync(cuda::all_lanes, window.label, row);
      edge[k].b = passes ? filter.tree_of(head[k]) : edge[k].a;
    }
#pragma unroll
    for (int k = 0; k < arcs_per_lane; ++k) found[k] = edge[k].a != edge[k].b;
    visit(edge, found);
  }
}

/// Calls visit for all entries, as visit_window does, spread over the warps of the grid.
template <class Bits, class WordRank, class Visit>
__device__ void visit_edges_between_trees(const EdgeFilter<Bits, WordRank>& filter, Visit&& visit) {
  const edge_t n_arcs = filter.graph.n_arcs;
  const edge_t n_warps = static_cast<edge_t>(gridDim.x) * (blockDim.x / cuda::warp_lanes);
  const edge_t share = (n_arcs + n_warps - 1) / n_warps;
  const edge_t chunk = min((share + arcs_per_step - 1) / arcs_per_step * arcs_per_step, max_chunk);
  const edge_t warp = cuda::global_index() / cuda::warp_lanes;
  for (edge_t first = warp * chunk; first < n_arcs; first += n_warps * chunk) {
    const edge_t last = min(first + chunk, n_arcs);
    std::int64_t row = tail_by_warp(filter.graph, first);
    for (edge_t e = first; e < last;) {
      const RowWindow window = open_window(filter, static_cast<vertex_t>(row), e, last);
      const int n = __shfl_sync(cuda::all_lanes, window.end, cuda::warp_lanes - 1);
      if (n == 0) {  // 32 empty rows: millions may follow
        row = tail_by_warp(filter.graph, e);
        continue;
      }
      visit_window(filter, window, e, n, visit);
      e += n;
      row += cuda::warp_lanes;
    }
  }
}

}  // namespace warpgraph::mst
