// The kernel of bfs_cuda: direction-optimizing breadth-first search, one level after the other,
// with a grid barrier after each. All levels run in one cooperative launch, so the host is not
// asked which direction comes next; all threads compute it from the counts of the level before.
//
// Reached vertices are bits of `reached`, which fits the L2 cache of a large device up to hundreds
// of millions of vertices. Top-down levels set bits atomically; whoever sets a bit owns the vertex.
//
// Bottom-up levels need no bitmap of the frontier. If an unreached vertex v has a neighbour u that
// was reached before this level, then u is in the frontier: had u been reached earlier, the level
// after it would have reached v. So a bottom-up level reads the bits as they were before it and
// writes new ones, in a second bitmap, without atomic operations: a warp owns the 32 vertices of a
// word. Vertices without arcs get their bit in the first bottom-up level and are skipped from then
// on; nobody asks for their bit.
//
// Balance: the queue of a top-down level holds chunks of rows, of at most chunk_arcs arcs each. A
// warp takes up to 32 chunks and divides their arcs evenly among its lanes. In a bottom-up level a
// lane tries the first arcs of its vertex, since most find the frontier there. The warp divides
// what is left of short rows evenly among its lanes; it tries the arcs of each longer row together,
// 32 at a time, up to max_warp_arcs; the chunks of the longest ones are tried by all warps of the
// grid after another barrier.
//
// Memory traffic of a bottom-up level: a word of 32 vertices, their offsets if one is unreached,
// and a sector of 32 bytes for each unreached vertex whose first arcs lead to the frontier.
#pragma once

#include "algorithms/bfs/direction_heuristic.hpp"
#include "core/atomics.hpp"
#include "core/cuda/containers/bitmap_words.cuh"
#include "graph/csr.hpp"
#include "primitives/chunk_queue.cuh"
#include "primitives/row_chunks.cuh"

#include <cooperative_groups.h>

namespace warpgraph::bfs_detail {

inline constexpr vertex_t unreached = -1;
/// Arcs of an unreached vertex that a lane tries alone. With 32, SSCA2 graphs take a tenth less,
/// and R-MAT graphs a tenth longer.
inline constexpr int arcs_per_lane = 16;
/// Arcs whose reads overlap, both where a lane tries its row and where a warp tries those of all.
inline constexpr int arcs_at_a_time = 4;
/// The most remaining arcs of a lane's row that the warp divides among its lanes.
inline constexpr edge_t max_shared_arcs = 96;
/// The most arcs of a longer row that a warp tries; chunks of this size are left to the grid.
inline constexpr edge_t max_warp_arcs = 4096;
/// Levels in a launch: at a few microseconds per small level, the host can react to Ctrl-C in time.
inline constexpr int levels_per_launch = 2048;

/// The counts that there are: of this level, the last one, and the next one, which is cleared.
inline constexpr int n_level_counts = 3;

/// The counts that a level adds up for the next one. `vertices` and `arcs` count vertices reached.
struct LevelCounts {
  unsigned long long vertices;
  unsigned long long arcs;
  unsigned long long chunks;     // appended to the queue
  unsigned long long long_rows;  // chunks of rows left to the grid
};

struct Frontier {
  std::int64_t vertices;
  edge_t arcs;
};

/// The state between two levels. The queue holds the chunks of all frontiers, one after the other.
struct LevelState {
  vertex_t depth;
  bool bottom_up;
  int bitmap;  // the current one of the two
  std::int64_t first_chunk;
  std::int64_t n_chunks;
  std::int64_t vertices;  // of the frontier
  edge_t arcs;            // of the frontier
  std::int64_t n_reached;
  DirectionHeuristic heuristic;
};

struct LevelSearchView {
  CsrPattern graph;       // arcs that leave a vertex
  CsrPattern transposed;  // arcs that enter a vertex; the graph itself if it is symmetric
  vertex_t limit;
  vertex_t* hops;
  std::uint32_t* reached[2];  // bitmaps
  RowChunk* queue;
  RowChunk* long_rows;
  LevelCounts* counts;  // a ring
  LevelState* state;
  LevelState* last_state;  // the same after the launch, in host memory: a copy takes longer
};

/// The shared memory of a block. Its threads keep one copy of the state, which takes registers from
/// none.
struct LevelMemory {
  LevelState state;
  vertex_t buffers[queue_warps][warp_buffer_size];
  BlockSums sums;
};

/// The next heads of a row, the last one again in place of those beyond it.
struct RowHeads {
  vertex_t heads[arcs_at_a_time];

  __device__ RowHeads(const vertex_t* row, edge_t e, edge_t end) {
    for (int i = 0; i < arcs_at_a_time; ++i) heads[i] = row[e + i < end ? e + i : end - 1];
  }
};

/// The rows of a search that has a device for itself: those of all vertices.
class WholeGraph {
 public:
  /// A bottom-up level reads one bitmap and writes the other one, which the next level reads.
  static constexpr bool swaps_bitmaps = true;
  /// The outbox for vertices of other devices, of which there are none.
  struct Outbox {
    __device__ void make_room(int) {}
    __device__ void append(bool, vertex_t) {}
    __device__ void flush() {}
  };

  __device__ explicit WholeGraph(const LevelSearchView& view) : view_(view) {}

  /// Returns the first of the words of bitmaps that have bits of the rows.
  __device__ std::int64_t first_word() const { return 0; }
  __device__ std::int64_t end_word() const {
    return (std::int64_t{view_.graph.n_vertices} + 31) / 32;
  }
  /// Returns whether a bit of these words belongs to a row.
  __device__ bool has_row(std::int64_t v) const { return v < view_.graph.n_vertices; }
  __device__ bool owns(vertex_t) const { return true; }
  __device__ vertex_t row(vertex_t v) const { return v; }
  __device__ Outbox outbox(int) const { return {}; }
  /// Returns the bits that the last level, bottom-up, has set; `bitmap` is the one that it wrote.
  __device__ std::uint32_t added_bits(std::int64_t word, int bitmap) const {
    return view_.reached[bitmap][word] & ~view_.reached[1 - bitmap][word];
  }

 private:
  const LevelSearchView& view_;
};

/// One thread's part of the search. `Place`, such as WholeGraph, knows which rows the device has.
template <class Place>
class LevelSearch {
 public:
  __device__ LevelSearch(const LevelSearchView& view, LevelMemory& memory, const Place& place)
      : view_(view), memory_(memory), state_(memory.state), place_(place) {}

  __device__ void run() {
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    if (threadIdx.x == 0) state_ = *view_.state;
    __syncthreads();
    for (int level = 0; level < levels_per_launch; ++level) {
      if (has_ended()) break;
      LevelCounts& counts = view_.counts[(level + 1) % n_level_counts];
      // Last read one level ago, before the barrier in between.
      if (grid.thread_rank() == 0) view_.counts[(level + 2) % n_level_counts] = {};
      search_level(grid, view_.counts[level % n_level_counts], counts);
      advance(counts, [&]() -> Frontier {
        return {static_cast<std::int64_t>(relaxed_load(counts.vertices)),
                static_cast<edge_t>(relaxed_load(counts.arcs))};
      });
    }
    if (grid.thread_rank() == 0) {
      *view_.state = state_;
      *view_.last_state = state_;
    }
  }

 protected:
  __device__ bool has_ended() const { return state_.vertices == 0 || state_.depth >= view_.limit; }

  /// Reaches the vertices one hop farther than the frontier, which `before` counts. The whole grid
  /// calls it.
  __device__ void search_level(const cooperative_groups::grid_group& grid, LevelCounts& before,
                               LevelCounts& counts) {
    const bool was_bottom_up = state_.bottom_up;
    choose_direction();
    if (was_bottom_up && !state_.bottom_up) {
      list_frontier(before);
      grid.sync();
      take_chunks(before);
    }
    if (state_.bottom_up) {
      search_bottom_up(counts);
    } else {
      search_top_down(counts);
    }
    grid.sync();
    if (const auto n = static_cast<std::int64_t>(relaxed_load(counts.long_rows)); n > 0) {
      search_long_rows(n, counts);
      grid.sync();
    }
  }

  __device__ int warp() const { return static_cast<int>(threadIdx.x) / cuda::warp_lanes; }
  __device__ QueueAppender appender(LevelCounts& counts) const {
    return {view_.graph, view_.queue + state_.first_chunk + state_.n_chunks, counts.chunks,
            memory_.buffers[warp()]};
  }

  __device__ void count(bool reached, edge_t degree) {
    vertices_ += reached ? 1 : 0;
    arcs_ += reached ? static_cast<unsigned long long>(degree) : 0;
  }

  /// Appends the frontier that a bottom-up level left, to the end of the queue.
  __device__ void list_frontier(LevelCounts& counts) {
    QueueAppender queue = appender(counts);
    const auto added_bits = [&](std::int64_t word) {
      return place_.added_bits(word, state_.bitmap);
    };
    const auto append = [&](std::int64_t word, std::uint32_t added) {
      const auto v = static_cast<vertex_t>(word * 32 + cuda::lane());
      // Vertices without arcs have a bit, too.
      const bool is_listed = (added >> cuda::lane() & 1u) != 0 && view_.hops[v] == state_.depth;
      queue.make_room(1);
      queue.append(is_listed, place_.row(v));
    };
    cuda::visit_words(place_.first_word(), place_.end_word(), added_bits, append);
    queue.flush();
  }

  __device__ void search_top_down(LevelCounts& counts) {
    QueueAppender queue = appender(counts);
    typename Place::Outbox outbox = place_.outbox(warp());
    const RowChunk* const frontier = view_.queue + state_.first_chunk;
    // A loop for each step, so that its reads overlap.
    visit_queue<arcs_at_a_time>(view_.graph, frontier, state_.n_chunks,
                                [&](const LaneArcs(&arcs)[arcs_at_a_time]) {
                                  queue.make_room(arcs_at_a_time);
                                  outbox.make_room(arcs_at_a_time);
                                  bool reached[arcs_at_a_time];
#pragma unroll
                                  for (int i = 0; i < arcs_at_a_time; ++i)
                                    reached[i] = is_open(arcs[i].head);
#pragma unroll
                                  for (int i = 0; i < arcs_at_a_time; ++i) {
                                    reached[i] = reached[i] && set_bit(arcs[i].head);
                                  }
#pragma unroll
                                  for (int i = 0; i < arcs_at_a_time; ++i) {
                                    const vertex_t head = arcs[i].head;
                                    const bool is_own = reached[i] && place_.owns(head);
                                    if (is_own) view_.hops[head] = state_.depth + 1;
                                    vertices_ += is_own ? 1 : 0;
                                    queue.append(is_own, place_.row(head));
                                    outbox.append(reached[i] && !is_own, head);
                                  }
                                });
    queue.flush();
    outbox.flush();
    arcs_ += queue.arcs();
    add_up(counts);
  }

  /// Returns whether v is a vertex without a bit.
  __device__ bool is_open(vertex_t v) const {
    if (v == no_vertex) return false;
    return (relaxed_load(view_.reached[state_.bitmap][v / 32]) >> (v % 32) & 1u) == 0;
  }

  /// Sets the bit of v and returns whether this thread was the first to do so.
  __device__ bool set_bit(vertex_t v) const {
    const std::uint32_t bit = 1u << (v % 32);
    return (atomicOr(&view_.reached[state_.bitmap][v / 32], bit) & bit) == 0;
  }

  __device__ void search_bottom_up(LevelCounts& counts) {
    const std::uint32_t* const before = view_.reached[state_.bitmap];
    std::uint32_t* const after = view_.reached[1 - state_.bitmap];
    const auto open_bits = [&](std::int64_t word) {
      const std::uint32_t seen = before[word];
      after[word] = seen;
      return ~seen;
    };
    const auto search = [&](std::int64_t word, std::uint32_t open) {
      const std::int64_t v = word * 32 + cuda::lane();
      const bool is_open = (open >> cuda::lane() & 1u) != 0 && place_.has_row(v);
      const std::uint32_t found = search_word(static_cast<vertex_t>(v), is_open, counts);
      if (found != 0 && cuda::lane() == 0) after[word] = ~open | found;
    };
    cuda::visit_words(place_.first_word(), place_.end_word(), open_bits, search);
    add_up(counts);
  }

  /// Returns the bits of the vertices of a word that were reached, or that have no arcs.
  __device__ std::uint32_t search_word(vertex_t v, bool is_open, LevelCounts& counts) {
    const std::uint32_t* const before = view_.reached[state_.bitmap];
    const CsrPattern& graph = view_.transposed;
    const vertex_t own_row = place_.row(v);
    edge_t e = is_open ? graph.begin(own_row) : 0;
    const edge_t end = is_open ? graph.end(own_row) : 0;
    const bool is_isolated = is_open && e == end && view_.graph.degree(own_row) == 0;
    bool reached = lane_finds(before, e, end);
    const edge_t left = reached ? 0 : end - e;
    reached =
        warp_finds_each(before, e, left > max_shared_arcs ? 0 : static_cast<int>(left)) || reached;
    unsigned rest = __ballot_sync(cuda::all_lanes, left > max_shared_arcs);
    for (; rest != 0; rest &= rest - 1) {
      const int owner = cuda::first_lane(rest);
      const edge_t last = __shfl_sync(cuda::all_lanes, end, owner);
      const edge_t first = __shfl_sync(cuda::all_lanes, e, owner);
      const edge_t tried = last - first < max_warp_arcs ? last : first + max_warp_arcs;
      const bool hit = warp_finds(before, first, tried);
      if (cuda::lane() == owner) reached = hit;
      if (!hit && tried < last) {
        const vertex_t vertex = __shfl_sync(cuda::all_lanes, v, owner);
        append_chunks(view_.long_rows, counts.long_rows, vertex,
                      chunks_of(graph.degree(place_.row(vertex)), max_warp_arcs));
      }
    }
    if (reached) view_.hops[v] = state_.depth + 1;
    count(reached, reached ? view_.graph.degree(own_row) : 0);
    return __ballot_sync(cuda::all_lanes, reached || is_isolated);
  }

  /// Returns whether one of the first arcs of this lane's row leads to a bit; `e` is the first arc
  /// that was not tried, if none does. The first arc alone does where hubs have the smallest
  /// numbers. Heads are read before the bits of those before them are tested.
  __device__ bool lane_finds(const std::uint32_t* bitmap, edge_t& e, edge_t end) const {
    if (e >= end) return false;
    RowHeads read(view_.transposed.heads, e, end);
    if (cuda::has_bit(bitmap, read.heads[0])) return true;
    for (int tried = 0; tried < arcs_per_lane && e < end; tried += arcs_at_a_time) {
      const RowHeads next(view_.transposed.heads, e + arcs_at_a_time, end);
      bool hit = false;
      for (const vertex_t head : read.heads) hit |= cuda::has_bit(bitmap, head);
      if (hit) return true;
      read = next;
      e = e + arcs_at_a_time < end ? e + arcs_at_a_time : end;
    }
    return false;
  }

  /// Divides the `n_arcs` arcs from position `begin` on of each lane's row among the lanes. Returns
  /// whether one of this lane's own arcs leads to a bit.
  __device__ bool warp_finds_each(const std::uint32_t* bitmap, edge_t begin, int n_arcs) const {
    const int start = cuda::warp_exclusive_sum(n_arcs);
    const int total = __shfl_sync(cuda::all_lanes, start + n_arcs, cuda::warp_lanes - 1);
    bool found = false;
    for (int first = 0; first < total; first += arcs_at_a_time * cuda::warp_lanes) {
      vertex_t heads[arcs_at_a_time];
      for (int i = 0; i < arcs_at_a_time; ++i) {
        const int arc = first + i * cuda::warp_lanes + cuda::lane();
        const edge_t row = __shfl_sync(cuda::all_lanes, begin - start, cuda::owner_of(arc, start));
        heads[i] = arc < total ? view_.transposed.heads[row + arc] : no_vertex;
      }
      for (int i = 0; i < arcs_at_a_time; ++i) {
        const unsigned hits = __ballot_sync(
            cuda::all_lanes, heads[i] != no_vertex && cuda::has_bit(bitmap, heads[i]));
        const int own = start - first - i * cuda::warp_lanes;
        found = found || (hits & cuda::lanes_between(own, own + n_arcs)) != 0;
      }
    }
    return found;
  }

  __device__ bool warp_finds(const std::uint32_t* bitmap, edge_t first, edge_t last) const {
    for (; first < last; first += cuda::warp_lanes) {
      const edge_t e = first + cuda::lane();
      const bool hit = e < last && cuda::has_bit(bitmap, view_.transposed.heads[e]);
      if (__any_sync(cuda::all_lanes, hit)) return true;
    }
    return false;
  }

  /// Searches the chunks of long rows, the second part of a bottom-up level. Warps that find the
  /// same vertex agree by its bit.
  __device__ void search_long_rows(std::int64_t n, LevelCounts& counts) {
    const std::uint32_t* const before = view_.reached[state_.bitmap];
    for (std::int64_t i = cuda::global_warp(); i < n; i += cuda::n_global_warps()) {
      const RowChunk row = view_.long_rows[i];
      const vertex_t own_row = place_.row(row.vertex);
      const edge_t end = view_.transposed.end(own_row);
      const edge_t first = view_.transposed.begin(own_row) + edge_t{row.chunk} * max_warp_arcs;
      const edge_t last = end - first < max_warp_arcs ? end : first + max_warp_arcs;
      const bool hit = warp_finds(before, first, last);
      const std::uint32_t bit = 1u << (row.vertex % 32);
      std::uint32_t& word = view_.reached[1 - state_.bitmap][row.vertex / 32];
      const bool reached = hit && cuda::lane() == 0 && (atomicOr(&word, bit) & bit) == 0;
      if (reached) view_.hops[row.vertex] = state_.depth + 1;
      count(reached, reached ? view_.graph.degree(own_row) : 0);
    }
    add_up(counts);
  }

  /// Adds the block's counts to those of the level. All threads of the block call it.
  __device__ void add_up(LevelCounts& counts) {
    memory_.sums.add(vertices_, arcs_, counts.vertices, counts.arcs);
    vertices_ = arcs_ = 0;
  }

  // The functions that change the state. All threads of the block call them, at the same time.

  __device__ void choose_direction() {
    __syncthreads();
    if (threadIdx.x == 0) {
      state_.bottom_up = state_.heuristic.bottom_up(state_.vertices, state_.arcs);
    }
    __syncthreads();
  }

  __device__ void take_chunks(const LevelCounts& counts) {
    if (threadIdx.x == 0) state_.n_chunks = static_cast<std::int64_t>(relaxed_load(counts.chunks));
    __syncthreads();
  }

  /// Goes on to the frontier that `counts` has counted on this device. One thread calls frontier(),
  /// which returns its size on all devices.
  template <class Size>
  __device__ void advance(const LevelCounts& counts, Size&& frontier) {
    if (threadIdx.x == 0) {
      if (Place::swaps_bitmaps && state_.bottom_up) state_.bitmap = 1 - state_.bitmap;
      state_.first_chunk += state_.n_chunks;
      // After a bottom-up level, another block may have begun to list the frontier.
      state_.n_chunks =
          state_.bottom_up ? 0 : static_cast<std::int64_t>(relaxed_load(counts.chunks));
      ++state_.depth;
      const Frontier next = frontier();
      state_.vertices = next.vertices;
      state_.arcs = next.arcs;
      state_.n_reached += state_.vertices;
    }
    __syncthreads();
  }

  const LevelSearchView& view_;
  LevelMemory& memory_;
  LevelState& state_;
  const Place place_;
  unsigned long long vertices_ = 0;
  unsigned long long arcs_ = 0;
};

}  // namespace warpgraph::bfs_detail
