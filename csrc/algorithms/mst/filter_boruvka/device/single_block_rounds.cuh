// The last rounds, in a single block. When few trees are left, a round on the whole device is
// mostly latency: two barriers and about ten dependent reads. In the shared memory of one
// multiprocessor both are ten times as fast. Private to this folder.
//
// As in global memory, threads shorten paths that others follow (see TreesView::find), and read
// slots of a hash table that others may fill, which the compare-and-swap then resolves. All are
// reads and writes of whole words, and correct in any order; but racecheck, which checks shared
// memory only, reports them as hazards.
#pragma once

#include "algorithms/mst/filter_boruvka/device/device_rounds.cuh"

namespace warpgraph::mst {

inline constexpr unsigned single_block_threads = 1024;
/// Hash table slots for trees, a power of two. The number of a tree is the slot of its root.
inline constexpr unsigned single_block_slots = 1u << single_block_slot_bits;

/// The remaining trees, in shared memory.
template <class WordRank>
struct SharedTrees {
  using Low = typename WordRank::Low;

  word_t high[2][single_block_slots];
  vertex_t root[single_block_slots];  // or no_vertex
  vertex_t parent[single_block_slots];
  Low low[2][WordRank::has_two_words ? single_block_slots : 1];

  __device__ TreesView<WordRank> view(BitmapView chosen) {
    return {parent, {high[0], low[0]}, {high[1], low[1]}, chosen};
  }
  __device__ void clear() {
    for (unsigned i = threadIdx.x; i < single_block_slots; i += blockDim.x) {
      root[i] = no_vertex;
      parent[i] = static_cast<vertex_t>(i);
      LightestEdges<WordRank>{high[0], low[0]}.reset(static_cast<vertex_t>(i));
    }
  }
  /// Returns the number of the tree with this root; inserts it if it is new.
  __device__ vertex_t number(vertex_t of) {
    unsigned slot = static_cast<unsigned>(of) * 0x9e3779b1u >> (32 - single_block_slot_bits);
    while (true) {
      vertex_t seen = relaxed_load(root[slot]);
      if (seen == no_vertex) seen = atomicCAS(&root[slot], no_vertex, of);
      if (seen == no_vertex || seen == of) return static_cast<vertex_t>(slot);
      slot = (slot + 1) % single_block_slots;
    }
  }
};

/// Joins the trees along the candidates that join_trees left, if any, in one block, with a
/// SharedTrees of dynamic shared memory.
template <class WordRank>
__global__ void __launch_bounds__(single_block_threads)
    join_trees_in_single_block(DeviceRounds<WordRank> rounds) {
  const auto n = static_cast<std::int64_t>(rounds.state->n_single_block);
  if (n == 0) return;
  auto& shared = *cuda::dynamic_shared<SharedTrees<WordRank>>();
  shared.clear();
  __syncthreads();
  const std::int64_t share =
      (n + single_block_threads / cuda::warp_lanes - 1) / (single_block_threads / cuda::warp_lanes);
  const std::int64_t first = min(share * (threadIdx.x / cuda::warp_lanes), n);
  CandidateChunk<WordRank> chunk{rounds.single_block_list + first, min(share, n - first)};
  for (std::int64_t i = cuda::lane(); i < chunk.n; i += cuda::warp_lanes) {
    chunk.items[i].a = shared.number(chunk.items[i].a);
    chunk.items[i].b = shared.number(chunk.items[i].b);
  }
  __syncwarp();
  TreesView<WordRank> trees = shared.view(rounds.trees.chosen);
  update_candidates<true>(trees, chunk, no_vertex);
  while (__syncthreads_or(chunk.n != 0)) {
    if constexpr (WordRank::has_two_words) {
      for (std::int64_t i = cuda::lane(); i < chunk.n; i += cuda::warp_lanes) {
        trees.update_low(chunk.items[i], no_vertex);
      }
      __syncthreads();
    }
    hook_trees(trees, chunk, no_vertex);
    __syncthreads();
    trees.begin_round();
    update_candidates<true>(trees, chunk, no_vertex);
  }
  for (unsigned i = threadIdx.x; i < single_block_slots; i += blockDim.x) {
    if (shared.root[i] == no_vertex) continue;
    const vertex_t top = trees.find(static_cast<vertex_t>(i), no_vertex);
    rounds.trees.parent[shared.root[i]] = shared.root[top];
  }
}

}  // namespace warpgraph::mst
