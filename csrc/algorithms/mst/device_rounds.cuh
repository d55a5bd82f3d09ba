// Rounds of Boruvka's algorithm on a list of candidates, all in one cooperative launch. Private to
// this folder.
//
// The first candidate of a tree is a minimum taken by atomics. Where weight and position have 32
// bits each, they are one word of 64 bits and the minimum is taken at once. Otherwise it takes two
// steps: the smallest key, then the smallest position among candidates with that key.
//
// As trees merge, a giant comes to have an end of nearly every candidate, and all threads would
// queue up to lower its minimum. But by the cut property any set of trees may choose: the giant
// just does not. Every candidate has an end in another tree, so each round still joins some.
#pragma once

#include "core/cuda/launch.cuh"
#include "core/cuda/worklist.cuh"
#include "core/types.hpp"
#include "core/union_find.hpp"
#include "graph/csr.hpp"
#include "graph/random.hpp"

#include <cooperative_groups.h>

namespace warpgraph::mst {

using word_t = unsigned long long;
inline constexpr word_t no_word = ~word_t{0};

/// An edge between the trees with the roots a and b; ordered by (high, low).
struct NarrowCandidate {
  static constexpr bool has_two_words = false;
  vertex_t a;
  vertex_t b;
  word_t high;  // key and position

  __device__ static NarrowCandidate make(vertex_t a, vertex_t b, word_t key, edge_t position) {
    return {a, b, key << 32 | static_cast<word_t>(position)};
  }
  __device__ edge_t position() const { return static_cast<edge_t>(high & 0xffffffffu); }
};

struct WideCandidate {
  static constexpr bool has_two_words = true;
  vertex_t a;
  vertex_t b;
  word_t high;  // key
  word_t low;   // position

  __device__ static WideCandidate make(vertex_t a, vertex_t b, word_t key, edge_t position) {
    return {a, b, key, static_cast<word_t>(position)};
  }
  __device__ edge_t position() const { return static_cast<edge_t>(low); }
};

/// The first candidate of each tree, by its root. `low` is not used for narrow candidates.
template <class Candidate>
struct FirstCandidates {
  word_t* high;
  word_t* low;

  __device__ void reset(vertex_t root) const {
    high[root] = no_word;
    if constexpr (Candidate::has_two_words) low[root] = no_word;
  }
  __device__ void offer_high(vertex_t root, const Candidate& candidate) const {
    lower(high[root], candidate.high);
  }
  /// When all high words were offered.
  __device__ void offer_low(vertex_t root, const Candidate& candidate) const {
    if constexpr (Candidate::has_two_words) {
      if (high[root] == candidate.high) lower(low[root], candidate.low);
    }
  }
  /// When all words were offered. False for a tree that was offered nothing: no position equals
  /// no_word, and for narrow candidates the position is the low half of the high word.
  __device__ bool is_first(vertex_t root, const Candidate& candidate) const {
    if constexpr (Candidate::has_two_words) {
      return high[root] == candidate.high && low[root] == candidate.low;
    } else {
      return high[root] == candidate.high;
    }
  }
};

template <class Candidate>
struct Rounds {
  CsrPattern graph;
  UnionFind sets;
  FirstCandidates<Candidate> firsts;
  cuda::WorklistView<Candidate> current;  // the candidates to begin with
  cuda::WorklistView<Candidate> next;
  cuda::WorklistView<edge_t> chosen;  // positions of the forest's edges
  vertex_t* giant;                    // one item: scratch
};

inline constexpr unsigned round_tile = 4 * cuda::threads_per_block;

/// The root of what is probably the largest tree: the one met most often at the heads of 32 arcs.
/// Call from a full warp.
template <class Candidate>
__device__ vertex_t find_giant(const Rounds<Candidate>& rounds, unsigned round) {
  const unsigned lane = threadIdx.x % cuda::warp_size;
  const CounterRandom random(round, 0);
  const auto arc =
      static_cast<edge_t>(random.below(lane, static_cast<std::uint64_t>(rounds.graph.n_arcs)));
  const vertex_t root = rounds.sets.root(rounds.graph.heads[arc]);
  const auto met = static_cast<unsigned>(__popc(__match_any_sync(~0u, root)));
  const unsigned winner = __reduce_max_sync(~0u, met * cuda::warp_size + lane);
  return __shfl_sync(~0u, root, static_cast<int>(winner % cuda::warp_size));
}

/// Brings candidates up to date, drops those within a tree, and offers the others to their trees.
template <class Candidate>
__device__ void offer_candidates(const Rounds<Candidate>& rounds, vertex_t giant) {
  __shared__ cuda::BlockStage<Candidate, round_tile> stage;
  stage.open();
  const std::int64_t n = rounds.current.size();
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * round_tile;
  for (std::int64_t first = blockIdx.x * static_cast<std::int64_t>(round_tile); first < n;
       first += stride) {
    const std::int64_t last = min(first + static_cast<std::int64_t>(round_tile), n);
    for (std::int64_t i = first + threadIdx.x; i < last; i += blockDim.x) {
      Candidate candidate = rounds.current[i];
      candidate.a = rounds.sets.find(candidate.a);
      candidate.b = rounds.sets.find(candidate.b);
      if (candidate.a == candidate.b) continue;
      stage.push(candidate);
      if (candidate.a != giant) rounds.firsts.offer_high(candidate.a, candidate);
      if (candidate.b != giant) rounds.firsts.offer_high(candidate.b, candidate);
    }
    stage.flush(rounds.next);
  }
}

/// Joins trees along `current` until no candidate joins two; afterwards the parent of every vertex
/// is its root. Launch cooperatively.
template <class Candidate>
__global__ void join_trees(Rounds<Candidate> rounds) {
  const auto grid = cooperative_groups::this_grid();
  const auto thread = static_cast<std::int64_t>(grid.thread_rank());
  const auto threads = static_cast<std::int64_t>(grid.size());
  const vertex_t n_vertices = rounds.graph.n_vertices;
  for (unsigned round = 0;; ++round) {
    for (std::int64_t v = thread; v < n_vertices; v += threads) {
      rounds.firsts.reset(static_cast<vertex_t>(v));
    }
    if (thread < cuda::warp_size) {
      const vertex_t giant = find_giant(rounds, round);
      if (thread == 0) {
        *rounds.giant = giant;
        *rounds.next.count = 0;
      }
    }
    grid.sync();
    // Until the trees are joined below, roots stay roots: find() only shortens paths.
    const vertex_t giant = relaxed_load(*rounds.giant);
    offer_candidates(rounds, giant);
    grid.sync();
    const std::int64_t n = rounds.next.size();  // the same for all: nobody pushes now
    if (n == 0) break;
    if constexpr (Candidate::has_two_words) {
      for (std::int64_t i = thread; i < n; i += threads) {
        const Candidate candidate = rounds.next[i];
        if (candidate.a != giant) rounds.firsts.offer_low(candidate.a, candidate);
        if (candidate.b != giant) rounds.firsts.offer_low(candidate.b, candidate);
      }
      grid.sync();
    }
    for (std::int64_t i = thread; i < n; i += threads) {
      const Candidate candidate = rounds.next[i];
      const bool is_chosen = rounds.firsts.is_first(candidate.a, candidate) ||
                             rounds.firsts.is_first(candidate.b, candidate);
      if (!is_chosen) continue;
      rounds.chosen.push(candidate.position());
      rounds.sets.unite(candidate.a, candidate.b);
    }
    const cuda::WorklistView<Candidate> used = rounds.current;
    rounds.current = rounds.next;
    rounds.next = used;
    grid.sync();
  }
  // As on the CPU: find() shortens paths, but what it writes may be out of date by then.
  for (std::int64_t v = thread; v < n_vertices; v += threads) {
    rounds.sets.find(static_cast<vertex_t>(v));
  }
  grid.sync();
  for (std::int64_t v = thread; v < n_vertices; v += threads) {
    const vertex_t root = rounds.sets.root(static_cast<vertex_t>(v));
    relaxed_store(rounds.sets.parent[v], root);
  }
}

}  // namespace warpgraph::mst
