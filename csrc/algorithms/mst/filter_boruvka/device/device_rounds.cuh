// Rounds of Boruvka's algorithm on a list of candidates, all in one cooperative launch. Private to
// this folder.
//
// Every warp owns a chunk of the list and compacts it in place as candidates drop out. So there is
// no second list, no counter that all warps add to, and a warp reads only what it wrote in the last
// round.
#pragma once

#include "algorithms/mst/filter_boruvka/device/trees_view.cuh"
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "core/cuda/worklist.cuh"

#include <cooperative_groups.h>

namespace warpgraph::mst {

/// The state that threads share between rounds. Arrays are indexed by round or sweep, modulo their
/// length.
struct RoundState {
  unsigned long long n_collected;  // in the last pass; those beyond the capacity were dropped
  vertex_t giant[2];   // a root, or a vertex that was one a round before; no_vertex: none was found
  unsigned n_left[2];  // candidates
  unsigned n_trees[2];      // without the giant component and trees that no candidate leaves
  unsigned n_single_block;  // candidates for join_trees_in_single_block
  unsigned unfinished[3];   // whether any path was longer than the steps taken; zero between sweeps

  /// Initializes the state, by one thread before anything else.
  __device__ void begin() { *this = {0, {no_vertex, no_vertex}, {0, 0}, {0, 0}, 0, {0, 0, 0}}; }
};

template <class WordRank>
struct DeviceRounds {
  TreesView<WordRank> trees;
  /// The candidates. They have updated the minima, except that of giant[0].
  cuda::WorklistView<DeviceCandidate<WordRank>> list;
  RoundState* state;
  /// The list for a single block, which overlays the minima once those are no longer needed.
  DeviceCandidate<WordRank>* single_block_list;
  unsigned single_block_capacity;
};

/// The most candidates and trees that a single block joins.
inline constexpr unsigned max_single_block_candidates = 2048;
inline constexpr unsigned single_block_slot_bits = 12;
inline constexpr unsigned max_single_block_trees = 3u << (single_block_slot_bits - 2);

/// A warp's part of the list.
template <class WordRank>
struct CandidateChunk {
  DeviceCandidate<WordRank>* items;
  std::int64_t n;
};

inline constexpr int candidates_per_lane = 2;
/// The number of ends of 32 candidates from which on their tree is taken for the giant component.
inline constexpr int min_giant_count = 8;

template <class WordRank>
__device__ CandidateChunk<WordRank> chunk_of_warp(const DeviceRounds<WordRank>& rounds) {
  const std::int64_t n = rounds.list.size();
  const std::int64_t n_warps =
      static_cast<std::int64_t>(gridDim.x) * (blockDim.x / cuda::warp_lanes);
  const std::int64_t share = (n + n_warps - 1) / n_warps;
  const std::int64_t first = min(share * (cuda::global_index() / cuda::warp_lanes), n);
  return {rounds.list.items + first, min(share, n - first)};
}

/// Returns the most frequent tree among the lanes' candidates if it has min_giant_count of them,
/// else `otherwise`.
__device__ inline vertex_t find_giant(bool has_candidate, vertex_t tree, vertex_t otherwise) {
  const auto lane = static_cast<unsigned>(cuda::lane());
  const unsigned same = __match_any_sync(cuda::all_lanes, has_candidate ? tree : no_vertex);
  const auto count = has_candidate ? static_cast<unsigned>(__popc(same)) : 0u;
  const unsigned winner = cuda::warp_max_unsigned(count * cuda::warp_lanes + lane);
  const vertex_t most_frequent =
      __shfl_sync(cuda::all_lanes, tree, static_cast<int>(winner % cuda::warp_lanes));
  return winner / cuda::warp_lanes >= min_giant_count ? most_frequent : otherwise;
}

/// Hooks trees along a warp's candidates, all of which have updated the minima. Returns how many of
/// the lane's candidates two trees chose.
template <class WordRank>
__device__ unsigned hook_trees(const TreesView<WordRank>& trees,
                               const CandidateChunk<WordRank>& chunk, vertex_t giant) {
  unsigned n_mutual = 0;
  for (std::int64_t first = cuda::lane(); first < chunk.n;
       first += candidates_per_lane * cuda::warp_lanes) {
    DeviceCandidate<WordRank> candidate[candidates_per_lane]{};
    bool found[candidates_per_lane];
#pragma unroll
    for (int k = 0; k < candidates_per_lane; ++k) {
      const std::int64_t i = first + k * cuda::warp_lanes;
      found[k] = i < chunk.n;
      if (found[k]) candidate[k] = chunk.items[i];
    }
    n_mutual += trees.hook(candidate, found, giant);
  }
  return n_mutual;
}

/// Replaces the ends of candidates by their roots. `keep` becomes whether they still join two
/// trees. With `overlaps`, all paths are followed at the same time. That is faster where a round is
/// short and mostly latency, as on roads and grids (by 7 % of a solve), and slower where reads are
/// many: on R-MAT graphs by 13 %.
template <bool overlaps, class WordRank>
__device__ void find_ends(const TreesView<WordRank>& trees,
                          DeviceCandidate<WordRank> (&candidate)[candidates_per_lane],
                          bool (&keep)[candidates_per_lane], vertex_t giant) {
  if constexpr (overlaps) {
    vertex_t ends[2 * candidates_per_lane];
#pragma unroll
    for (int k = 0; k < candidates_per_lane; ++k) {
      ends[2 * k] = keep[k] ? candidate[k].a : no_vertex;
      ends[2 * k + 1] = keep[k] ? candidate[k].b : no_vertex;
    }
    trees.find_all(ends, giant);
#pragma unroll
    for (int k = 0; k < candidates_per_lane; ++k) {
      candidate[k].a = ends[2 * k];
      candidate[k].b = ends[2 * k + 1];
      keep[k] = candidate[k].a != candidate[k].b;
    }
  } else {
#pragma unroll
    for (int k = 0; k < candidates_per_lane; ++k) {
      if (!keep[k]) continue;
      candidate[k].a = trees.find(candidate[k].a, giant);
      candidate[k].b = trees.find(candidate[k].b, giant);
      keep[k] = candidate[k].a != candidate[k].b;
    }
  }
}

/// Replaces the ends of a warp's candidates by their roots, drops those within a tree, and updates
/// the minima with the others. Returns find_giant of the first of them.
template <bool overlaps, class WordRank>
__device__ vertex_t update_candidates(const TreesView<WordRank>& trees,
                                      CandidateChunk<WordRank>& chunk, vertex_t giant) {
  vertex_t seen = giant;
  std::int64_t kept = 0;
  for (std::int64_t first = 0; first < chunk.n; first += candidates_per_lane * cuda::warp_lanes) {
    DeviceCandidate<WordRank> candidate[candidates_per_lane]{};
    bool keep[candidates_per_lane];
#pragma unroll
    for (int k = 0; k < candidates_per_lane; ++k) {
      const std::int64_t i = first + k * cuda::warp_lanes + cuda::lane();
      keep[k] = i < chunk.n;
      if (keep[k]) candidate[k] = chunk.items[i];
    }
    find_ends<overlaps>(trees, candidate, keep, giant);
    trees.update_minima(candidate, keep, giant);
    __syncwarp();  // all have read what is overwritten now
#pragma unroll
    for (int k = 0; k < candidates_per_lane; ++k) {
      const unsigned kept_lanes = __ballot_sync(cuda::all_lanes, keep[k]);
      if (first == 0 && k == 0) seen = find_giant(keep[k], candidate[k].b, giant);
      if (keep[k]) chunk.items[kept + __popc(kept_lanes & cuda::lanemask_lt())] = candidate[k];
      kept += __popc(kept_lanes);
    }
  }
  chunk.n = kept;
  __syncwarp();
  return seen;
}

/// Clamps a count to just above the limit of interest, so that sums fit in 32 bits.
__device__ inline unsigned clamp_count(std::int64_t n) {
  return static_cast<unsigned>(min(n, std::int64_t{max_single_block_candidates} + 1));
}

/// Adds the block's sum of `value` to a global total. Call it from all threads; a barrier must
/// follow.
__device__ inline void add_block_sum(unsigned& total, unsigned value) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  value = cuda::warp_sum_unsigned(value);
  if (cuda::lane() == 0 && value != 0) atomicAdd(&sum, value);
  __syncthreads();
  if (threadIdx.x == 0 && sum != 0) atomicAdd(&total, sum);
}

/// Appends a warp's candidates to the list for join_trees_in_single_block.
template <class WordRank>
__device__ void append_for_single_block(const DeviceRounds<WordRank>& rounds,
                                        const CandidateChunk<WordRank>& chunk) {
  if (chunk.n == 0) return;
  const unsigned index =
      cuda::warp_fetch_add(rounds.state->n_single_block, static_cast<unsigned>(chunk.n));
  for (std::int64_t i = cuda::lane(); i < chunk.n; i += cuda::warp_lanes) {
    rounds.single_block_list[index + i] = chunk.items[i];
  }
}

/// Joins trees along the candidates until few are left or none joins two. Does nothing if the
/// candidates exceeded the list's capacity. Needs a cooperative launch.
template <class WordRank, bool overlaps>
__global__ void __launch_bounds__(cuda::threads_per_block)
    join_trees(DeviceRounds<WordRank> rounds) {
  const auto grid = cooperative_groups::this_grid();
  const bool is_leader = grid.thread_rank() == 0;
  if (*rounds.list.count > static_cast<unsigned long long>(rounds.list.capacity)) return;
  TreesView<WordRank> trees = rounds.trees;
  CandidateChunk<WordRank> chunk = chunk_of_warp(rounds);
  vertex_t giant = relaxed_load(rounds.state->giant[0]);
  for (int parity = 0;; parity = 1 - parity) {
    if constexpr (WordRank::has_two_words) {
      for (std::int64_t i = cuda::lane(); i < chunk.n; i += cuda::warp_lanes) {
        trees.update_low(chunk.items[i], giant);
      }
      grid.sync();
    }
    add_block_sum(rounds.state->n_trees[parity], hook_trees(trees, chunk, giant));
    if (is_leader) {
      relaxed_store(rounds.state->n_left[parity], 0u);
      // The giant component chose no edge, so no other thread resets it.
      if (giant != no_vertex) trees.next.reset(giant);
    }
    grid.sync();
    giant = relaxed_load(rounds.state->giant[parity]);
    if (giant != no_vertex) giant = trees.find(giant, no_vertex);
    trees.begin_round();
    const vertex_t seen = update_candidates<overlaps>(trees, chunk, giant);
    if (is_leader) {
      relaxed_store(rounds.state->giant[1 - parity], seen);
      relaxed_store(rounds.state->n_trees[1 - parity], 0u);
    }
    add_block_sum(rounds.state->n_left[parity], cuda::lane() == 0 ? clamp_count(chunk.n) : 0);
    grid.sync();
    const unsigned n_left = relaxed_load(rounds.state->n_left[parity]);
    if (n_left == 0) return;
    if (n_left <= rounds.single_block_capacity &&
        relaxed_load(rounds.state->n_trees[parity]) < max_single_block_trees) {
      append_for_single_block(rounds, chunk);
      return;
    }
  }
}

}  // namespace warpgraph::mst
