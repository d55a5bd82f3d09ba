// The first round on a graph whose rows are short, as those of roads and grids are: every vertex
// finds its first edge in its own row, where all of its edges lie if the matrix is symmetric. One
// thread a row needs neither atomics nor a search for the row, but would be long about a hub's.
// Private to this folder.
#pragma once

#include "algorithms/mst/edge_order.hpp"
#include "algorithms/mst/filter_boruvka/device_ids.cuh"
#include "algorithms/mst/filter_boruvka/device_rounds.cuh"
#include "core/cuda/launch.cuh"

namespace warpgraph::mst {

/// Rows of at most so many entries are short: one bit each in a word.
inline constexpr edge_t longest_short_row = 32;

/// Entries that a thread asks for before it looks at the first. Most rows of roads and grids have
/// no more.
inline constexpr int entries_at_once = 4;

/// Makes the parent of every vertex its nearest neighbour, or itself if it has none, and clears the
/// bits of all entries. Entries below the diagonal stand for their mirror images, which lie in
/// earlier rows: of equal weights the smaller head comes first.
template <class W>
__global__ void __launch_bounds__(cuda::threads_per_block)
    point_at_nearest(RankedGraph<W> graph, vertex_t* parent, BitmapView chosen, RoundState* state) {
  using Key = order_key_t<W>;
  const std::int64_t i = cuda::global_index();
  if (i >= graph.n_vertices) return;
  if (i == 0) state->begin();
  // Rows are so short that there are more of them than words.
  if (i <= (graph.n_arcs - 1) / bits_a_word) chosen.words[i] = 0;
  const auto v = static_cast<vertex_t>(i);
  const edge_t begin = graph.begin(v);
  const edge_t end = graph.end(v);
  vertex_t nearest = v;
  vertex_t least_row = v;
  Key least = 0;
  for (edge_t first = begin; first < end; first += entries_at_once) {
    vertex_t head[entries_at_once];
    Key key[entries_at_once];
#pragma unroll
    for (int k = 0; k < entries_at_once; ++k) {
      head[k] = first + k < end ? graph.heads[first + k] : v;
      key[k] = first + k < end ? graph.key(first + k) : 0;
    }
#pragma unroll
    for (int k = 0; k < entries_at_once; ++k) {
      if (head[k] == v) continue;
      const vertex_t row = min(v, head[k]);
      if (nearest != v && (key[k] > least || (key[k] == least && row >= least_row))) continue;
      nearest = head[k];
      least = key[k];
      least_row = row;
    }
  }
  parent[v] = nearest;
}

/// Whether no entry of the row with the same head comes before entry e.
template <class W>
__device__ bool is_first_of_parallel(const RankedGraph<W>& graph, edge_t begin, edge_t end,
                                     vertex_t head, edge_t e) {
  for (edge_t other = begin; other < end; ++other) {
    if (graph.heads[other] == head && graph.rank(other) < graph.rank(e)) return false;
  }
  return true;
}

/// Chooses the edges to nearest neighbours. Each is found by its smaller end, which asks its larger
/// neighbours what they point at; of two that point at each other the smaller becomes a root. That
/// this is written while others ask is benign: none of them asks whether a vertex points at itself,
/// or at the larger end of an edge.
template <class W>
__global__ void __launch_bounds__(cuda::threads_per_block)
    choose_nearest(RankedGraph<W> graph, vertex_t* parent, BitmapView chosen) {
  const std::int64_t i = cuda::global_index();
  if (i >= graph.n_vertices) return;
  const auto v = static_cast<vertex_t>(i);
  const edge_t begin = graph.begin(v);
  const edge_t end = graph.end(v);
  const vertex_t nearest = parent[v];
  const bool is_whole_row = end - begin <= entries_at_once;  // what is asked for at once
  bool is_mutual = false;
  std::uint64_t bits = 0;  // of the row's entries
  for (edge_t first = begin; first < end; first += entries_at_once) {
    vertex_t head[entries_at_once];
    vertex_t pointed_at[entries_at_once];
#pragma unroll
    for (int k = 0; k < entries_at_once; ++k) {
      head[k] = first + k < end ? graph.heads[first + k] : v;
    }
#pragma unroll
    for (int k = 0; k < entries_at_once; ++k) {
      pointed_at[k] = head[k] > v ? relaxed_load(parent[head[k]]) : head[k];
    }
#pragma unroll
    for (int k = 0; k < entries_at_once; ++k) {
      if (head[k] <= v || (head[k] != nearest && pointed_at[k] != v)) continue;
      is_mutual = is_mutual || (head[k] == nearest && pointed_at[k] == v);
      bool is_alone = is_whole_row;
#pragma unroll
      for (int other = 0; other < entries_at_once; ++other) {
        is_alone = is_alone && (other == k || head[other] != head[k]);
      }
      if (is_alone || is_first_of_parallel(graph, begin, end, head[k], first + k)) {
        bits |= std::uint64_t{1} << (first + k - begin);
      }
    }
  }
  if (is_mutual) relaxed_store(parent[v], v);
  chosen.set_atomically(begin, bits);
}

/// Collects and offers the edges of row i, if there is one. Call it from full warps. What a row
/// offers to its own tree is offered at once.
template <class W, class WordRank>
__device__ void collect_from_row(const RankedGraph<W>& graph, const Rounds<WordRank>& rounds,
                                 std::int64_t i, cuda::WarpStage<Candidate<WordRank>>& stage) {
  const Trees<WordRank> trees = rounds.trees;
  const bool exists = i < graph.n_vertices;
  const auto v = exists ? static_cast<vertex_t>(i) : no_vertex;
  const edge_t end = exists ? graph.end(v) : 0;
  const vertex_t tree = exists ? trees.parent[v] : no_vertex;
  word_t least = no_word;
  for (edge_t first = exists ? graph.begin(v) : 0; __any_sync(cuda::all_lanes, first < end);
       first += entries_at_once) {
    Candidate<WordRank> edge[entries_at_once];
    vertex_t head[entries_at_once];
    word_t seen[entries_at_once];
#pragma unroll
    for (int k = 0; k < entries_at_once; ++k) {
      const edge_t e = first + k;
      head[k] = e < end ? graph.heads[e] : no_vertex;
      edge[k].rank = WordRank::make(e < end ? graph.key(e) : 0, e);
    }
#pragma unroll
    for (int k = 0; k < entries_at_once; ++k) {
      edge[k].a = tree;
      edge[k].b = head[k] > v ? trees.parent[head[k]] : tree;
    }
#pragma unroll
    for (int k = 0; k < entries_at_once; ++k) {
      seen[k] = edge[k].b != tree ? trees.now.look(edge[k].b) : 0;
    }
#pragma unroll
    for (int k = 0; k < entries_at_once; ++k) {
      const bool found = edge[k].b != tree;
      trees.now.offer_high(edge[k].b, edge[k].rank, seen[k]);
      if (found) least = min(least, edge[k].rank.high);
      stage.push(found, edge[k], rounds.list);
    }
  }
  if (least != no_word && least < trees.now.look(tree)) atomicMin(&trees.now.high[tree], least);
}

/// As collect, for all edges, when labels are known and no tree is a giant.
template <class W, class WordRank>
__global__ void __launch_bounds__(cuda::threads_per_block)
    collect_from_rows(RankedGraph<W> graph, Rounds<WordRank> rounds) {
  __shared__ cuda::WarpStage<Candidate<WordRank>> stages[cuda::threads_per_block / cuda::warp_size];
  cuda::WarpStage<Candidate<WordRank>>& stage = stages[threadIdx.x / cuda::warp_size];
  stage.open();
  const auto stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = cuda::global_index(); i - cuda::lane() < graph.n_vertices; i += stride) {
    collect_from_row(graph, rounds, i, stage);
  }
  stage.flush(rounds.list);
}

}  // namespace warpgraph::mst
