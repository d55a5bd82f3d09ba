// Counts the shortest paths from the sources of a batch where float64 holds all counts: then the
// order of additions does not matter, and threads add as they come. Private to betweenness.
#pragma once

#include "algorithms/betweenness/device/batch.cuh"
#include "primitives/row_chunks.cuh"

namespace warpgraph::betweenness {

/// Appends vertices to the next level. All lanes of a warp call it, each with a vertex or without.
class LevelAppender {
 public:
  __device__ LevelAppender(const BatchView& view, const BatchLevel& level)
      : view_(view),
        next_(view.queue + level.first + level.size),
        size_(view.level_sizes[level.level + 1]) {}

  __device__ void append(bool has_vertex, vertex_t v, std::uint32_t search) {
    if (__any_sync(cuda::all_lanes, has_vertex) == 0) return;
    const int n_own = has_vertex ? static_cast<int>(SearchChunk::number(view_.graph.degree(v))) : 0;
    const int before = cuda::warp_exclusive_sum(n_own);
    const int total = __shfl_sync(cuda::all_lanes, before + n_own, cuda::warp_lanes - 1);
    SearchChunk* const to =
        next_ + cuda::warp_fetch_add(size_, static_cast<std::uint32_t>(total)) + before;
    for (int i = 0; i < n_own; ++i) {
      to[i] = SearchChunk::of(v, search, static_cast<std::uint32_t>(i));
    }
  }

 private:
  const BatchView& view_;
  SearchChunk* next_;
  std::uint32_t& size_;
};

/// The chunk of a level whose arcs a lane owns, and the paths to its vertex.
struct LaneChunk {
  SearchChunk chunk{};
  std::int64_t at = 0;
  edge_t begin = 0;
  int n_arcs = 0;
  double count = 0;

  /// Takes the lane's chunk of those from `first` on, if it has one.
  __device__ LaneChunk(const BatchView& view, const BatchLevel& level, std::int64_t first,
                       bool has_one) {
    const std::int64_t i = first + cuda::lane();
    if (!has_one || i >= level.size) return;
    chunk = view.queue[level.first + i];
    const ChunkArcs arcs(view.graph, chunk);
    begin = arcs.begin;
    n_arcs = view.goes_on(chunk.search(), level.level) ? arcs.n : 0;
    at = view.at(chunk.search(), chunk.vertex);
    count = view.counts[at];
  }
};

/// Adds to the count of a vertex, and notes where it is inexact.
__device__ inline void add_count(const BatchView& view, std::int64_t v, double more,
                                 vertex_t level) {
  const double before = atomicAdd(&view.counts[v], more);
  if (before + more >= inexact_count) atomicMin(&view.findings->inexact_level, level);
}

/// Reaches the heads of the arcs from a level, and adds to their counts.
__device__ inline void expand_level(const BatchView& view, const BatchLevel& level) {
  constexpr int arcs_at_a_time = 4;
  const vertex_t next = level.level + 1;
  LevelAppender queue(view, level);
  const std::int64_t share = share_of_warp(level.size);
  for (std::int64_t first = cuda::global_warp() * share; first < level.size;
       first += cuda::n_global_warps() * share) {
    const LaneChunk own(view, level, first, cuda::lane() < share);
    const auto visit = [&](const LaneArcs(&arcs)[arcs_at_a_time]) {
      std::int64_t place[arcs_at_a_time];
      vertex_t found[arcs_at_a_time];
      std::uint32_t search[arcs_at_a_time];
#pragma unroll
      for (int k = 0; k < arcs_at_a_time; ++k) {
        search[k] = static_cast<std::uint32_t>(
            __shfl_sync(cuda::all_lanes, static_cast<int>(own.chunk.search()), arcs[k].owner));
        place[k] = view.at(search[k], arcs[k].head);
        found[k] = arcs[k].head == no_vertex ? 0 : relaxed_load(view.levels[place[k]]);
      }
#pragma unroll
      for (int k = 0; k < arcs_at_a_time; ++k) {
        const double more = __shfl_sync(cuda::all_lanes, own.count, arcs[k].owner);
        const bool is_new =
            found[k] == not_reached && compare_and_swap(view.levels[place[k]], not_reached, next);
        if (found[k] == not_reached || found[k] == next) add_count(view, place[k], more, next);
        if (is_new) view.note_end(search[k], arcs[k].head, next);
        queue.append(is_new, arcs[k].head, search[k]);
      }
    };
    visit_chunks<arcs_at_a_time>(view.graph, own.chunk.vertex, own.begin, own.n_arcs, visit);
  }
}

/// Counts paths level by level, until there is no further one or a count is inexact.
__global__ void __launch_bounds__(batch_threads, 2)
    count_paths(const __grid_constant__ BatchView view, BatchLevel level) {
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  LaunchShare share;
  while (level.size > 0 && level.level < view.limit &&
         relaxed_load(view.findings->inexact_level) > level.level && share.takes(level.size)) {
    expand_level(view, level);
    grid.sync();
    level = {level.level + 1, level.first + level.size,
             relaxed_load(view.level_sizes[level.level + 1])};
  }
  end_launch(view, level);
}

}  // namespace warpgraph::betweenness
