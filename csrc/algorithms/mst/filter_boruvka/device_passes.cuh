// Kernels that pass over all vertices or all entries of a graph. Private to this folder.
#pragma once

#include "algorithms/mst/filter_boruvka/device_arcs.cuh"
#include "algorithms/mst/filter_boruvka/device_rounds.cuh"
#include "graph/generate/random.hpp"

namespace warpgraph::mst {

/// A multiprocessor should run so many blocks of a kernel that visits edges: more would leave too
/// few registers for what a lane has asked for. Four were best on an H200, by up to 6 %.
inline constexpr int blocks_at_once = 4;
inline constexpr std::int64_t sample_size = 2048;

template <class WordRank>
__global__ void separate_vertices(Trees<WordRank> trees, vertex_t n_vertices, RoundState* state) {
  const std::int64_t v = cuda::global_index();
  if (v == 0) state->begin();
  if (v >= n_vertices) return;
  trees.parent[v] = static_cast<vertex_t>(v);
  trees.now.reset(static_cast<vertex_t>(v));
}

/// The first round on all edges, without a list of them: in three launches every vertex sees its
/// edges, and chooses. For ranks of one word there is nothing to do in the second one.
template <class W, class WordRank>
__global__ void __launch_bounds__(cuda::threads_per_block, blocks_at_once)
    offer_all(Scope<W, WordRank> scope, Trees<WordRank> trees) {
  visit_edges_between_trees(
      scope, [&](const auto& edges, const auto& found) { trees.offer(edges, found, no_vertex); });
}

template <class W, class WordRank>
__global__ void __launch_bounds__(cuda::threads_per_block, blocks_at_once)
    offer_all_low(Scope<W, WordRank> scope, Trees<WordRank> trees) {
  visit_edges_between_trees(scope, [&](const auto& edges, const auto& found) {
#pragma unroll
    for (int k = 0; k < arcs_a_lane; ++k) {
      if (found[k]) trees.offer_low(edges[k], no_vertex);
    }
  });
}

template <class W, class WordRank>
__global__ void __launch_bounds__(cuda::threads_per_block, blocks_at_once)
    choose_from_all(Scope<W, WordRank> scope, Trees<WordRank> trees) {
  visit_edges_between_trees(
      scope, [&](const auto& edges, const auto& found) { trees.choose(edges, found, no_vertex); });
}

/// Collects the edges of a scope that join two trees, and offers them to those.
template <class W, class WordRank>
__global__ void __launch_bounds__(cuda::threads_per_block, blocks_at_once)
    collect(Scope<W, WordRank> scope, Rounds<WordRank> rounds) {
  __shared__ cuda::WarpStage<Candidate<WordRank>> stages[cuda::threads_per_block / cuda::warp_size];
  cuda::WarpStage<Candidate<WordRank>>& stage = stages[threadIdx.x / cuda::warp_size];
  stage.open();
  const vertex_t giant = rounds.state->giant[0];
  visit_edges_between_trees(scope, [&](const auto& edges, const auto& found) {
    rounds.trees.offer(edges, found, giant);
#pragma unroll
    for (int k = 0; k < arcs_a_lane; ++k) stage.push(found[k], edges[k], rounds.list);
  });
  stage.flush(rounds.list);
}

/// So far a thread follows a path in one go: nearly all paths are shorter.
inline constexpr int longest_walk = 32;

/// Paths that a thread follows at the same time.
inline constexpr int paths_at_once = 4;

/// Shortens the paths from the vertices first, first + stride ..; whether all end at roots now.
template <class WordRank>
__device__ bool walk_up(const Trees<WordRank>& trees, std::int64_t first, std::int64_t stride,
                        vertex_t n_vertices) {
  vertex_t above[paths_at_once];
  vertex_t beyond[paths_at_once];
#pragma unroll
  for (int k = 0; k < paths_at_once; ++k) {
    const std::int64_t v = first + k * stride;
    above[k] = v < n_vertices ? relaxed_load(trees.parent[v]) : no_vertex;
    if (above[k] == v) trees.now.reset(static_cast<vertex_t>(v));
  }
  bool reached = false;
  for (int steps = 0; !reached && steps <= longest_walk; ++steps) {
    reached = true;
#pragma unroll
    for (int k = 0; k < paths_at_once; ++k) {
      beyond[k] = above[k] != no_vertex ? relaxed_load(trees.parent[above[k]]) : no_vertex;
    }
#pragma unroll
    for (int k = 0; k < paths_at_once; ++k) {
      if (beyond[k] == above[k]) continue;
      reached = false;
      relaxed_store(trees.parent[first + k * stride], beyond[k]);
      above[k] = beyond[k];
    }
  }
  return reached;
}

/// Makes the parent of every vertex its root, and resets the roots' first edges. Paths may be as
/// long as the graph, but whoever walks also shortens, so that 32 steps in one sweep lead at least
/// 32 times as far as in the sweep before. Nobody else writes to a vertex, so a root that was
/// written stays. Readies the state for the next pass. Launch cooperatively.
template <class WordRank>
__global__ void __launch_bounds__(cuda::threads_per_block)
    label_with_roots(Trees<WordRank> trees, vertex_t n_vertices, RoundState* state) {
  const auto grid = cooperative_groups::this_grid();
  const auto stride = static_cast<std::int64_t>(grid.size());
  for (int sweep = 0;; sweep = (sweep + 1) % 3) {
    bool finished = true;
    for (std::int64_t i = cuda::global_index(); i < n_vertices; i += paths_at_once * stride) {
      const bool reached = walk_up(trees, i, stride, n_vertices);
      finished = finished && reached;
    }
    if (!finished) relaxed_store(state->unfinished[sweep], 1u);
    // The next sweep's; what the last one said may still be being read, hence three.
    if (grid.thread_rank() == 0) relaxed_store(state->unfinished[(sweep + 1) % 3], 0u);
    grid.sync();
    if (relaxed_load(state->unfinished[sweep]) != 0) continue;
    if (grid.thread_rank() == 0) {
      state->unfinished[(sweep + 2) % 3] = 0;
      state->n_collected = 0;
      state->n_trees[0] = 0;
      state->n_last = 0;
    }
    return;
  }
}

/// How many trees there are, isolated vertices apart, and a sample of what is left to collect.
template <class Key>
struct Survey {
  unsigned long long n_trees;
  unsigned long long n_hits;
  Rank<Key> hits[sample_size];
};

template <class W, class WordRank>
__global__ void take_survey(Scope<W, WordRank> scope, CounterRandom random, RoundState* state,
                            Survey<order_key_t<W>>* survey) {
  const RankedGraph<W>& graph = scope.graph;
  const std::int64_t i = cuda::global_index();
  const auto v = static_cast<vertex_t>(i);
  const int roots =
      __syncthreads_count(i < graph.n_vertices && scope.tree_of(v) == v && graph.degree(v) != 0);
  if (threadIdx.x == 0) atomicAdd(&survey->n_trees, static_cast<unsigned long long>(roots));
  if (i >= sample_size) return;
  const auto e = static_cast<edge_t>(
      random.below(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(graph.n_arcs)));
  const vertex_t head = graph.heads[e];
  if (i < cuda::warp_size) {
    const vertex_t giant = find_giant(true, scope.tree_of(head), no_vertex);
    if (i == 0) state->giant[0] = giant;
  }
  const vertex_t tail = tail_between(graph, 0, graph.n_vertices - 1, e);
  const Rank<order_key_t<W>> rank = graph.rank(e);
  if (head > tail && scope.tree_of(tail) != scope.tree_of(head) &&
      WordRank::make(rank.key, e).is_within(scope.begin, scope.end)) {
    survey->hits[atomicAdd(&survey->n_hits, 1ull)] = rank;
  }
}

}  // namespace warpgraph::mst
