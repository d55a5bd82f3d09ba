// The first round on a graph with short rows, such as roads and grids: every vertex finds its
// lightest edge in its own row, which holds all of its edges if the matrix is symmetric. One thread
// per row needs neither atomics nor a search for the row, but would be slow for hubs. Private to
// this folder.
#pragma once

#include "algorithms/mst/edge_order.hpp"
#include "algorithms/mst/filter_boruvka/device/compact_bitmap.cuh"
#include "algorithms/mst/filter_boruvka/device/device_rounds.cuh"
#include "core/cuda/launch.cuh"

namespace warpgraph::mst {

/// The most entries of a short row: their bits fit in one word.
inline constexpr edge_t max_short_row = 32;

/// Entries that a thread loads before it uses the first. Most rows of roads and grids have no more.
inline constexpr int entries_per_thread = 4;

/// Makes the parent of every vertex its nearest neighbour, or itself if it has none, and clears the
/// bitmap of entries. An entry below the diagonal stands for its transposed entry, which lies in an
/// earlier row: of equal weights the smaller head comes first.
template <class Bits>
__global__ void __launch_bounds__(cuda::threads_per_block)
    point_at_nearest(KeyedBits<Bits> graph, vertex_t* parent, BitmapView chosen,
                     RoundState* state) {
  using Key = Bits;
  const std::int64_t i = cuda::global_index();
  if (i >= graph.n_vertices) return;
  if (i == 0) state->begin();
  // Rows are so short that there are more of them than words.
  if (i <= (graph.n_arcs - 1) / bits_per_word) chosen.words[i] = 0;
  const auto v = static_cast<vertex_t>(i);
  const edge_t begin = graph.begin(v);
  const edge_t end = graph.end(v);
  vertex_t nearest = v;
  vertex_t min_row = v;
  Key min_key = 0;
  for (edge_t first = begin; first < end; first += entries_per_thread) {
    vertex_t head[entries_per_thread];
    Key key[entries_per_thread];
#pragma unroll
    for (int k = 0; k < entries_per_thread; ++k) {
      head[k] = first + k < end ? graph.heads[first + k] : v;
      key[k] = first + k < end ? graph.key(first + k) : 0;
    }
#pragma unroll
    for (int k = 0; k < entries_per_thread; ++k) {
      if (head[k] == v) continue;
      const vertex_t row = min(v, head[k]);
      if (nearest != v && (key[k] > min_key || (key[k] == min_key && row >= min_row))) continue;
      nearest = head[k];
      min_key = key[k];
      min_row = row;
    }
  }
  parent[v] = nearest;
}

/// Returns whether entry e is the first in Kruskal's order of the row's entries with the same head.
template <class Bits>
__device__ bool is_first_of_parallel(const KeyedBits<Bits>& graph, edge_t begin, edge_t end,
                                     vertex_t head, edge_t e) {
  for (edge_t other = begin; other < end; ++other) {
    if (graph.heads[other] == head && graph.rank(other) < graph.rank(e)) return false;
  }
  return true;
}

/// Chooses the edges to nearest neighbours. Each is found by its smaller end, which reads the
/// parents of its larger neighbours. Of two vertices that point at each other, the smaller becomes
/// a root. That write races with the reads of other threads, which is benign: none of them tests
/// whether a vertex points at itself, or at the larger end of an edge.
template <class Bits>
__global__ void __launch_bounds__(cuda::threads_per_block)
    choose_nearest(KeyedBits<Bits> graph, vertex_t* parent, BitmapView chosen) {
  const std::int64_t i = cuda::global_index();
  if (i >= graph.n_vertices) return;
  const auto v = static_cast<vertex_t>(i);
  const edge_t begin = graph.begin(v);
  const edge_t end = graph.end(v);
  const vertex_t nearest = parent[v];
  const bool is_whole_row = end - begin <= entries_per_thread;  // all entries are loaded at once
  bool is_mutual = false;
  std::uint64_t bits = 0;  // of the row's entries
  for (edge_t first = begin; first < end; first += entries_per_thread) {
    vertex_t head[entries_per_thread];
    vertex_t pointed_at[entries_per_thread];
#pragma unroll
    for (int k = 0; k < entries_per_thread; ++k) {
      head[k] = first + k < end ? graph.heads[first + k] : v;
    }
#pragma unroll
    for (int k = 0; k < entries_per_thread; ++k) {
      pointed_at[k] = head[k] > v ? relaxed_load(parent[head[k]]) : head[k];
    }
#pragma unroll
    for (int k = 0; k < entries_per_thread; ++k) {
      if (head[k] <= v || (head[k] != nearest && pointed_at[k] != v)) continue;
      is_mutual = is_mutual || (head[k] == nearest && pointed_at[k] == v);
      bool is_alone = is_whole_row;
#pragma unroll
      for (int other = 0; other < entries_per_thread; ++other) {
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

/// Lists the edges of row i, if it exists, and updates the minima of their trees. Full warps call
/// it. The minimum of the row's own tree is updated once.
template <class Bits, class WordRank>
__device__ void collect_from_row(const KeyedBits<Bits>& graph, const DeviceRounds<WordRank>& rounds,
                                 std::int64_t i,
                                 cuda::WarpStage<DeviceCandidate<WordRank>>& stage) {
  const TreesView<WordRank> trees = rounds.trees;
  const bool exists = i < graph.n_vertices;
  const auto v = exists ? static_cast<vertex_t>(i) : no_vertex;
  const edge_t end = exists ? graph.end(v) : 0;
  const vertex_t tree = exists ? trees.parent[v] : no_vertex;
  word_t min_high = no_word;
  for (edge_t first = exists ? graph.begin(v) : 0; __any_sync(cuda::all_lanes, first < end);
       first += entries_per_thread) {
    DeviceCandidate<WordRank> edge[entries_per_thread];
    vertex_t head[entries_per_thread];
    word_t seen[entries_per_thread];
#pragma unroll
    for (int k = 0; k < entries_per_thread; ++k) {
      const edge_t e = first + k;
      head[k] = e < end ? graph.heads[e] : no_vertex;
      edge[k].rank = WordRank::make(e < end ? graph.key(e) : 0, e);
    }
#pragma unroll
    for (int k = 0; k < entries_per_thread; ++k) {
      edge[k].a = tree;
      edge[k].b = head[k] > v ? trees.parent[head[k]] : tree;
    }
#pragma unroll
    for (int k = 0; k < entries_per_thread; ++k) {
      seen[k] = edge[k].b != tree ? trees.current.load_high(edge[k].b) : 0;
    }
#pragma unroll
    for (int k = 0; k < entries_per_thread; ++k) {
      const bool found = edge[k].b != tree;
      trees.current.update_high(edge[k].b, edge[k].rank, seen[k]);
      if (found) min_high = min(min_high, edge[k].rank.high);
      stage.push(found, edge[k], rounds.list);
    }
  }
  if (min_high != no_word && min_high < trees.current.load_high(tree)) {
    atomicMin(&trees.current.high[tree], min_high);
  }
}

/// Collects all edges, as collect does, when labels are up to date and there is no giant component.
template <class Bits, class WordRank>
__global__ void __launch_bounds__(cuda::threads_per_block)
    collect_from_rows(KeyedBits<Bits> graph, DeviceRounds<WordRank> rounds) {
  __shared__ cuda::WarpStage<DeviceCandidate<WordRank>>
      stages[cuda::threads_per_block / cuda::warp_lanes];
  cuda::WarpStage<DeviceCandidate<WordRank>>& stage = stages[threadIdx.x / cuda::warp_lanes];
  stage.open();
  const auto stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = cuda::global_index(); i - cuda::lane() < graph.n_vertices; i += stride) {
    collect_from_row(graph, rounds, i, stage);
  }
  stage.flush(rounds.list);
}

}  // namespace warpgraph::mst
