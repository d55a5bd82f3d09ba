// Rounds of Boruvka's algorithm on a list of candidates, all in one cooperative launch. Private to
// this folder.
//
// Every warp owns a stretch of the list and closes the gaps in it as candidates drop out: in place,
// so there is no second list, no counter that all warps add to, and what a warp reads in one round
// it has written in the last.
#pragma once

#include "algorithms/mst/filter_boruvka/device_trees.cuh"
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "core/cuda/worklist.cuh"

#include <cooperative_groups.h>

namespace warpgraph::mst {

/// What threads tell each other between rounds, in places that take turns.
struct RoundState {
  unsigned long long n_collected;  // in the last pass; beyond the capacity they were not kept
  vertex_t giant[2];    // a root, or a vertex that was one a round before; no_vertex: none was seen
  unsigned n_left[2];   // candidates
  unsigned n_trees[2];  // but for the giant and those that no candidate leaves
  unsigned n_last;      // candidates for join_last_trees
  unsigned unfinished[3];  // whether any path is longer than was walked; zero between sweeps

  /// For one thread, before anything else.
  __device__ void begin() { *this = {0, {no_vertex, no_vertex}, {0, 0}, {0, 0}, 0, {0, 0, 0}}; }
};

template <class WordRank>
struct Rounds {
  Trees<WordRank> trees;
  cuda::WorklistView<Candidate<WordRank>> list;  // offered already, but not to giant[0]
  RoundState* state;
  Candidate<WordRank>* last;  // room for so many when no first edge is needed any more
  unsigned room_for_last;
};

/// When no more candidates and trees are left than this, one block joins them.
inline constexpr unsigned most_at_last = 2048;
inline constexpr unsigned places_at_last_bits = 12;
inline constexpr unsigned most_trees_at_last = 3u << (places_at_last_bits - 2);

/// A warp's part of the list.
template <class WordRank>
struct Stretch {
  Candidate<WordRank>* items;
  std::int64_t n;
};

inline constexpr int candidates_a_lane = 2;
/// So many of 32 candidates that end in one tree make it a giant.
inline constexpr int giant_share = 8;

template <class WordRank>
__device__ Stretch<WordRank> stretch_of_warp(const Rounds<WordRank>& rounds) {
  const std::int64_t n = rounds.list.size();
  const std::int64_t n_warps =
      static_cast<std::int64_t>(gridDim.x) * (blockDim.x / cuda::warp_size);
  const std::int64_t share = (n + n_warps - 1) / n_warps;
  const std::int64_t first = min(share * (cuda::global_index() / cuda::warp_size), n);
  return {rounds.list.items + first, min(share, n - first)};
}

/// The tree that most of the lanes' candidates end in, if those are many; else `otherwise`.
__device__ inline vertex_t find_giant(bool has_candidate, vertex_t tree, vertex_t otherwise) {
  const auto lane = static_cast<unsigned>(cuda::lane());
  const unsigned mates = __match_any_sync(cuda::all_lanes, has_candidate ? tree : no_vertex);
  const auto met = has_candidate ? static_cast<unsigned>(__popc(mates)) : 0u;
  const unsigned winner = __reduce_max_sync(cuda::all_lanes, met * cuda::warp_size + lane);
  const vertex_t most_met =
      __shfl_sync(cuda::all_lanes, tree, static_cast<int>(winner % cuda::warp_size));
  return winner / cuda::warp_size >= giant_share ? most_met : otherwise;
}

/// Chooses among a warp's candidates, all of which were offered. Returns how many of the lane's
/// were chosen by two trees.
template <class WordRank>
__device__ unsigned choose(const Trees<WordRank>& trees, const Stretch<WordRank>& stretch,
                           vertex_t giant) {
  unsigned n_mutual = 0;
  for (std::int64_t first = cuda::lane(); first < stretch.n;
       first += candidates_a_lane * cuda::warp_lanes) {
    Candidate<WordRank> candidate[candidates_a_lane]{};
    bool found[candidates_a_lane];
#pragma unroll
    for (int k = 0; k < candidates_a_lane; ++k) {
      const std::int64_t i = first + k * cuda::warp_lanes;
      found[k] = i < stretch.n;
      if (found[k]) candidate[k] = stretch.items[i];
    }
    n_mutual += trees.choose(candidate, found, giant);
  }
  return n_mutual;
}

/// Brings candidates up to date, and keeps those that still join two trees. `overlaps`: all paths
/// are followed at the same time. That is quicker where a round is short and mostly waiting, as on
/// roads and grids (by 7 % of a solve), and slower where reads are many: on R-MAT graphs by 13 %.
template <bool overlaps, class WordRank>
__device__ void find_ends(const Trees<WordRank>& trees,
                          Candidate<WordRank> (&candidate)[candidates_a_lane],
                          bool (&keep)[candidates_a_lane], vertex_t giant) {
  if constexpr (overlaps) {
    vertex_t ends[2 * candidates_a_lane];
#pragma unroll
    for (int k = 0; k < candidates_a_lane; ++k) {
      ends[2 * k] = keep[k] ? candidate[k].a : no_vertex;
      ends[2 * k + 1] = keep[k] ? candidate[k].b : no_vertex;
    }
    trees.find_all(ends, giant);
#pragma unroll
    for (int k = 0; k < candidates_a_lane; ++k) {
      candidate[k].a = ends[2 * k];
      candidate[k].b = ends[2 * k + 1];
      keep[k] = candidate[k].a != candidate[k].b;
    }
  } else {
#pragma unroll
    for (int k = 0; k < candidates_a_lane; ++k) {
      if (!keep[k]) continue;
      candidate[k].a = trees.find(candidate[k].a, giant);
      candidate[k].b = trees.find(candidate[k].b, giant);
      keep[k] = candidate[k].a != candidate[k].b;
    }
  }
}

/// Brings a warp's candidates up to date, drops those within a tree, and offers the others. Returns
/// what find_giant says of the first of them.
template <bool overlaps, class WordRank>
__device__ vertex_t advance(const Trees<WordRank>& trees, Stretch<WordRank>& stretch,
                            vertex_t giant) {
  vertex_t seen = giant;
  std::int64_t kept = 0;
  for (std::int64_t first = 0; first < stretch.n; first += candidates_a_lane * cuda::warp_lanes) {
    Candidate<WordRank> candidate[candidates_a_lane]{};
    bool keep[candidates_a_lane];
#pragma unroll
    for (int k = 0; k < candidates_a_lane; ++k) {
      const std::int64_t i = first + k * cuda::warp_lanes + cuda::lane();
      keep[k] = i < stretch.n;
      if (keep[k]) candidate[k] = stretch.items[i];
    }
    find_ends<overlaps>(trees, candidate, keep, giant);
    trees.offer(candidate, keep, giant);
    __syncwarp();  // all have read what is overwritten now
#pragma unroll
    for (int k = 0; k < candidates_a_lane; ++k) {
      const unsigned keepers = __ballot_sync(cuda::all_lanes, keep[k]);
      if (first == 0 && k == 0) seen = find_giant(keep[k], candidate[k].b, giant);
      if (keep[k]) stretch.items[kept + __popc(keepers & cuda::lanes_below())] = candidate[k];
      kept += __popc(keepers);
    }
  }
  stretch.n = kept;
  __syncwarp();
  return seen;
}

/// A number that does not matter if it is large, so that sums of it fit in 32 bits.
__device__ inline unsigned few_of(std::int64_t n) {
  return static_cast<unsigned>(min(n, std::int64_t{most_at_last} + 1));
}

/// Adds to a number that all blocks see, once a block. Call it from all threads, and let a barrier
/// follow.
__device__ inline void add_once_a_block(unsigned& total, unsigned value) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  value = __reduce_add_sync(cuda::all_lanes, value);
  if (cuda::lane() == 0 && value != 0) atomicAdd(&sum, value);
  __syncthreads();
  if (threadIdx.x == 0 && sum != 0) atomicAdd(&total, sum);
}

/// Hands a warp's candidates to join_last_trees.
template <class WordRank>
__device__ void leave_for_last(const Rounds<WordRank>& rounds, const Stretch<WordRank>& stretch) {
  if (stretch.n == 0) return;
  unsigned place = 0;
  if (cuda::lane() == 0) place = atomicAdd(&rounds.state->n_last, static_cast<unsigned>(stretch.n));
  place = __shfl_sync(cuda::all_lanes, place, 0);
  for (std::int64_t i = cuda::lane(); i < stretch.n; i += cuda::warp_lanes) {
    rounds.last[place + i] = stretch.items[i];
  }
}

/// Joins trees along the candidates until few are left or none joins two. Nothing happens if the
/// list was too short for them. Launch cooperatively.
template <class WordRank, bool overlaps>
__global__ void __launch_bounds__(cuda::threads_per_block) join_trees(Rounds<WordRank> rounds) {
  const auto grid = cooperative_groups::this_grid();
  const bool leads = grid.thread_rank() == 0;
  if (*rounds.list.count > static_cast<unsigned long long>(rounds.list.capacity)) return;
  Trees<WordRank> trees = rounds.trees;
  Stretch<WordRank> stretch = stretch_of_warp(rounds);
  vertex_t giant = relaxed_load(rounds.state->giant[0]);
  for (int turn = 0;; turn = 1 - turn) {
    if constexpr (WordRank::has_two_words) {
      for (std::int64_t i = cuda::lane(); i < stretch.n; i += cuda::warp_lanes) {
        trees.offer_low(stretch.items[i], giant);
      }
      grid.sync();
    }
    add_once_a_block(rounds.state->n_trees[turn], choose(trees, stretch, giant));
    if (leads) {
      relaxed_store(rounds.state->n_left[turn], 0u);
      if (giant != no_vertex) trees.next.reset(giant);  // which nobody has won
    }
    grid.sync();
    giant = relaxed_load(rounds.state->giant[turn]);
    if (giant != no_vertex) giant = trees.find(giant, no_vertex);
    trees.begin_round();
    const vertex_t seen = advance<overlaps>(trees, stretch, giant);
    if (leads) {
      relaxed_store(rounds.state->giant[1 - turn], seen);
      relaxed_store(rounds.state->n_trees[1 - turn], 0u);
    }
    add_once_a_block(rounds.state->n_left[turn], cuda::lane() == 0 ? few_of(stretch.n) : 0);
    grid.sync();
    const unsigned n_left = relaxed_load(rounds.state->n_left[turn]);
    if (n_left == 0) return;
    if (n_left <= rounds.room_for_last &&
        relaxed_load(rounds.state->n_trees[turn]) < most_trees_at_last) {
      leave_for_last(rounds, stretch);
      return;
    }
  }
}

}  // namespace warpgraph::mst
