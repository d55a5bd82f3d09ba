// Kernels that pass over all vertices or all entries of a graph. Private to this folder.
#pragma once

#include "algorithms/mst/filter_boruvka/device/device_rounds.cuh"
#include "algorithms/mst/filter_boruvka/device/visit_edges.cuh"
#include "graph/generate/random.hpp"
#include "primitives/boruvka/device_step.cuh"

namespace warpgraph::mst {

/// Resident blocks per multiprocessor for a kernel that visits edges: more would leave too few
/// registers for the loads in flight. Four were best on an H200, by up to 6 %.
inline constexpr int blocks_per_sm = 4;
inline constexpr std::int64_t sample_size = 2048;

template <class WordRank>
__global__ void init_singletons(TreesView<WordRank> trees, vertex_t n_vertices, RoundState* state) {
  const std::int64_t v = cuda::global_index();
  if (v == 0) state->begin();
  if (v >= n_vertices) return;
  trees.parent[v] = static_cast<vertex_t>(v);
  trees.current.reset(static_cast<vertex_t>(v));
}

/// Runs the first round on all edges, without a list, in three launches: two compute the lightest
/// edge of every vertex, one hooks vertices along it. Ranks of one word do not need the second
/// launch.
template <class Bits, class WordRank>
__global__ void __launch_bounds__(cuda::threads_per_block, blocks_per_sm)
    update_all_minima(EdgeFilter<Bits, WordRank> filter, TreesView<WordRank> trees) {
  visit_edges_between_trees(filter, [&](const auto& edges, const auto& found) {
    trees.update_minima(edges, found, no_vertex);
  });
}

template <class Bits, class WordRank>
__global__ void __launch_bounds__(cuda::threads_per_block, blocks_per_sm)
    update_all_low(EdgeFilter<Bits, WordRank> filter, TreesView<WordRank> trees) {
  visit_edges_between_trees(filter, [&](const auto& edges, const auto& found) {
#pragma unroll
    for (int k = 0; k < arcs_per_lane; ++k) {
      if (found[k]) trees.update_low(edges[k], no_vertex);
    }
  });
}

template <class Bits, class WordRank>
__global__ void __launch_bounds__(cuda::threads_per_block, blocks_per_sm)
    hook_along_all(EdgeFilter<Bits, WordRank> filter, TreesView<WordRank> trees) {
  visit_edges_between_trees(
      filter, [&](const auto& edges, const auto& found) { trees.hook(edges, found, no_vertex); });
}

/// Lists the filtered edges that join two trees, and updates the minima of those.
template <class Bits, class WordRank>
__global__ void __launch_bounds__(cuda::threads_per_block, blocks_per_sm)
    collect(EdgeFilter<Bits, WordRank> filter, DeviceRounds<WordRank> rounds) {
  __shared__ cuda::WarpStage<DeviceCandidate<WordRank>>
      stages[cuda::threads_per_block / cuda::warp_lanes];
  cuda::WarpStage<DeviceCandidate<WordRank>>& stage = stages[threadIdx.x / cuda::warp_lanes];
  stage.open();
  const vertex_t giant = rounds.state->giant[0];
  visit_edges_between_trees(filter, [&](const auto& edges, const auto& found) {
    rounds.trees.update_minima(edges, found, giant);
#pragma unroll
    for (int k = 0; k < arcs_per_lane; ++k) stage.push(found[k], edges[k], rounds.list);
  });
  stage.flush(rounds.list);
}

/// Steps that a thread follows a path in one sweep: nearly all paths are shorter.
inline constexpr int max_steps = 32;

/// Paths that a thread follows at the same time.
inline constexpr int paths_per_thread = 4;

/// Shortens the paths from the vertices first, first + stride ... before `end`. Returns whether all
/// end at roots.
template <class WordRank>
__device__ bool shorten_paths(const TreesView<WordRank>& trees, std::int64_t first,
                              std::int64_t stride, vertex_t end) {
  vertex_t ancestor[paths_per_thread];
  vertex_t next[paths_per_thread];
#pragma unroll
  for (int k = 0; k < paths_per_thread; ++k) {
    const std::int64_t v = first + k * stride;
    ancestor[k] = v < end ? relaxed_load(trees.parent[v]) : no_vertex;
    if (ancestor[k] == v) trees.current.reset(static_cast<vertex_t>(v));
  }
  bool reached = false;
  for (int steps = 0; !reached && steps <= max_steps; ++steps) {
    reached = true;
#pragma unroll
    for (int k = 0; k < paths_per_thread; ++k) {
      next[k] = ancestor[k] != no_vertex ? relaxed_load(trees.parent[ancestor[k]]) : no_vertex;
    }
#pragma unroll
    for (int k = 0; k < paths_per_thread; ++k) {
      if (next[k] == ancestor[k]) continue;
      reached = false;
      relaxed_store(trees.parent[first + k * stride], next[k]);
      ancestor[k] = next[k];
    }
  }
  return reached;
}

/// Makes the parent of each vertex of first .. end - 1 its root, and resets the lightest edges of
/// roots among them. Paths may be as long as the graph, but following a path also shortens it, so
/// that 32 steps in one sweep lead at least 32 times as far as in the sweep before. No other thread
/// writes to a vertex, so a root that was written stays. Resets the state for the next pass. Needs
/// a cooperative launch.
template <class WordRank>
__global__ void __launch_bounds__(cuda::threads_per_block)
    label_with_roots(TreesView<WordRank> trees, vertex_t first, vertex_t end, RoundState* state) {
  const auto grid = cooperative_groups::this_grid();
  const auto stride = static_cast<std::int64_t>(grid.size());
  boruvka::sweep_until_finished(state->unfinished, [&] {
    bool finished = true;
    for (std::int64_t i = first + cuda::global_index(); i < end; i += paths_per_thread * stride) {
      const bool reached = shorten_paths(trees, i, stride, end);
      finished = finished && reached;
    }
    return finished;
  });
  if (grid.thread_rank() == 0) {
    state->n_collected = 0;
    state->n_trees[0] = 0;
    state->n_single_block = 0;
  }
}

/// The number of trees, without isolated vertices, and a sample of the edges left to collect.
template <class Key>
struct EdgeSample {
  unsigned long long n_trees;
  unsigned long long n_hits;
  Rank<Key> hits[sample_size];
};

template <class Bits, class WordRank>
__global__ void sample_edges(EdgeFilter<Bits, WordRank> filter, CounterRandom random,
                             RoundState* state, EdgeSample<Bits>* sample) {
  const KeyedBits<Bits>& graph = filter.graph;
  const std::int64_t i = cuda::global_index();
  const auto v = static_cast<vertex_t>(i);
  const int roots =
      __syncthreads_count(i < graph.n_vertices && filter.tree_of(v) == v && graph.degree(v) != 0);
  if (threadIdx.x == 0) atomicAdd(&sample->n_trees, static_cast<unsigned long long>(roots));
  if (i >= sample_size) return;
  const auto e = static_cast<edge_t>(
      random.below(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(graph.n_arcs)));
  const vertex_t head = graph.heads[e];
  if (i < cuda::warp_lanes) {
    const vertex_t giant = find_giant(true, filter.tree_of(head), no_vertex);
    if (i == 0) state->giant[0] = giant;
  }
  const vertex_t tail = tail_on_device(graph, e);
  const Rank<Bits> rank{graph.key(e), filter.first_position + e};
  if (head > tail && filter.tree_of(tail) != filter.tree_of(head) &&
      WordRank::make(rank.key, rank.position).is_within(filter.begin, filter.end)) {
    sample->hits[atomicAdd(&sample->n_hits, 1ull)] = rank;
  }
}

}  // namespace warpgraph::mst
