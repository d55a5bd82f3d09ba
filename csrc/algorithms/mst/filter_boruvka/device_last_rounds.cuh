// The last rounds, in one block. When few trees are left, a round on the whole device is hardly
// more than waiting: for two barriers and for about ten reads, one after the other. In the shared
// memory of one multiprocessor both are ten times as quick. Private to this folder.
//
// Here as in global memory, threads shorten paths that others walk (see Trees::find), and look at
// places of a hash table that others may take, which the compare-and-swap then settles. All are
// reads and writes of whole words, and right whatever comes first; but racecheck, which watches
// shared memory alone, lists them as hazards.
#pragma once

#include "algorithms/mst/filter_boruvka/device_rounds.cuh"

namespace warpgraph::mst {

inline constexpr unsigned threads_at_last = 1024;
/// Places for trees, a power of two. A tree's number is the place where hashing puts its root.
inline constexpr unsigned places_at_last = 1u << places_at_last_bits;

/// The trees that are left, in shared memory.
template <class WordRank>
struct LastTrees {
  using Low = typename WordRank::Low;

  word_t high[2][places_at_last];
  vertex_t root[places_at_last];  // or no_vertex
  vertex_t parent[places_at_last];
  Low low[2][WordRank::has_two_words ? places_at_last : 1];

  __device__ Trees<WordRank> view(BitmapView chosen) {
    return {parent, {high[0], low[0]}, {high[1], low[1]}, chosen};
  }
  __device__ void clear() {
    for (unsigned i = threadIdx.x; i < places_at_last; i += blockDim.x) {
      root[i] = no_vertex;
      parent[i] = static_cast<vertex_t>(i);
      FirstEdges<WordRank>{high[0], low[0]}.reset(static_cast<vertex_t>(i));
    }
  }
  /// The number of the tree with this root.
  __device__ vertex_t number(vertex_t of) {
    unsigned place = static_cast<unsigned>(of) * 0x9e3779b1u >> (32 - places_at_last_bits);
    while (true) {
      vertex_t seen = relaxed_load(root[place]);
      if (seen == no_vertex) seen = atomicCAS(&root[place], no_vertex, of);
      if (seen == no_vertex || seen == of) return static_cast<vertex_t>(place);
      place = (place + 1) % places_at_last;
    }
  }
};

/// Joins the trees along the last candidates, if join_trees left any. One block, with a LastTrees
/// of dynamic shared memory.
template <class WordRank>
__global__ void __launch_bounds__(threads_at_last) join_last_trees(Rounds<WordRank> rounds) {
  const auto n = static_cast<std::int64_t>(rounds.state->n_last);
  if (n == 0) return;
  auto& last = *cuda::dynamic_shared<LastTrees<WordRank>>();
  last.clear();
  __syncthreads();
  const std::int64_t share =
      (n + threads_at_last / cuda::warp_size - 1) / (threads_at_last / cuda::warp_size);
  const std::int64_t first = min(share * (threadIdx.x / cuda::warp_size), n);
  Stretch<WordRank> stretch{rounds.last + first, min(share, n - first)};
  for (std::int64_t i = cuda::lane(); i < stretch.n; i += cuda::warp_lanes) {
    stretch.items[i].a = last.number(stretch.items[i].a);
    stretch.items[i].b = last.number(stretch.items[i].b);
  }
  __syncwarp();
  Trees<WordRank> trees = last.view(rounds.trees.chosen);
  advance<true>(trees, stretch, no_vertex);
  while (__syncthreads_or(stretch.n != 0)) {
    if constexpr (WordRank::has_two_words) {
      for (std::int64_t i = cuda::lane(); i < stretch.n; i += cuda::warp_lanes) {
        trees.offer_low(stretch.items[i], no_vertex);
      }
      __syncthreads();
    }
    choose(trees, stretch, no_vertex);
    __syncthreads();
    trees.begin_round();
    advance<true>(trees, stretch, no_vertex);
  }
  for (unsigned i = threadIdx.x; i < places_at_last; i += blockDim.x) {
    if (last.root[i] == no_vertex) continue;
    const vertex_t top = trees.find(static_cast<vertex_t>(i), no_vertex);
    rounds.trees.parent[last.root[i]] = last.root[top];
  }
}

}  // namespace warpgraph::mst
