// The kernel of connected_components_cuda: Afforest [1 in connected_components.hpp] in one
// cooperative launch. Grid barriers, of about a microsecond, separate its steps:
//
//   grow_giant           in a graph with a hub, the giant component grows from that:
//   hub_growth.cuh.
//                        The first three steps below are left out then.
//   unite_within_tiles   a block unites along the sampled arcs, the first two of each row, within a
//                        tile of consecutive vertices: first each vertex is attached to the
//                        smallest of its heads there, and paths are halved until they end. The
//                        tile's parents are in shared memory, and are written once.
//   unite_across_tiles   the sampled arcs that leave a tile, by compare-and-swap of parents.
//   flatten              each block takes the most frequent root of the same sampled vertices for
//                        the giant component's; all vertices get their root as the parent, and the
//                        giant component's a bit.
//   unite_remaining      the other arcs, of vertices outside the giant component. If every arc is
//                        stored both ways, an arc that leaves the giant component is found from its
//                        other end, and its rows are not read. Otherwise they are, and each head is
//                        tested for its bit. Warps divide the arcs of 32 rows evenly among their
//                        lanes; the chunks of long rows are left to all warps, after a barrier.
//   count_roots          again all vertices outside the giant component get their roots as parents.
//                        Each warp counts the roots in its share of the vertices.
//   number_roots         roots get their numbers: the count of roots before them.
//   write_labels         each vertex gets its root's number.
//
// Where neighbours have near numbers, as on roads and meshes, the tiles unite most vertices: a grid
// of 4900 x 4900 has 1.2 M sets afterwards, whose parents fit the L2 cache. Neighbouring lanes have
// arcs between the same two sets then, and only the first of them unites these. Uniting takes about
// ten reads, one after the other, so a warp collects pairs until every lane has one.
//
// Least memory traffic for n vertices, with o bytes per offset, if all is in the giant component:
// twice the offsets and the sectors of sampled arcs (32 bytes, or the whole row if that is less);
// the parents are written, read, read and written as labels. That is n * (2 * o + 64 + 16) bytes:
// 0.37 GB for a graph of 4.2 M vertices, or a tenth of a millisecond on an H200; for the grid,
// whose rows have 16 bytes, 1.3 GB or 0.35 ms. The rest of the time goes to dependent reads of
// parents.
#pragma once

#include "algorithms/connected_components/afforest/hub_growth.cuh"
#include "algorithms/connected_components/afforest/pending_pairs.cuh"
#include "algorithms/connected_components/afforest/root_numbers.cuh"
#include "algorithms/connected_components/afforest/view.cuh"
#include "core/cuda/containers/bitmap_words.cuh"

#include <cooperative_groups.h>

namespace warpgraph::afforest {

/// The shared memory of a block. Grid barriers separate the uses of the union.
struct Memory {
  union {
    vertex_t tile[tile_vertices];  // parents within the tile
    PairBuffer pending[warps_per_block];
    cuda::WarpStage<Pair> stages[warps_per_block];  // for the lists of a team
  };
  std::int64_t frequent[warps_per_block];
  vertex_t warp_roots[warps_per_block];  // for RootNumbers
};

/// One thread's part of the search for components.
template <Extent extent>
class Components : protected Rows<extent> {
 public:
  __device__ Components(const View& view, Memory& memory)
      : Rows<extent>(view),
        graph_(view.graph),
        memory_(memory),
        sets_{view.labels},
        pairs_(sets_, memory.pending[warp_in_block()]) {}

  __device__ void run() {
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const WordSlice all{0, n_words(graph_.n_vertices)};
    if (!grow_giant(grid)) {
      unite_sampled(grid);
      giant_ = frequent_root(sets_);
      flatten(all, [](std::int64_t, std::int64_t, vertex_t, unsigned) {});
      grid.sync();
    }
    unite_rest(grid);
    const RootNumbers numbers = number(grid, all);
    grid.sync();
    numbers.write_labels(
        [&](vertex_t root) { return RootNumbers::number_at(view_.labels[root], 0); });
  }

 protected:
  using Grid = cooperative_groups::grid_group;
  using Rows<extent>::view_;
  using Rows<extent>::first_row;
  using Rows<extent>::end_row;
  using Rows<extent>::has_row;
  using Rows<extent>::row_begin;
  using Rows<extent>::row_end;

  /// Grows the giant component from the hub, instead of uniting along sampled arcs. Returns false
  /// if the graph has no hub or that of a small component.
  __device__ bool grow_giant(const Grid& grid) {
    if (view_.hub == no_vertex) return false;
    const HubGrowth<extent> growth(view_);
    growth.clear();
    grid.sync();
    growth.join(view_.hub, graph_, first_row());
    auto left = static_cast<unsigned long long>(graph_.n_vertices);
    for (int pass = 0; pass < max_passes; ++pass) {
      grid.sync();
      growth.pass(pass);
      grid.sync();
      const unsigned long long before = left;
      left = relaxed_load(view_.n_left[pass]);
      if (!gains_by_pass(left, before, graph_.n_vertices)) break;
    }
    if (!is_giant_found(left, graph_.n_vertices)) return false;
    begin_grown(growth.write_parents());
    grid.sync();
    return true;
  }

  /// Goes on with a giant component that has grown from a hub: no arcs were sampled.
  __device__ void begin_grown(vertex_t root) {
    giant_ = root;
    n_sampled_ = 0;
    if (cuda::global_index() == 0) *view_.n_long_rows = 0;
  }

  /// Unites along the sampled arcs of all rows.
  __device__ void unite_sampled(const Grid& grid) {
    if (grid.thread_rank() == 0) *view_.n_long_rows = 0;
    unite_within_tiles();
    grid.sync();
    unite_across_tiles();
    grid.sync();
  }

  /// Unites along the other arcs.
  __device__ void unite_rest(const Grid& grid) {
    unite_remaining();
    grid.sync();
    if (const auto n = static_cast<std::int64_t>(*view_.n_long_rows); n > 0) {
      unite_long_rows(n);
      grid.sync();
    }
  }

  /// Numbers the roots of a slice; a barrier has to come before their labels are written.
  __device__ RootNumbers number(const Grid& grid, WordSlice slice) {
    if (giant_ != no_vertex) giant_ = sets_.root<CachedReads>(giant_);
    const RootNumbers numbers(view_, slice, memory_.warp_roots, giant_);
    const vertex_t n_roots = numbers.count_roots();
    grid.sync();
    numbers.number_roots(n_roots);
    return numbers;
  }

  /// Returns the k-th head of a row of vertices.
  __device__ vertex_t sampled_head(edge_t begin, edge_t end, int k) const {
    return begin + k < end ? graph_.heads[begin + k] : no_vertex;
  }

  /// Unites along the sampled arcs within tiles. Vertices of tiles without rows are alone.
  __device__ void unite_within_tiles() const {
    const UnionFind tile{memory_.tile};
    const std::int64_t n = graph_.n_vertices;
    const std::int64_t stride = std::int64_t{gridDim.x} * tile_vertices;
    for (std::int64_t first = std::int64_t{blockIdx.x} * tile_vertices; first < n;
         first += stride) {
      if (extent == Extent::part && (first >= end_row() || first + tile_vertices <= first_row())) {
        for (std::int64_t v = first + threadIdx.x; v < min(n, first + tile_vertices);
             v += block_threads) {
          sets_.make_singleton(static_cast<vertex_t>(v));
        }
        continue;
      }
      const auto start = static_cast<vertex_t>(first);
      const auto size =
          static_cast<vertex_t>(n - first < tile_vertices ? n - first : tile_vertices);
      vertex_t heads[vertices_per_thread][sampled_arcs];
      for (int i = 0; i < vertices_per_thread; ++i) {
        const vertex_t v = static_cast<vertex_t>(threadIdx.x + i * block_threads);
        const bool exists = has_row(first + v);
        const edge_t begin = exists ? row_begin(start + v) : 0;
        const edge_t end = exists ? row_end(start + v) : 0;
        for (int k = 0; k < sampled_arcs; ++k) {
          const vertex_t head = sampled_head(begin, end, k);
          heads[i][k] = head >= start && head - start < size ? head - start : v;
        }
        tile.parent[v] = smallest(v, heads[i]);
      }
      jump_to_roots(tile);
      for (int i = 0; i < vertices_per_thread; ++i) {
        const vertex_t v = static_cast<vertex_t>(threadIdx.x + i * block_threads);
        for (const vertex_t head : heads[i]) {
          if (relaxed_load(tile.parent[head]) != relaxed_load(tile.parent[v])) tile.unite(v, head);
        }
      }
      __syncthreads();
      for (vertex_t v = static_cast<vertex_t>(threadIdx.x); v < size; v += block_threads) {
        sets_.parent[start + v] = start + tile.root(v);
      }
      __syncthreads();
    }
  }

  /// Returns the smallest of v's sampled heads and v. It becomes the parent without
  /// compare-and-swap, since no other thread writes it.
  __device__ static vertex_t smallest(vertex_t v, const vertex_t (&heads)[sampled_arcs]) {
    for (const vertex_t head : heads) v = head < v ? head : v;
    return v;
  }

  /// Attaches all vertices of a tile to their roots by pointer jumping: the length of paths halves
  /// each time. Where each vertex has its predecessor as the parent, as in the rows of a mesh,
  /// uniting one by one would follow these paths to their ends. A stale parent is an ancestor, too.
  __device__ static void jump_to_roots(UnionFind tile) {
    bool moved = true;
    while (__syncthreads_or(static_cast<int>(moved)) != 0) {
      moved = false;
      for (int i = 0; i < vertices_per_thread; ++i) {
        const auto v = static_cast<vertex_t>(threadIdx.x + i * block_threads);
        const vertex_t above = relaxed_load(tile.parent[v]);
        const vertex_t next = relaxed_load(tile.parent[above]);
        if (next == above) continue;
        relaxed_store(tile.parent[v], next);
        moved = true;
      }
    }
  }

  /// Unites along the sampled arcs that leave a tile. A lane takes two vertices at a time: their
  /// reads overlap, and half as many warps of a small graph compete for the same roots.
  __device__ void unite_across_tiles() {
    const std::int64_t end = end_row();
    const std::int64_t step = cuda::warp_lanes * vertices_per_lane;
    for (std::int64_t first = first_row() + cuda::global_warp() * step; first < end;
         first += cuda::n_global_warps() * step) {
      vertex_t parents[vertices_per_lane];
      vertex_t ends[vertices_per_lane][sampled_arcs];
      for (int i = 0; i < vertices_per_lane; ++i) {
        const std::int64_t v = first + i * cuda::warp_lanes + cuda::lane();
        const auto tail = static_cast<vertex_t>(v < end ? v : end - 1);
        const edge_t row = row_begin(tail);
        const edge_t next = v < end ? row_end(tail) : row;
        parents[i] = relaxed_load(sets_.parent[tail]);
        for (int k = 0; k < sampled_arcs; ++k) ends[i][k] = sampled_head(row, next, k);
      }
      for (int i = 0; i < vertices_per_lane; ++i) {
        const auto tail = static_cast<vertex_t>(first + i * cuda::warp_lanes + cuda::lane());
        for (vertex_t& head : ends[i]) {
          const bool leaves = head != no_vertex && head / tile_vertices != tail / tile_vertices;
          head = leaves ? relaxed_load(sets_.parent[head]) : parents[i];
        }
      }
      for (int i = 0; i < vertices_per_lane; ++i) {
        for (const vertex_t other : ends[i]) pairs_.add(parents[i], other);
      }
    }
    pairs_.unite_rest();
  }

  /// Returns the most frequent root of 32 samples of a warp, or of another warp where it is more
  /// frequent. All blocks find the same one, since the roots of `sets` do not change meanwhile. A
  /// component of a quarter of the vertices is found almost surely; no_vertex if none is found: a
  /// smaller one is not worth the reads of the bitmap.
  __device__ vertex_t frequent_root(UnionFind sets) const {
    // The samples of a warp are spread over all vertices.
    const std::int64_t sample = cuda::lane() * warps_per_block + warp_in_block();
    const auto v = static_cast<vertex_t>(sample * graph_.n_vertices / block_threads);
    const vertex_t root = sets.root<CachedReads>(v);
    const std::int64_t count = __popc(__match_any_sync(cuda::all_lanes, root));
    const std::int64_t best = cuda::warp_max(count << 32 | root);
    if (cuda::lane() == 0) memory_.frequent[warp_in_block()] = best;
    __syncthreads();
    std::int64_t most = 0;
    for (const std::int64_t other : memory_.frequent) most = other > most ? other : most;
    if (most >> 32 < least_frequency) return no_vertex;
    return static_cast<vertex_t>(most & 0xffffffff);
  }

  /// Attaches the vertices of a slice to their roots. Paths end at the giant component's root,
  /// whose own parent is not read. Warps call visit(word, v, root, giant component's bits) for the
  /// vertices v of a word, those after the last one included.
  template <class Visit>
  __device__ void flatten(WordSlice slice, const Visit& visit) const {
    const std::int64_t stride = cuda::n_global_warps() * words_per_step;
    for (std::int64_t word = slice.first + cuda::global_warp() * words_per_step; word < slice.end;
         word += stride) {
      vertex_t parents[words_per_step];
      vertex_t roots[words_per_step];
      for (int k = 0; k < words_per_step; ++k) {
        const std::int64_t v = (word + k) * cuda::warp_lanes + cuda::lane();
        parents[k] = v < graph_.n_vertices ? cached_load(sets_.parent[v]) : giant_;
      }
      for (int k = 0; k < words_per_step; ++k) {
        roots[k] = parents[k] == giant_ ? giant_ : cached_load(sets_.parent[parents[k]]);
      }
      for (int k = 0; k < words_per_step; ++k) {
        if (roots[k] != parents[k]) {
          if (roots[k] != giant_) roots[k] = sets_.root<CachedReads>(roots[k]);
          relaxed_store(sets_.parent[(word + k) * cuda::warp_lanes + cuda::lane()], roots[k]);
        }
        const unsigned bits = __ballot_sync(cuda::all_lanes, roots[k] == giant_);
        if (word + k >= slice.end) continue;
        if (cuda::lane() == 0) view_.giant[word + k] = bits;
        visit(word + k, (word + k) * cuda::warp_lanes + cuda::lane(), roots[k], bits);
      }
    }
  }

  __device__ void unite_remaining() {
    const auto rows_of = [&](std::int64_t word) {
      const std::uint32_t without_arcs = n_sampled_ == 0 ? view_.roots[word] : 0;
      return ~(without_arcs | (view_.symmetric ? view_.giant[word] : 0));
    };
    const std::int64_t first = first_row() / cuda::warp_lanes;
    cuda::visit_words(first, n_words(end_row()), rows_of, [&](std::int64_t word, unsigned rows) {
      const std::int64_t v = word * cuda::warp_lanes + cuda::lane();
      const bool is_read = (rows >> cuda::lane() & 1u) != 0 && has_row(v);
      unite_rows(static_cast<vertex_t>(v), is_read);
    });
    pairs_.unite_rest();
  }

  /// Unites along the remaining arcs of each lane's vertex, 32 arcs at a time.
  __device__ void unite_rows(vertex_t v, bool is_read) {
    const edge_t begin = is_read ? row_begin(v) + n_sampled_ : 0;
    const edge_t left = is_read ? row_end(v) - begin : 0;
    const edge_t n_arcs = left < 0 ? 0 : left;
    unsigned long_ones = __ballot_sync(cuda::all_lanes, n_arcs > chunk_arcs);
    for (; long_ones != 0; long_ones &= long_ones - 1) {
      const int owner = cuda::first_lane(long_ones);
      append_chunks(view_.long_rows, *view_.n_long_rows, __shfl_sync(cuda::all_lanes, v, owner),
                    chunks_of(__shfl_sync(cuda::all_lanes, n_arcs, owner), chunk_arcs));
    }
    const int n_short = n_arcs > chunk_arcs ? 0 : static_cast<int>(n_arcs);
    const int start = cuda::warp_exclusive_sum(n_short);
    const int total = __shfl_sync(cuda::all_lanes, start + n_short, cuda::warp_lanes - 1);
    for (int first = 0; first < total; first += cuda::warp_lanes) {
      const int arc = first + cuda::lane();
      const int owner = cuda::owner_of(arc, start);
      const edge_t row = __shfl_sync(cuda::all_lanes, begin, owner);
      const int offset = arc - __shfl_sync(cuda::all_lanes, start, owner);
      const vertex_t tail = __shfl_sync(cuda::all_lanes, v, owner);
      unite_along(tail, row + offset, arc < total);
    }
  }

  __device__ void unite_long_rows(std::int64_t n) {
    for (std::int64_t i = cuda::global_warp(); i < n; i += cuda::n_global_warps()) {
      const RowChunk row = view_.long_rows[i];
      const edge_t first = row_begin(row.vertex) + n_sampled_ + edge_t{row.chunk} * chunk_arcs;
      const edge_t left = row_end(row.vertex) - first;
      const edge_t last = first + (left < chunk_arcs ? left : chunk_arcs);
      for (edge_t e = first; e < last; e += cuda::warp_lanes) {
        unite_along(row.vertex, e + cuda::lane(), e + cuda::lane() < last);
      }
    }
    pairs_.unite_rest();
  }

  /// Unites the ends of the arc at a position, if there is one. In a symmetric graph, the tail is
  /// outside the giant component, and an arc to a larger vertex outside is left to that vertex. The
  /// bits do not change meanwhile, so both ends agree.
  __device__ void unite_along(vertex_t tail, edge_t position, bool exists) {
    Pair parents{0, 0};
    if (exists) {
      const vertex_t head = graph_.heads[position];
      const bool head_inside = giant_ != no_vertex && cuda::has_bit(view_.giant, head);
      const bool skips = view_.symmetric ? !head_inside && head > tail
                                         : head_inside && cuda::has_bit(view_.giant, tail);
      if (!skips) {
        parents.a = cached_load(sets_.parent[tail]);
        parents.b = head_inside ? giant_ : cached_load(sets_.parent[head]);
      }
    }
    pairs_.add(parents.a, parents.b);
  }

  const CsrPattern& graph_;
  Memory& memory_;
  const UnionFind sets_;
  PendingPairs pairs_;
  vertex_t giant_ = no_vertex;    // the root of the giant component, if there is one
  int n_sampled_ = sampled_arcs;  // of each row, which are united already
};

}  // namespace warpgraph::afforest
