// The kernel of bfs_from_many_cuda: breadth-first search from the sources of a batch at once, a bit
// each, one level after the other. As in level_search.cuh, many levels run in one cooperative
// launch, and all threads compute from the counts of a level how to search the next.
//
// A set has n_words words per vertex; n_words adjacent lanes access the set of a vertex together,
// so with four words (256 sources) an arc takes one access of 32 bytes, a sector of the cache. The
// sources of a vertex are in three sets: `before`, that reached it before this level; `reached`,
// the same and those found in this level; `frontier`, those that found it in the last level.
//
// A level has two phases with a grid barrier after each. The first sets bits of `reached`, and
// marks the vertices that got some in the bitmap `touched`:
//
//   push  The frontier of a queued vertex goes to all heads of its arcs, by atomic operations for
//         the words that lack a bit. Reading the word first saves most of them. A stale word lacks
//         bits, which only costs an operation: bits are never cleared.
//   pull  A vertex that some active source has not reached collects `before` of its neighbours,
//         until it has all active sources. Active are those that found a vertex in the last level:
//         without this distinction, a source in a component of its own would keep every vertex
//         waiting for it. Only of a symmetric graph, whose neighbours have arcs to the vertex.
//         `before` serves as well as the frontier, which would have to be cleared: a source that
//         reached a neighbour in an earlier level has reached this vertex since.
//
// The second phase visits touched vertices: reached - before is what this level found. It becomes
// the vertex's frontier, the level's number goes to the bit planes of hop_planes.cuh, and the row
// to the queue. No other warp has the vertex then, so it needs no atomic operations.
//
// Balance: as in level_search.cuh. The queue has chunks of rows, and a warp divides the arcs of 32
// chunks evenly among its lanes. To pull, a warp visits one row after the other, 32 arcs at a time;
// rows of more than one chunk are left to all warps of the grid, chunk by chunk.
//
// Memory traffic of a level for four words: per arc 4 bytes and a sector, in `reached` to push and
// in `before` to pull; the tail's frontier comes from the L1 cache, since the arcs of a row follow
// each other. Per touched vertex four sectors, and two for each plane.
#pragma once

#include "algorithms/bfs/from_many/hop_planes.cuh"
#include "core/atomics.hpp"
#include "core/cuda/warp.cuh"
#include "graph/csr.hpp"
#include "primitives/chunk_queue.cuh"

#include <cooperative_groups.h>

namespace warpgraph::bfs_detail {

/// Arcs over which pulling costs as much as pushing over one: pushing takes an access and
/// operations on the missing bits, pulling an access.
inline constexpr edge_t cost_of_push = 2;
/// Bounds of a launch, after which the host reacts to Ctrl-C: levels at several microseconds or
/// more each, and arcs at up to 64 bytes, a twentieth of a second.
inline constexpr int batch_levels_per_launch = 2048;
inline constexpr edge_t batch_arcs_per_launch = edge_t{1} << 31;

inline constexpr int max_words = 4;

/// The counts that a level adds up for the next one.
struct BatchLevelCounts {
  unsigned long long chunks;       // in the queue
  unsigned long long long_rows;    // chunks of rows left to the grid
  unsigned long long arcs;         // that leave the frontier
  unsigned long long closed_arcs;  // of vertices that the last active source has reached
  word_t active[max_words];        // sources that found a vertex
};

/// The state of a search between two levels.
struct BatchLevelState {
  vertex_t depth;  // of the frontier; -1: the sources are touched, but not yet in the queue
  std::int64_t n_chunks;
  edge_t arcs;               // that leave the frontier
  edge_t open_arcs;          // at least those of vertices that some active source has not reached
  word_t active[max_words];  // sources that have a frontier
};

struct BatchLevelView {
  CsrPattern graph;
  bool is_symmetric;
  vertex_t limit;
  HopPlanes hops;
  word_t* before;
  word_t* frontier;
  std::uint32_t* touched;  // bitmap of vertices; empty between levels
  RowChunk* queue;
  RowChunk* long_rows;
  BatchLevelCounts* counts;  // used in turn by even and odd levels
  BatchLevelState* state;
};

/// The shared memory of a block.
struct BatchLevelMemory {
  BatchLevelState state;
  vertex_t buffers[queue_warps][warp_buffer_size];
  BlockSums sums;
  word_t active[max_words];
};

/// One thread's part of the search.
template <int n_words>
class BatchLevelSearch {
 public:
  __device__ BatchLevelSearch(const BatchLevelView& view, BatchLevelMemory& memory)
      : view_(view), memory_(memory), state_(memory.state) {}

  __device__ void run() {
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    if (threadIdx.x == 0) state_ = *view_.state;
    __syncthreads();
    edge_t work = 0;
    for (int level = 0; level < batch_levels_per_launch && work < batch_arcs_per_launch; ++level) {
      if (!has_level()) break;
      BatchLevelCounts& counts = view_.counts[(level + 1) % 2];
      if (state_.depth >= 0) {
        const bool pulls = gains_by_pulling();
        work += pulls ? state_.open_arcs : state_.arcs;
        if (pulls) {
          pull_level(counts);
        } else {
          push_level();
        }
        grid.sync();
        if (const auto n = static_cast<std::int64_t>(relaxed_load(counts.long_rows)); n > 0) {
          pull_long_rows(n);
          grid.sync();
        }
      }
      // Last read at the end of the last level, before the barrier in between.
      if (grid.thread_rank() == 0) view_.counts[level % 2] = BatchLevelCounts{};
      settle(counts);
      grid.sync();
      advance(counts);
    }
    if (grid.thread_rank() == 0) *view_.state = state_;
  }

 private:
  /// The number of sets that a warp accesses together.
  static constexpr int n_groups = cuda::warp_lanes / n_words;

  // Lanes: each has a word of the set of one of n_groups vertices.

  __device__ static int word_of_lane() { return cuda::lane() % n_words; }
  __device__ static int group_of_lane() { return cuda::lane() / n_words; }
  /// Returns whether the group that had this lane's vertex has a bit in the ballot of step i. In
  /// step i of n_words, the groups have the vertices of the lanes i * n_groups and following.
  __device__ static bool is_in(unsigned ballot, int i) {
    constexpr unsigned group = (1u << n_words) - 1;
    return cuda::lane() / n_groups == i &&
           (ballot >> (cuda::lane() % n_groups * n_words) & group) != 0;
  }
  __device__ static std::int64_t place_of(vertex_t v) {
    return std::int64_t{v} * n_words + word_of_lane();
  }

  /// Returns the active sources in this lane's word.
  __device__ word_t active_sources() const { return state_.active[word_of_lane()]; }

  __device__ std::int64_t n_blocks() const {
    return (std::int64_t{view_.graph.n_vertices} + cuda::warp_lanes - 1) / cuda::warp_lanes;
  }

  // The decisions on what comes next. All threads get the same answers.

  __device__ bool has_level() const {
    if (state_.depth < 0) return true;
    return state_.n_chunks > 0 && state_.depth < view_.limit &&
           (std::int64_t{state_.depth} + 1) >> view_.hops.n_planes == 0;
  }
  __device__ bool gains_by_pulling() const {
    return view_.is_symmetric && state_.open_arcs < cost_of_push * state_.arcs;
  }

  // The first phase: pushing.

  __device__ void push_level() {
    visit_queue<1>(view_.graph, view_.queue, state_.n_chunks,
                   [&](const LaneArcs(&arcs)[1]) { push(arcs[0].tail(), arcs[0].head); });
  }

  /// Adds the frontiers of the lanes' tails to their heads.
  __device__ void push(vertex_t tail, vertex_t head) {
    word_t missing[n_words];
#pragma unroll
    for (int i = 0; i < n_words; ++i) {
      const int arc = i * n_groups + group_of_lane();
      const vertex_t from = __shfl_sync(cuda::all_lanes, tail, arc);
      const vertex_t to = __shfl_sync(cuda::all_lanes, head, arc);
      missing[i] = to == no_vertex ? 0
                                   : view_.frontier[place_of(from)] &
                                         ~cached_load(view_.hops.reached[place_of(to)]);
    }
    bool is_new = false;
#pragma unroll
    for (int i = 0; i < n_words; ++i) {
      const int arc = i * n_groups + group_of_lane();
      const vertex_t to = __shfl_sync(cuda::all_lanes, head, arc);
      if (missing[i] != 0) atomicOr(&view_.hops.reached[place_of(to)], missing[i]);
      is_new |= is_in(__ballot_sync(cuda::all_lanes, missing[i] != 0), i);
    }
    if (is_new) touch(head);
  }

  __device__ void touch(vertex_t v) const {
    std::uint32_t& word = view_.touched[v / 32];
    const std::uint32_t bit = 1u << (v % 32);
    if ((relaxed_load(word) & bit) == 0) atomicOr(&word, bit);
  }

  // The first phase: pulling.

  __device__ void pull_level(BatchLevelCounts& counts) {
    for (std::int64_t block = cuda::global_warp(); block < n_blocks();
         block += cuda::n_global_warps()) {
      const auto first = static_cast<vertex_t>(block * cuda::warp_lanes);
      const bool is_open = lacks_sources(first);
      const edge_t begin = is_open ? view_.graph.begin(first + cuda::lane()) : 0;
      const edge_t end = is_open ? view_.graph.end(first + cuda::lane()) : 0;
      const unsigned found = pull_rows(first, begin, end, counts);
      // This warp alone has these vertices, but for long rows, which come after a barrier.
      if (found != 0 && cuda::lane() == 0) view_.touched[block] = found;
    }
  }

  /// Returns whether some active source has not reached vertex first + lane().
  __device__ bool lacks_sources(vertex_t first) const {
    bool is_open = false;
#pragma unroll
    for (int i = 0; i < n_words; ++i) {
      const std::int64_t v = std::int64_t{first} + i * n_groups + group_of_lane();
      const bool lacks =
          v < view_.graph.n_vertices &&
          (active_sources() & ~view_.hops.reached[v * n_words + word_of_lane()]) != 0;
      is_open |= is_in(__ballot_sync(cuda::all_lanes, lacks), i);
    }
    return is_open;
  }

  /// Pulls over begin .. end of each lane, the row of vertex first + lane(). Returns the bits of
  /// the vertices that got sources.
  __device__ unsigned pull_rows(vertex_t first, edge_t begin, edge_t end,
                                BatchLevelCounts& counts) const {
    unsigned found = 0;
    for (unsigned rows = __ballot_sync(cuda::all_lanes, begin < end); rows != 0; rows &= rows - 1) {
      const int owner = cuda::first_lane(rows);
      const edge_t row_begin = __shfl_sync(cuda::all_lanes, begin, owner);
      const edge_t row_end = __shfl_sync(cuda::all_lanes, end, owner);
      if (row_end - row_begin > chunk_arcs) {
        append_chunks(view_.long_rows, counts.long_rows, first + owner,
                      chunks_of(row_end - row_begin, chunk_arcs));
      } else if (pull(first + owner, row_begin, row_end)) {
        found |= 1u << owner;
      }
    }
    return found;
  }

  __device__ void pull_long_rows(std::int64_t n) const {
    for (std::int64_t i = cuda::global_warp(); i < n; i += cuda::n_global_warps()) {
      const RowChunk row = view_.long_rows[i];
      const edge_t end = view_.graph.end(row.vertex);
      const edge_t first = view_.graph.begin(row.vertex) + edge_t{row.chunk} * chunk_arcs;
      const edge_t last = end - first < chunk_arcs ? end : first + chunk_arcs;
      if (pull(row.vertex, first, last) && cuda::lane() == 0) touch(row.vertex);
    }
  }

  /// Adds to v the sources that have reached the heads of the arcs first .. last, until no active
  /// source is missing. Other warps may have other chunks of the row. Returns whether v got
  /// sources.
  __device__ bool pull(vertex_t v, edge_t first, edge_t last) const {
    word_t& reached = view_.hops.reached[place_of(v)];
    const word_t missing = active_sources() & ~relaxed_load(reached);
    word_t found = 0;
    for (; first < last && __any_sync(cuda::all_lanes, (missing & ~found) != 0);
         first += cuda::warp_lanes) {
      const edge_t e = first + cuda::lane();
      const vertex_t head = e < last ? view_.graph.heads[e] : no_vertex;
      found |= collect(head);
    }
    found &= missing;
    if (found != 0 && group_of_lane() == 0) atomicOr(&reached, found);
    return __any_sync(cuda::all_lanes, found != 0);
  }

  /// Returns this lane's word of the union of the sources that reached the lanes' vertices.
  __device__ word_t collect(vertex_t v) const {
    word_t all = 0;
#pragma unroll
    for (int i = 0; i < n_words; ++i) {
      const vertex_t from = __shfl_sync(cuda::all_lanes, v, i * n_groups + group_of_lane());
      if (from != no_vertex) all |= view_.before[place_of(from)];
    }
    return in_all_groups(all);
  }

  /// Returns the union of the groups' sets, in every group.
  __device__ static word_t in_all_groups(word_t set) {
#pragma unroll
    for (int step = n_words; step < cuda::warp_lanes; step *= 2) {
      set |= __shfl_xor_sync(cuda::all_lanes, set, step);
    }
    return set;
  }

  // The second phase.

  /// Makes the vertices that this level has found the next frontier.
  __device__ void settle(BatchLevelCounts& counts) {
    QueueAppender queue(view_.graph, view_.queue, counts.chunks,
                        memory_.buffers[threadIdx.x / cuda::warp_lanes]);
    unsigned long long arcs = 0;
    unsigned long long closed_arcs = 0;
    word_t active = 0;
    const std::int64_t share = share_of_warp(n_blocks());
    for (std::int64_t blocks = cuda::global_warp() * share; blocks < n_blocks();
         blocks += cuda::n_global_warps() * share) {
      const std::uint32_t own = take_touched(blocks, share);
      for (unsigned rest = __ballot_sync(cuda::all_lanes, own != 0); rest != 0; rest &= rest - 1) {
        const int owner = cuda::first_lane(rest);
        const auto first = static_cast<vertex_t>((blocks + owner) * cuda::warp_lanes);
        const Settled vertex =
            settle_block(first, __shfl_sync(cuda::all_lanes, own, owner), active);
        const edge_t degree = vertex.is_new ? view_.graph.degree(first + cuda::lane()) : 0;
        arcs += static_cast<unsigned long long>(degree);
        closed_arcs += vertex.is_closed ? static_cast<unsigned long long>(degree) : 0;
        queue.make_room(1);
        queue.append(vertex.is_new, first + cuda::lane());
      }
    }
    queue.flush();
    add_active(active, counts);
    memory_.sums.add(arcs, closed_arcs, counts.arcs, counts.closed_arcs);
  }

  /// Takes the bits of 32 touched vertices for each of `share` lanes.
  __device__ std::uint32_t take_touched(std::int64_t blocks, std::int64_t share) const {
    const std::int64_t block = blocks + cuda::lane();
    if (cuda::lane() >= share || block >= n_blocks()) return 0;
    const std::uint32_t touched = view_.touched[block];
    if (touched != 0) view_.touched[block] = 0;
    return touched;
  }

  /// Adds this block's part of the sources that found a vertex. All threads call it.
  __device__ void add_active(word_t active, BatchLevelCounts& counts) {
    if (threadIdx.x < n_words) memory_.active[threadIdx.x] = 0;
    __syncthreads();
    active = in_all_groups(active);
    if (active != 0 && group_of_lane() == 0) atomicOr(&memory_.active[word_of_lane()], active);
    __syncthreads();
    if (threadIdx.x >= n_words) return;
    const word_t missing = memory_.active[threadIdx.x] & ~relaxed_load(counts.active[threadIdx.x]);
    if (missing != 0) atomicOr(&counts.active[threadIdx.x], missing);
  }

  struct Settled {
    bool is_new;     // a source has found it in this level
    bool is_closed;  // all active sources have reached it
  };

  /// Settles 32 vertices, those with a bit in `touched`. Returns the state of vertex first +
  /// lane(). Adds to `active` the sources that were found in this lane's word.
  __device__ Settled settle_block(vertex_t first, std::uint32_t touched, word_t& active) const {
    bool is_new = false;
    bool is_open = false;
#pragma unroll
    for (int i = 0; i < n_words; ++i) {
      const int vertex = i * n_groups + group_of_lane();
      word_t found = 0;
      bool lacks = false;
      if ((touched >> vertex & 1u) != 0) {
        const std::int64_t place = place_of(first + vertex);
        const word_t reached = view_.hops.reached[place];
        found = reached & ~view_.before[place];
        lacks = (active_sources() & ~reached) != 0;
        view_.before[place] = reached;
        view_.frontier[place] = found;
        active |= found;
        if (found != 0) write_depth(place, found);
      }
      is_new |= is_in(__ballot_sync(cuda::all_lanes, found != 0), i);
      is_open |= is_in(__ballot_sync(cuda::all_lanes, lacks), i);
    }
    return {is_new, is_new && !is_open};
  }

  __device__ void write_depth(std::int64_t place, word_t found) const {
    for (auto bits = static_cast<unsigned>(state_.depth + 1); bits != 0; bits &= bits - 1) {
      view_.hops.planes[__ffs(static_cast<int>(bits)) - 1][place] |= found;
    }
  }

  __device__ void advance(const BatchLevelCounts& counts) {
    if (threadIdx.x == 0) {
      ++state_.depth;
      state_.n_chunks = static_cast<std::int64_t>(relaxed_load(counts.chunks));
      state_.arcs = static_cast<edge_t>(relaxed_load(counts.arcs));
      state_.open_arcs -= static_cast<edge_t>(relaxed_load(counts.closed_arcs));
      for (int w = 0; w < n_words; ++w) state_.active[w] = relaxed_load(counts.active[w]);
    }
    __syncthreads();
  }

  const BatchLevelView& view_;
  BatchLevelMemory& memory_;
  BatchLevelState& state_;
};

}  // namespace warpgraph::bfs_detail
