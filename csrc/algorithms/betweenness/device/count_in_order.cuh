// Counts the shortest paths from the sources of a batch in the order in which a search with a queue
// reaches the tails of arcs, for counts that are rounded. Private to betweenness.
//
// The queue has the vertices of each level in that order: by the place (the index in the queue) of
// the first chunk that has an arc to them, and by the arc's position in this chunk. So each chunk
// claims heads, a sum over the chunks before it says where these go, and then each vertex of the
// new level adds the counts of its tails, by their places.
#pragma once

#include "algorithms/betweenness/device/batch.cuh"

namespace warpgraph::betweenness {

inline constexpr std::uint32_t no_place = 0xffffffffu;

/// The chunks of a level that a block takes: consecutive ones.
struct BlockShare {
  std::uint32_t begin;
  std::uint32_t end;

  __device__ explicit BlockShare(const BatchLevel& level) {
    const std::uint32_t size = (level.size + gridDim.x - 1) / gridDim.x;
    begin = min(blockIdx.x * size, level.size);
    end = min(begin + size, level.size);
  }
};

/// Lets each chunk of a level claim the heads that are in no earlier level; of several chunks, the
/// first gets a head. Chunks may find the same head at the same time, which does no harm: all store
/// the same level, and lower() keeps the first chunk in whatever order they come.
__device__ inline void claim_heads(const BatchView& view, const BatchLevel& level) {
  const vertex_t next = level.level + 1;
  for (std::uint32_t i = global_group(); i < level.size; i += n_global_groups()) {
    const SearchChunk chunk = view.queue[level.first + i];
    if (!view.goes_on(chunk.search(), level.level)) continue;
    const ChunkArcs arcs(view.graph, chunk);
    for (int k = lane_of_group(); k < arcs.n; k += sum_lanes) {
      const std::int64_t head = view.at(chunk.search(), view.graph.heads[arcs.begin + k]);
      const vertex_t found = relaxed_load(view.levels[head]);
      if (found != not_reached && found != next) continue;
      if (found == not_reached) relaxed_store(view.levels[head], next);
      lower(view.first_tails[head], level.first + i);
    }
  }
}

/// Calls visit(head, search) for each arc of a chunk, a lane of the group for each; `head` is
/// no_vertex if the chunk has not claimed it, or the lane has no arc. All lanes of a group call it.
template <class Visit>
__device__ void visit_claimed(const BatchView& view, const BatchLevel& level, std::uint32_t i,
                              const Visit& visit) {
  const SearchChunk chunk = view.queue[level.first + i];
  const ChunkArcs arcs(view.graph, chunk);
  for (int first = 0; first < arcs.n; first += sum_lanes) {
    const int k = first + lane_of_group();
    vertex_t head = no_vertex;
    if (k < arcs.n) {
      head = view.graph.heads[arcs.begin + k];
      const std::int64_t at = view.at(chunk.search(), head);
      const bool is_claimed =
          view.levels[at] == level.level + 1 && view.first_tails[at] == level.first + i;
      if (!is_claimed) head = no_vertex;
    }
    visit(head, chunk.search());
  }
}

/// Counts, for each chunk of a level, the chunks of the rows of the heads that it has claimed. Rows
/// are simple, so a chunk has no head twice.
__device__ inline void count_claims(const BatchView& view, const BatchLevel& level) {
  __shared__ std::uint32_t of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  const BlockShare share(level);
  for (std::uint32_t i = share.begin + threadIdx.x / sum_lanes; i < share.end;
       i += batch_threads / sum_lanes) {
    std::uint32_t n = 0;
    visit_claimed(view, level, i, [&](vertex_t head, std::uint32_t) {
      if (head != no_vertex) n += SearchChunk::number(view.graph.degree(head));
    });
    for (int step = sum_lanes / 2; step > 0; step /= 2) {
      n += __shfl_down_sync(mask_of_group(), n, step, sum_lanes);
    }
    if (lane_of_group() != 0) continue;
    view.claims[i] = n;
    if (n > 0) atomicAdd(&of_block, n);
  }
  __syncthreads();
  if (threadIdx.x == 0) view.block_claims[blockIdx.x] = of_block;
}

/// Sums of the claims of the blocks before this one, and of all blocks; all threads of the block
/// construct it.
struct ClaimsOfBlocks {
  std::uint32_t before = 0;
  std::uint32_t all = 0;

  __device__ explicit ClaimsOfBlocks(const BatchView& view) {
    __shared__ std::uint32_t sums[2];
    if (threadIdx.x < 2) sums[threadIdx.x] = 0;
    __syncthreads();
    for (std::uint32_t block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
      const std::uint32_t n = relaxed_load(view.block_claims[block]);
      if (n == 0) continue;
      atomicAdd(&sums[0], n);
      if (block < blockIdx.x) atomicAdd(&sums[1], n);
    }
    __syncthreads();
    all = sums[0];
    before = sums[1];
    __syncthreads();
  }
};

/// Puts the vertices that a chunk has claimed into the queue from `place` on. All lanes of a group
/// call it.
__device__ inline void put_claimed(const BatchView& view, const BatchLevel& level, std::uint32_t i,
                                   std::uint32_t place) {
  visit_claimed(view, level, i, [&](vertex_t head, std::uint32_t search) {
    const std::uint32_t n = head == no_vertex ? 0 : SearchChunk::number(view.graph.degree(head));
    std::uint32_t up_to_here = n;
    for (int step = 1; step < sum_lanes; step *= 2) {
      const std::uint32_t other = __shfl_up_sync(mask_of_group(), up_to_here, step, sum_lanes);
      if (lane_of_group() >= step) up_to_here += other;
    }
    const std::uint32_t first = place + up_to_here - n;
    for (std::uint32_t c = 0; c < n; ++c) view.queue[first + c] = SearchChunk::of(head, search, c);
    if (n > 0) {
      view.places[view.at(search, head)] = first;
      view.note_end(search, head, level.level + 1);
    }
    place += __shfl_sync(mask_of_group(), up_to_here, sum_lanes - 1, sum_lanes);
  });
}

/// Puts the next level into the queue, and returns its number of chunks.
__device__ inline std::uint32_t put_next_level(const BatchView& view, const BatchLevel& level) {
  constexpr int groups_a_block = batch_threads / sum_lanes;
  __shared__ std::uint32_t of_warps[batch_warps];
  const ClaimsOfBlocks claims(view);
  const BlockShare share(level);
  const int warp = static_cast<int>(threadIdx.x) / cuda::warp_lanes;
  std::uint32_t place = level.first + level.size + claims.before;
  for (std::uint32_t first = share.begin; first < share.end; first += groups_a_block) {
    const std::uint32_t i = first + threadIdx.x / sum_lanes;
    const std::uint32_t n = i < share.end ? view.claims[i] : 0;
    const int before = cuda::warp_exclusive_sum(lane_of_group() == 0 ? static_cast<int>(n) : 0);
    // Only the first lane of a group adds its claims. So what is before that lane is before the
    // group, and what is before the last lane of the warp is the sum of all its groups.
    const auto before_group = static_cast<std::uint32_t>(
        __shfl_sync(cuda::all_lanes, before, cuda::lane() - lane_of_group()));
    if (cuda::lane() == cuda::warp_lanes - 1) of_warps[warp] = static_cast<std::uint32_t>(before);
    __syncthreads();
    std::uint32_t before_warp = 0;
    std::uint32_t all = 0;
    for (int w = 0; w < batch_warps; ++w) {
      if (w == warp) before_warp = all;
      all += of_warps[w];
    }
    if (n > 0) put_claimed(view, level, i, place + before_warp + before_group);
    place += all;
    __syncthreads();
  }
  return claims.all;
}

/// The shortest paths to a vertex, counted in the order of the places of its tails.
class OrderedCount {
 public:
  __device__ OrderedCount(const BatchView& view, vertex_t level, SearchChunk of)
      : view_(view), level_(level), search_(of.search()), vertex_(of.vertex) {}

  /// Counts them by a group, for a vertex of at most eight tails.
  __device__ void by_group() {
    const unsigned mask = mask_of_group();
    const edge_t e = view_.entering.begin(vertex_) + lane_of_group();
    std::uint32_t place = no_place;
    LongCount own{};
    if (e < view_.entering.end(vertex_)) {
      const std::int64_t tail = view_.at(search_, view_.entering.heads[e]);
      if (view_.levels[tail] == level_ - 1) {
        place = view_.places[tail];
        own = {view_.counts[tail], view_.exponents[tail]};
      }
    }
    while (true) {
      std::uint32_t next = place;
      for (int step = sum_lanes / 2; step > 0; step /= 2) {
        next = min(next, __shfl_xor_sync(mask, next, step, sum_lanes));
      }
      if (next == no_place) break;
      const int owner = cuda::first_lane(__ballot_sync(mask, place == next));
      sum_.add({__shfl_sync(mask, own.number, owner), __shfl_sync(mask, own.exponent, owner)});
      if (place == next) place = no_place;
    }
    if (lane_of_group() == 0) write();
  }

  /// Counts them by a warp. It marks the places of tails in `bitmap` and adds the counts of these
  /// tails, for a range of places at a time.
  __device__ void by_warp(std::uint32_t* bitmap) {
    std::uint32_t first = next_place(0, 0, bitmap);
    while (first != no_place) {
      for (int w = cuda::lane(); w < bitmap_words; w += cuda::warp_lanes) bitmap[w] = 0;
      __syncwarp();
      const std::uint32_t following = next_place(first, places_at_once, bitmap);
      __syncwarp();
      add_marked(first, bitmap);
      __syncwarp();
      first = following;
    }
    if (cuda::lane() == 0) write();
  }

  static constexpr int bitmap_words = 64;

 private:
  static constexpr std::uint32_t places_at_once = bitmap_words * cuda::warp_lanes;

  /// Marks the tails' places from `first` on that are less than first + n. Returns the first of
  /// those that follow; no_place if there is none.
  __device__ std::uint32_t next_place(std::uint32_t first, std::uint32_t n,
                                      std::uint32_t* bitmap) const {
    std::uint32_t next = no_place;
    const edge_t end = view_.entering.end(vertex_);
    for (edge_t e = view_.entering.begin(vertex_) + cuda::lane(); e < end; e += cuda::warp_lanes) {
      const std::int64_t tail = view_.at(search_, view_.entering.heads[e]);
      if (view_.levels[tail] != level_ - 1) continue;
      const std::uint32_t place = view_.places[tail];
      if (place < first) continue;
      if (place - first < n) {
        atomicOr(&bitmap[(place - first) / cuda::warp_lanes], 1u << (place - first) % 32);
      } else {
        next = min(next, place);
      }
    }
    return cuda::warp_min(next);
  }

  /// Adds the counts of the tails that are marked.
  __device__ void add_marked(std::uint32_t first, const std::uint32_t* bitmap) {
    for (int w = 0; w < bitmap_words; ++w) {
      const std::uint32_t word = bitmap[w];
      if (word == 0) continue;
      LongCount own{};
      if ((word >> cuda::lane() & 1u) != 0) {
        const auto place = first + static_cast<std::uint32_t>(w * cuda::warp_lanes + cuda::lane());
        const std::int64_t tail = view_.at(search_, view_.queue[place].vertex);
        own = {view_.counts[tail], view_.exponents[tail]};
      }
      for (std::uint32_t rest = word; rest != 0; rest &= rest - 1) {
        const int owner = cuda::first_lane(rest);
        sum_.add({__shfl_sync(cuda::all_lanes, own.number, owner),
                  __shfl_sync(cuda::all_lanes, own.exponent, owner)});
      }
    }
  }

  __device__ void write() {
    sum_.shorten();
    const std::int64_t at = view_.at(search_, vertex_);
    view_.counts[at] = sum_.number;
    view_.exponents[at] = sum_.exponent;
    if (sum_.exponent > 0) relaxed_store(view_.findings->is_long, 1u);
  }

  const BatchView& view_;
  const vertex_t level_;
  const std::uint32_t search_;
  const vertex_t vertex_;
  LongCount sum_{};
};

/// Counts the paths to the vertices of a level.
__device__ inline void count_level(const BatchView& view, const BatchLevel& level) {
  __shared__ std::uint32_t bitmaps[batch_warps][OrderedCount::bitmap_words];
  const std::int64_t stride = cuda::n_global_warps() * groups_a_warp;
  for (std::int64_t first = cuda::global_warp() * groups_a_warp; first < level.size;
       first += stride) {
    const std::int64_t i = first + group_of_warp();
    const SearchChunk own = i < level.size ? view.queue[level.first + i] : SearchChunk{};
    const bool is_first = i < level.size && own.chunk() == 0;
    const edge_t degree = is_first ? view.entering.degree(own.vertex) : 0;
    if (is_first && degree <= sum_lanes) OrderedCount(view, level.level, own).by_group();
    unsigned long_rows = __ballot_sync(cuda::all_lanes, degree > sum_lanes && lane_of_group() == 0);
    for (; long_rows != 0; long_rows &= long_rows - 1) {
      const SearchChunk chunk =
          view.queue[level.first + first + cuda::first_lane(long_rows) / sum_lanes];
      OrderedCount(view, level.level, chunk).by_warp(bitmaps[threadIdx.x / cuda::warp_lanes]);
    }
  }
}

/// Counts paths level by level in order, until there is no further level.
__global__ void __launch_bounds__(batch_threads, 2)
    count_paths_in_order(const __grid_constant__ BatchView view, BatchLevel level) {
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  LaunchShare share;
  while (level.size > 0 && level.level < view.limit && share.takes(level.size)) {
    claim_heads(view, level);
    grid.sync();
    count_claims(view, level);
    grid.sync();
    const BatchLevel next{level.level + 1, level.first + level.size, put_next_level(view, level)};
    if (grid.thread_rank() == 0) view.level_sizes[next.level] = next.size;
    grid.sync();
    // The next claims read nothing of what this writes.
    count_level(view, next);
    level = next;
  }
  end_launch(view, level);
}

}  // namespace warpgraph::betweenness
