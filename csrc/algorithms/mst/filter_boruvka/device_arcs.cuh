// All threads of a grid look at the entries of a graph above the diagonal and find the edges that
// join two trees. Private to this folder.
//
// Warps take equal stretches of the arrays, wherever that cuts a row, so hubs do no harm. A warp
// knows the ends of 32 rows at a time, one a lane, and finds the row of an entry by five shuffles:
// neither shared memory nor a barrier is needed, and warps hide each other's waits.
#pragma once

#include "algorithms/mst/edge_order.hpp"
#include "algorithms/mst/filter_boruvka/device_trees.cuh"
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"

namespace warpgraph::mst {

/// Entries that a lane asks for before it looks at the first: enough to keep the memory busy.
inline constexpr int arcs_a_lane = 4;
inline constexpr edge_t arcs_a_step = arcs_a_lane * cuda::warp_lanes;
/// Entries that a warp takes at a time. Finding the first row of a stretch takes about five waits
/// for memory, so a stretch should not be much shorter; longer ones are spread less evenly.
inline constexpr edge_t longest_stretch = 8 * arcs_a_step;

/// Edges of a graph from one rank to before another, and the tree of each vertex.
template <class W, class WordRank>
struct Scope {
  RankedGraph<W> graph;
  const vertex_t* label;  // nullptr: every vertex is its own tree
  WordRank begin;
  WordRank end;

  __device__ vertex_t tree_of(vertex_t v) const { return label == nullptr ? v : label[v]; }
};

/// The tail of the arc at position e, found by a full warp: each step looks at 32 rows at once and
/// so takes one wait for memory where bisection takes five.
__device__ inline vertex_t tail_by_warp(const CsrPattern& graph, edge_t e) {
  // begin(low) <= e < begin(high), where begin(n_vertices) is the end of all rows.
  std::int64_t low = 0;
  std::int64_t high = graph.n_vertices;
  while (high - low > 1) {
    const std::int64_t step = (high - low + cuda::warp_lanes - 1) / cuda::warp_lanes;
    const std::int64_t probe = low + (cuda::lane() + 1) * step;
    const bool at_or_before = probe < high && graph.offsets[probe] <= e;
    // Offsets never fall, so the lanes that say yes come first; the last lane never does.
    const int n = __popc(__ballot_sync(cuda::all_lanes, at_or_before));
    low += n * step;
    high = min(high, low + step);
  }
  return static_cast<vertex_t>(low);
}

/// 32 neighbouring rows: lane i knows row first + i.
struct RowWindow {
  vertex_t first;
  int end;         // of the lane's row, counted from the entry that the window was opened for
  vertex_t label;  // of the lane's row

  /// The place among the 32 of the row that holds entry i: as many rows as end before it.
  __device__ int find(int i) const {
    int place = 0;
#pragma unroll
    for (int step = cuda::warp_lanes / 2; step > 0; step /= 2) {
      if (__shfl_sync(cuda::all_lanes, end, place + step - 1) <= i) place += step;
    }
    return place;
  }
};

/// The rows from `first` on, of which the first or a later one holds entry e. Ends are cut off at
/// `last`.
template <class W, class WordRank>
__device__ RowWindow open_window(const Scope<W, WordRank>& scope, vertex_t first, edge_t e,
                                 edge_t last) {
  const std::int64_t row = static_cast<std::int64_t>(first) + cuda::lane();
  const bool exists = row < scope.graph.n_vertices;
  const edge_t end = exists ? min(scope.graph.offsets[row + 1], last) : last;
  return {first, static_cast<int>(end - e),
          exists ? scope.tree_of(static_cast<vertex_t>(row)) : no_vertex};
}

/// Calls visit(edges, found) in full warps for entries e .. e + n - 1 of the rows in a window that
/// was opened for e, arcs_a_lane entries a lane at a time: `found` says which of them are edges of
/// the scope that join two trees.
template <class W, class WordRank, class Visit>
__device__ void visit_window(const Scope<W, WordRank>& scope, const RowWindow& window, edge_t e,
                             int n, Visit& visit) {
  const vertex_t* const heads = scope.graph.heads + e;
  for (int from = cuda::lane(); from < n + cuda::lane(); from += static_cast<int>(arcs_a_step)) {
    vertex_t head[arcs_a_lane];
    Candidate<WordRank> edge[arcs_a_lane];
    bool found[arcs_a_lane];
#pragma unroll
    for (int k = 0; k < arcs_a_lane; ++k) {
      const int i = from + k * cuda::warp_lanes;
      head[k] = i < n ? heads[i] : no_vertex;  // which is below all rows
      edge[k].rank = WordRank::make(i < n ? scope.graph.key(e + i) : 0, e + i);
    }
#pragma unroll
    for (int k = 0; k < arcs_a_lane; ++k) {
      const int place = window.find(min(from + k * cuda::warp_lanes, n - 1));
      const bool wanted =
          head[k] > window.first + place && edge[k].rank.is_within(scope.begin, scope.end);
      edge[k].a = __shfl_sync(cuda::all_lanes, window.label, place);
      edge[k].b = wanted ? scope.tree_of(head[k]) : edge[k].a;
    }
#pragma unroll
    for (int k = 0; k < arcs_a_lane; ++k) found[k] = edge[k].a != edge[k].b;
    visit(edge, found);
  }
}

/// Calls visit as visit_window does for all entries, spread over the warps of the grid.
template <class W, class WordRank, class Visit>
__device__ void visit_edges_between_trees(const Scope<W, WordRank>& scope, Visit&& visit) {
  const edge_t n_arcs = scope.graph.n_arcs;
  const edge_t n_warps = static_cast<edge_t>(gridDim.x) * (blockDim.x / cuda::warp_lanes);
  const edge_t share = (n_arcs + n_warps - 1) / n_warps;
  const edge_t stretch =
      min((share + arcs_a_step - 1) / arcs_a_step * arcs_a_step, longest_stretch);
  const edge_t warp = cuda::global_index() / cuda::warp_lanes;
  for (edge_t first = warp * stretch; first < n_arcs; first += n_warps * stretch) {
    const edge_t last = min(first + stretch, n_arcs);
    std::int64_t row = tail_by_warp(scope.graph, first);
    for (edge_t e = first; e < last;) {
      const RowWindow window = open_window(scope, static_cast<vertex_t>(row), e, last);
      const int n = __shfl_sync(cuda::all_lanes, window.end, cuda::warp_lanes - 1);
      if (n == 0) {  // 32 rows without arcs: there may be millions
        row = tail_by_warp(scope.graph, e);
        continue;
      }
      visit_window(scope, window, e, n, visit);
      e += n;
      row += cuda::warp_lanes;
    }
  }
}

}  // namespace warpgraph::mst
