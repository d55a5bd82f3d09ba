// The device code of near_far_cuda.cu: the work of a block between grid barriers.
#pragma once

#include "algorithms/sssp/near_far/short_row_relaxation.cuh"
#include "algorithms/sssp/near_far/warp_relaxation.cuh"

#include <cooperative_groups.h>

namespace warpgraph::shortest_paths {

/// The most arcs per thread with which a block runs fused hops, in short rows or others: more arcs
/// take longer than sharing them with other blocks.
inline constexpr int max_arcs_per_thread = 2;

/// The cost of a step beside its arcs, in arcs: some tens of microseconds with fused hops.
inline constexpr std::int64_t step_cost = std::int64_t{1} << 18;

template <class W>
class BlockSearch {
 public:
  __device__ BlockSearch(const NearFarView<W>& view, BlockMemory<W>& block)
      : view_(view),
        queue_(block.queue),
        lists_(block.lists),
        state_(block.state),
        reduction_(block.reduction),
        warp_relaxation_(view, block),
        short_row_relaxation_(view, block) {}

  __device__ void run() {
    if (threadIdx.x == 0) state_ = *view_.state;
    __syncthreads();
    for (std::int64_t budget = view_.budget; budget > 0 && !state_.is_done;) {
      begin_step();
      const std::int64_t n = read_for_block(view_.counters->near[state_.step % 3]);
      if (n == 0 && view_.in_rounds && !state_.may_split) break;
      budget -= step_cost + (n != 0 ? relax(n) : split_far());
      if (threadIdx.x == 0) ++state_.step;
      __syncthreads();
    }
    if (is_first_thread()) *view_.state = state_;
  }

 private:
  static __device__ bool is_first_thread() { return blockIdx.x == 0 && threadIdx.x == 0; }
  static __device__ void sync_grid() { cooperative_groups::this_grid().sync(); }

  /// Reads a counter once per block instead of once per warp: thousands of reads of one address
  /// would be serialised.
  __device__ std::int64_t read_for_block(const unsigned long long& counter) const {
    __syncthreads();
    if (threadIdx.x == 0) reduction_.count = relaxed_load(counter);
    __syncthreads();
    return static_cast<std::int64_t>(reduction_.count);
  }

  /// Resets the counters that the next step adds to; they were last read in the step before this
  /// one.
  __device__ void begin_step() {
    if (threadIdx.x != 0) return;
    NearFarCounters<W>& counters = *view_.counters;
    if (blockIdx.x == 0) {
      counters.near[(state_.step + 2) % 3] = 0;
      counters.chunks[(state_.step + 1) % 2] = 0;
    }
    queue_.reset(0);
    queue_.reset(1);
    queue_.far_count = 0;
    lists_.near = state_.step % 2 == 0 ? view_.near_odd : view_.near_even;
    lists_.near_count = &counters.near[(state_.step + 1) % 3];
    lists_.far = state_.n_splits % 2 == 0 ? view_.far_even : view_.far_odd;
    lists_.far_count = state_.far_is_listed ? &counters.far[state_.n_splits % 3] : nullptr;
    lists_.chunk_count = &counters.chunks[state_.step % 2];
    lists_.threshold = state_.threshold;
  }

  // The relaxation of the near vertices.

  enum class Source { list, all_vertices, chunks };

  /// Relaxes the near vertices, of which `n` are listed. Returns an estimate of their arcs.
  __device__ std::int64_t relax(std::int64_t n) {
    const bool is_listed = n <= view_.near_even.capacity;
    if (!is_listed) n = view_.graph.n_vertices;
    const bool is_queued = is_listed && enqueue_share(n);
    if (!is_queued) relax_share(n, is_listed ? Source::list : Source::all_vertices);
    relax_fused(is_queued);
    if (lists_.far_count != nullptr) {
      flush(queue_.far_vertices, queue_.far_distances, queue_.far_count, lists_.far,
            *lists_.far_count);
    }
    sync_grid();
    const std::int64_t n_chunks = read_for_block(view_.counters->chunks[state_.step % 2]);
    if (n_chunks != 0) {
      relax_share(n_chunks < view_.chunk_capacity ? n_chunks : view_.chunk_capacity,
                  Source::chunks);
      sync_grid();
    }
    if (threadIdx.x == 0) {
      // A window that its first step empties, with fewer vertices than threads, is too narrow.
      const bool is_first_step = state_.last_split == state_.step - 1;
      state_.is_narrow = is_first_step && n < static_cast<std::int64_t>(gridDim.x) * blockDim.x;
      state_.n_relaxed += n;
    }
    return n * (view_.graph.n_arcs / view_.graph.n_vertices + 1);
  }

  /// Puts the block's part of a list into its queue. Returns false if that is too long for fused
  /// hops.
  __device__ bool enqueue_share(std::int64_t n) {
    const std::int64_t begin = n * blockIdx.x / gridDim.x;
    const std::int64_t end = n * (blockIdx.x + 1) / gridDim.x;
    if (end - begin > max_block_items()) return false;
    const ItemList<W>& list = state_.step % 2 == 0 ? view_.near_even : view_.near_odd;
    const std::int64_t i = begin + threadIdx.x;
    if (i < end) short_row_relaxation_.enqueue_listed(list.vertices[i], list.distances[i]);
    return true;
  }

  /// Relaxes the block's part of n items, which is contiguous: neighbours in a list are often
  /// neighbours in the graph. Few items are spread over all warps.
  __device__ void relax_share(std::int64_t n, Source source) {
    const std::int64_t begin = n * blockIdx.x / gridDim.x;
    const std::int64_t end = n * (blockIdx.x + 1) / gridDim.x;
    const unsigned width = items_per_warp(end - begin);
    const unsigned lane = cuda::lane_without_sign();
    warp_relaxation_.set_mode(source == Source::chunks ? -1 : 0, end - begin <= blockDim.x);
    for (std::int64_t first = begin + width * warp_in_block(); first < end;
         first += width * warps_in_block()) {
      const bool has_item = lane < width && first + lane < end;
      warp_relaxation_.relax(has_item ? load_item(first + lane, source) : NearItem<W>{});
    }
  }

  __device__ NearItem<W> load_item(std::int64_t i, Source source) const {
    if (source == Source::chunks) return warp_relaxation_.load_item(view_.chunks[i]);
    if (source == Source::list) {
      const ItemList<W>& list = state_.step % 2 == 0 ? view_.near_even : view_.near_odd;
      return warp_relaxation_.load_item(list.vertices[i], list.distances[i]);
    }
    const auto v = static_cast<vertex_t>(i);
    const W distance = relaxed_load(view_.distances[v]);
    const bool is_near =
        state_.settled < distance && distance <= state_.threshold && distance < infinity<W>();
    return is_near ? warp_relaxation_.load_item(v, distance) : NearItem<W>{};
  }

  /// Runs fused hops: the block relaxes its queue, then the vertices that this has lowered, and so
  /// on. The vertices that are left go to the list of the grid. Vertices that come from that list
  /// are relaxed in any case.
  __device__ void relax_fused(bool is_from_list) {
    const int max_hops = view_.fused_hops + is_from_list;
    for (int hop = 0;; ++hop) {
      __syncthreads();  // pushes of the hop before are visible
      const unsigned pushed = queue_.counts[hop % 3];
      const unsigned n = pushed < queue_.capacity ? pushed : queue_.capacity;
      if (n == 0) return;
      const int arcs = queue_.arcs[hop % 3];  // in rows that are not short
      const bool is_too_large =
          n > max_block_items() || arcs > max_arcs_per_thread * static_cast<int>(blockDim.x);
      if ((is_too_large && !(is_from_list && hop == 0)) || hop == max_hops) {
        return flush(queue_.vertices[hop % 2], queue_.distances[hop % 2], n, lists_.near,
                     *lists_.near_count);
      }
      if (threadIdx.x == 0) queue_.reset(hop + 2);
      if (arcs == 0) {
        short_row_relaxation_.relax(hop, n);
      } else {
        relax_by_warps(hop, n);
      }
    }
  }

  /// Relaxes a queue in which some rows are not short.
  __device__ void relax_by_warps(int hop, unsigned n) {
    const unsigned width = items_per_warp(n);
    const unsigned slot = width * warp_in_block() + cuda::lane_without_sign();
    const bool has_item = cuda::lane_without_sign() < width && slot < n;
    warp_relaxation_.set_mode(hop + 1, true);
    warp_relaxation_.relax(has_item ? warp_relaxation_.load_queued(hop, slot) : NearItem<W>{});
  }

  /// Returns an upper bound of the vertices of a fused hop.
  static __device__ unsigned max_block_items() {
    return blockDim.x * max_arcs_per_thread / threads_per_vertex;
  }

  /// Moves items from arrays of the queue to a list of the grid; `n` may exceed their capacity.
  __device__ void flush(const vertex_t* vertices, const W* distances, unsigned n,
                        const ItemList<W>& list, unsigned long long& count) const {
    n = n < queue_.capacity ? n : queue_.capacity;
    for (unsigned first = 0; first < n; first += blockDim.x) {
      const unsigned i = first + threadIdx.x;
      const bool has_item[1] = {i < n};
      const vertex_t vertex[1] = {has_item[0] ? vertices[i] : 0};
      const W distance[1] = {has_item[0] ? distances[i] : W{0}};
      append(list, count, has_item, vertex, distance);
    }
  }

  // The split of the far vertices into near and far ones by a raised threshold.

  /// Splits the far vertices. Returns an estimate of the time, in arcs.
  __device__ std::int64_t split_far() {
    NearFarCounters<W>& counters = *view_.counters;
    const std::int64_t n_far = read_for_block(counters.far[state_.n_splits % 3]);
    const ItemList<W> list = lists_.far;
    const bool by_list = state_.far_is_listed && n_far <= list.capacity;
    __syncthreads();  // all threads have read what is written next
    if (is_first_thread()) {
      counters.far[(state_.n_splits + 2) % 3] = 0;
      counters.min_far[(state_.n_splits + 1) % 3] = infinity<W>();
      counters.unsettled[(state_.n_splits + 1) % 3] = 0;
    }
    if (threadIdx.x == 0) {
      // Far vertices that are not listed were counted in the last split.
      state_.far_is_listed = by_list || (!state_.far_is_listed && n_far <= list.capacity / 2);
      raise_threshold();
    }
    __syncthreads();
    check_targets();
    const std::int64_t n = by_list ? n_far : view_.graph.n_vertices;
    if (by_list) {
      partition(n, [&](std::int64_t i, vertex_t& v, W& distance) {
        v = list.vertices[i];
        distance = list.distances[i];
        return relaxed_load(view_.distances[v]) == distance;
      });
    } else {
      partition(n, [&](std::int64_t i, vertex_t& v, W& distance) {
        v = static_cast<vertex_t>(i);
        distance = relaxed_load(view_.distances[v]);
        return state_.settled < distance && distance < infinity<W>();
      });
    }
    sync_grid();
    end_split();
    return n;
  }

  /// Raises the threshold by the width, but at least to the nearest far distance, if that is known:
  /// then some vertex becomes near, even if the width is lost in rounding.
  __device__ void raise_threshold() {
    if (state_.is_narrow) state_.width = extend(state_.width, state_.width);
    state_.is_narrow = true;
    state_.may_split = false;
    state_.settled = state_.threshold;
    const W next = extend(state_.threshold, state_.width);
    state_.threshold = next < state_.min_far ? state_.min_far : next;
  }

  __device__ void check_targets() const {
    for (std::int64_t i = cuda::global_index(); i < view_.n_targets;
         i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
      if (state_.settled < relaxed_load(view_.distances[view_.targets[i]])) {
        relaxed_store(view_.counters->unsettled[state_.n_splits % 3], std::int32_t{1});
      }
    }
  }

  /// Appends the candidates to the near list or to the next far list. read(i, vertex, distance)
  /// returns whether the i-th candidate is still far by the old threshold.
  template <class Read>
  __device__ void partition(std::int64_t n, Read&& read) {
    const ItemList<W> kept = state_.n_splits % 2 == 0 ? view_.far_odd : view_.far_even;
    unsigned long long& kept_count = view_.counters->far[(state_.n_splits + 1) % 3];
    W min_far = infinity<W>();
    unsigned n_unlisted = 0;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t first = cuda::global_index() - cuda::lane_without_sign(); first < n;
         first += stride) {
      const std::int64_t i = first + cuda::lane_without_sign();
      vertex_t v[1] = {0};
      W distance[1] = {W{0}};
      const bool is_pending = i < n && read(i, v[0], distance[0]);
      const bool is_near[1] = {is_pending && distance[0] <= state_.threshold};
      const bool is_far = is_pending && !is_near[0];
      const bool is_kept[1] = {is_far && state_.far_is_listed};
      append(lists_.near, *lists_.near_count, is_near, v, distance);
      append(kept, kept_count, is_kept, v, distance);
      if (is_far && distance[0] < min_far) min_far = distance[0];
      n_unlisted += __popc(__ballot_sync(cuda::all_lanes, is_far && !is_kept[0]));
    }
    reduce_far(cuda::warp_min(min_far), cuda::lane_without_sign() == 0 ? n_unlisted : 0,
               kept_count);
  }

  /// Reduces the minimum far distance and the number of unlisted far vertices, which lane 0 of each
  /// warp has, over the block, then over the grid.
  __device__ void reduce_far(W min_far, unsigned n_unlisted, unsigned long long& kept_count) {
    if (threadIdx.x == 0) reduction_ = {0, infinity<W>()};
    __syncthreads();
    if (cuda::lane_without_sign() == 0 && min_far < infinity<W>())
      lower(reduction_.min_far, min_far);
    if (n_unlisted != 0) atomicAdd(&reduction_.count, static_cast<unsigned long long>(n_unlisted));
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (reduction_.min_far < infinity<W>())
      lower(view_.counters->min_far[state_.n_splits % 3], reduction_.min_far);
    if (reduction_.count != 0) atomicAdd(&kept_count, reduction_.count);
  }

  /// Updates the state after a split; all blocks do so alike. Decides whether the search is done.
  __device__ void end_split() {
    if (threadIdx.x != 0) return;
    const NearFarCounters<W>& counters = *view_.counters;
    const bool has_near = relaxed_load(counters.near[(state_.step + 1) % 3]) != 0;
    const W min_far = relaxed_load(counters.min_far[state_.n_splits % 3]);
    const bool is_settled =
        view_.n_targets != 0 && relaxed_load(counters.unsettled[state_.n_splits % 3]) == 0;
    state_.min_far = has_near ? W{0} : min_far;
    state_.is_done = is_settled || (!has_near && min_far == infinity<W>());
    state_.last_split = state_.step;
    ++state_.n_splits;
  }

  static __device__ unsigned warps_in_block() { return blockDim.x / cuda::warp_lanes; }
  static __device__ unsigned warp_in_block() { return threadIdx.x / cuda::warp_lanes; }
  static __device__ unsigned items_per_warp(std::int64_t n) {
    if (n >= blockDim.x) return cuda::warp_lanes;
    return (static_cast<unsigned>(n) + warps_in_block() - 1) / warps_in_block();
  }

  const NearFarView<W>& view_;
  BlockQueue<W>& queue_;
  StepLists<W>& lists_;
  NearFarState<W>& state_;
  BlockReduction<W>& reduction_;
  WarpRelaxation<W> warp_relaxation_;
  ShortRowRelaxation<W> short_row_relaxation_;
};

}  // namespace warpgraph::shortest_paths
