// The common parts of level searches on one device and on a team of them, on the host: arrays,
// launches, and the tree of known hops. Private to this folder.
#pragma once

#include "algorithms/bfs/levels/level_search.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "graph/for_each_edge.cuh"
#include "primitives/path_trees/smallest_tail.hpp"

namespace warpgraph::bfs_detail {

/// Blocks per multiprocessor: 1024 threads with several loads in flight each, which take 64
/// registers. With three blocks and 40 registers, which spill, R-MAT graphs take a fifth longer.
inline constexpr int blocks_per_multiprocessor = 2;

/// The cost of an arc bottom-up, in arcs top-down. Heads that come in clusters make bottom-up
/// levels read more arcs than the heuristic estimates. SSCA2 of 4 million vertices: the level with
/// an estimate of 21 million arcs read 82 million.
inline constexpr double cost_of_bottom_up = 2;

WARPGRAPH_HOST_DEVICE inline std::int64_t bitmap_words(vertex_t n_vertices) {
  return (std::int64_t{n_vertices} + 31) / 32;
}

/// Places the arrays of a search of these rows, but hops and bitmaps. `transposed` has the arcs
/// that enter them.
inline LevelSearchView take_level_arrays(const CsrPattern& rows, const CsrPattern& transposed,
                                         cuda::BumpAllocator& memory) {
  LevelSearchView view{};
  view.counts = memory.take<LevelCounts>(n_level_counts);
  view.state = memory.take<LevelState>(2);
  view.queue = memory.take<RowChunk>(max_chunks(rows));
  view.long_rows =
      memory.take<RowChunk>(static_cast<std::size_t>(2 * transposed.n_arcs / max_warp_arcs + 1));
  return view;
}

/// Lowers the predecessor of a head to the smallest tail one hop nearer, up to the last depth.
struct LowerPredecessor {
  const vertex_t* hops;
  vertex_t last_depth;
  vertex_t first_row;  // the vertex of row 0
  SmallestTail* predecessors;
  __device__ void operator()(vertex_t row, vertex_t head, edge_t) const {
    const vertex_t tail = first_row + row;
    const vertex_t depth = hops[tail];
    if (depth != unreached && depth < last_depth && hops[head] == depth + 1) {
      lower_predecessor(predecessors[head], tail);
    }
  }
};

/// Lowers the predecessors of n vertices by the arcs of these rows.
inline void lower_predecessors(const CsrPattern& rows, const LowerPredecessor& lower,
                               vertex_t n_vertices, const cuda::Stream& stream) {
  cuda::fill(lower.predecessors, no_tail, n_vertices, stream);
  cuda::for_each_edge(stream, rows, cuda::AllVertices{rows.n_vertices},
                      cuda::EdgeMapping::merge_path, lower);
}

}  // namespace warpgraph::bfs_detail
