// The device side of near_far_cuda.cu: what a block does between the barriers of the whole grid.
#pragma once

#include "algorithms/sssp/near_far/near_far_hop.cuh"
#include "algorithms/sssp/near_far/near_far_relax.cuh"

#include <cooperative_groups.h>

namespace warpgraph::shortest_paths {

/// A block goes on alone while its queue has at most this many arcs a thread, few of a vertex or
/// not: more take longer than sharing them with other blocks.
inline constexpr int most_arcs_a_thread = 2;

/// What a step costs beside its arcs, in arcs: some tens of microseconds, fused.
inline constexpr std::int64_t arcs_a_step = std::int64_t{1} << 18;

template <class W>
class BlockSearch {
 public:
  __device__ BlockSearch(const NearFarView<W>& view, BlockMemory<W>& block)
      : view_(view),
        queue_(block.queue),
        lists_(block.lists),
        at_(block.at),
        mail_(block.mail),
        warps_(view, block),
        hops_(view, block) {}

  __device__ void run() {
    if (threadIdx.x == 0) at_ = *view_.state;
    __syncthreads();
    for (std::int64_t budget = view_.budget; budget > 0 && !at_.is_done;) {
      begin_step();
      const std::int64_t n = read_for_block(view_.counters->near[at_.step % 3]);
      budget -= arcs_a_step + (n != 0 ? relax(n) : collect());
      if (threadIdx.x == 0) ++at_.step;
      __syncthreads();
    }
    if (is_first_thread()) *view_.state = at_;
  }

 private:
  static __device__ bool is_first_thread() { return blockIdx.x == 0 && threadIdx.x == 0; }
  static __device__ void meet() { cooperative_groups::this_grid().sync(); }

  /// One read a block instead of one a warp: thousands of them for one address would queue up.
  __device__ std::int64_t read_for_block(const unsigned long long& counter) const {
    __syncthreads();
    if (threadIdx.x == 0) mail_.count = relaxed_load(counter);
    __syncthreads();
    return static_cast<std::int64_t>(mail_.count);
  }

  /// Resets what the step after this one counts in; it was last read in the step before this one.
  __device__ void begin_step() {
    if (threadIdx.x != 0) return;
    NearFarCounters<W>& counters = *view_.counters;
    if (blockIdx.x == 0) {
      counters.near[(at_.step + 2) % 3] = 0;
      counters.pieces[(at_.step + 1) % 2] = 0;
    }
    queue_.reset(0);
    queue_.reset(1);
    queue_.far_count = 0;
    lists_.near = at_.step % 2 == 0 ? view_.near_odd : view_.near_even;
    lists_.near_count = &counters.near[(at_.step + 1) % 3];
    lists_.far = at_.turn % 2 == 0 ? view_.far_even : view_.far_odd;
    lists_.far_count = at_.far_is_listed ? &counters.far[at_.turn % 3] : nullptr;
    lists_.piece_count = &counters.pieces[at_.step % 2];
    lists_.threshold = at_.threshold;
  }

  // Relaxation of the near vertices.

  enum class Source { list, all_vertices, pieces };

  /// Returns an estimate of the arcs that the `n` listed vertices have.
  __device__ std::int64_t relax(std::int64_t n) {
    const bool is_listed = n <= view_.near_even.capacity;
    if (!is_listed) n = view_.graph.n_vertices;
    const bool is_queued = is_listed && queue_share(n);
    if (!is_queued) relax_share(n, is_listed ? Source::list : Source::all_vertices);
    relax_fused(is_queued);
    if (lists_.far_count != nullptr) {
      flush(queue_.far_vertices, queue_.far_distances, queue_.far_count, lists_.far,
            *lists_.far_count);
    }
    meet();
    const std::int64_t n_pieces = read_for_block(view_.counters->pieces[at_.step % 2]);
    if (n_pieces != 0) {
      relax_share(n_pieces < view_.piece_capacity ? n_pieces : view_.piece_capacity,
                  Source::pieces);
      meet();
    }
    if (threadIdx.x == 0) {
      // A window that one step empties, and by far not with all threads, should have been wider.
      const bool is_first_step = at_.last_collection == at_.step - 1;
      at_.is_narrow = is_first_step && n < static_cast<std::int64_t>(gridDim.x) * blockDim.x;
      at_.relaxed += n;
    }
    return n * (view_.graph.n_arcs / view_.graph.n_vertices + 1);
  }

  /// Puts the block's part of a list into its queue, if that is so short that it may go on alone;
  /// false if it is not.
  __device__ bool queue_share(std::int64_t n) {
    const std::int64_t begin = n * blockIdx.x / gridDim.x;
    const std::int64_t end = n * (blockIdx.x + 1) / gridDim.x;
    if (end - begin > most_in_queue()) return false;
    const ItemList<W>& list = at_.step % 2 == 0 ? view_.near_even : view_.near_odd;
    const std::int64_t i = begin + threadIdx.x;
    if (i < end) hops_.put_first(list.vertices[i], list.distances[i]);
    return true;
  }

  /// The block's part of n items, in one piece: neighbours in a list are often neighbours in the
  /// graph. Few of them are spread over all warps.
  __device__ void relax_share(std::int64_t n, Source source) {
    const std::int64_t begin = n * blockIdx.x / gridDim.x;
    const std::int64_t end = n * (blockIdx.x + 1) / gridDim.x;
    const unsigned width = items_a_warp(end - begin);
    const unsigned lane = lane_of_thread();
    warps_.set_mode(source == Source::pieces ? -1 : 0, end - begin <= blockDim.x);
    for (std::int64_t first = begin + width * warp_in_block(); first < end;
         first += width * warps_in_block()) {
      const bool has_one = lane < width && first + lane < end;
      warps_.relax(has_one ? look_up(first + lane, source) : NearItem<W>{});
    }
  }

  __device__ NearItem<W> look_up(std::int64_t i, Source source) const {
    if (source == Source::pieces) return warps_.look_up(view_.pieces[i]);
    if (source == Source::list) {
      const ItemList<W>& list = at_.step % 2 == 0 ? view_.near_even : view_.near_odd;
      return warps_.look_up(list.vertices[i], list.distances[i]);
    }
    const auto v = static_cast<vertex_t>(i);
    const W distance = relaxed_load(view_.distances[v]);
    const bool is_near =
        at_.settled < distance && distance <= at_.threshold && distance < infinity<W>();
    return is_near ? warps_.look_up(v, distance) : NearItem<W>{};
  }

  /// The block relaxes what is queued, and what that lowers, and so on. Then the rest goes to the
  /// list of all, but not what came from there just now.
  __device__ void relax_fused(bool is_from_list) {
    const int most_hops = view_.fused_steps + is_from_list;
    for (int hop = 0;; ++hop) {
      __syncthreads();  // what was pushed is there
      const unsigned pushed = queue_.counts[hop % 3];
      const unsigned n = pushed < queue_.capacity ? pushed : queue_.capacity;
      if (n == 0) return;
      const int arcs = queue_.arcs[hop % 3];  // of vertices with more than a few
      const bool is_long =
          n > most_in_queue() || arcs > most_arcs_a_thread * static_cast<int>(blockDim.x);
      if ((is_long && !(is_from_list && hop == 0)) || hop == most_hops) {
        return flush(queue_.vertices[hop % 2], queue_.distances[hop % 2], n, lists_.near,
                     *lists_.near_count);
      }
      if (threadIdx.x == 0) queue_.reset(hop + 2);
      if (arcs == 0) {
        hops_.relax(hop, n);
      } else {
        relax_by_warps(hop, n);
      }
    }
  }

  /// Of the queue's vertices one or more have many arcs.
  __device__ void relax_by_warps(int hop, unsigned n) {
    const unsigned width = items_a_warp(n);
    const unsigned place = width * warp_in_block() + lane_of_thread();
    const bool has_one = lane_of_thread() < width && place < n;
    warps_.set_mode(hop + 1, true);
    warps_.relax(has_one ? warps_.take(hop, place) : NearItem<W>{});
  }

  /// Vertices with few arcs.
  static __device__ unsigned most_in_queue() {
    return blockDim.x * most_arcs_a_thread / threads_a_vertex;
  }

  /// From arrays of the queue to the list of all; `n` may exceed what they hold.
  __device__ void flush(const vertex_t* vertices, const W* distances, unsigned n,
                        const ItemList<W>& list, unsigned long long& count) const {
    n = n < queue_.capacity ? n : queue_.capacity;
    for (unsigned first = 0; first < n; first += blockDim.x) {
      const unsigned i = first + threadIdx.x;
      const bool has_one[1] = {i < n};
      const vertex_t vertex[1] = {has_one[0] ? vertices[i] : 0};
      const W distance[1] = {has_one[0] ? distances[i] : W{0}};
      append(list, count, has_one, vertex, distance);
    }
  }

  // Collection of what becomes near.

  /// Returns an estimate of the time, in arcs.
  __device__ std::int64_t collect() {
    NearFarCounters<W>& counters = *view_.counters;
    const std::int64_t n_far = read_for_block(counters.far[at_.turn % 3]);
    const ItemList<W> list = lists_.far;
    const bool by_list = at_.far_is_listed && n_far <= list.capacity;
    __syncthreads();  // all have read what is written now
    if (is_first_thread()) {
      counters.far[(at_.turn + 2) % 3] = 0;
      counters.least[(at_.turn + 1) % 3] = infinity<W>();
      counters.unsettled[(at_.turn + 1) % 3] = 0;
    }
    if (threadIdx.x == 0) {
      // Not listed, they were counted in the last collection.
      at_.far_is_listed = by_list || (!at_.far_is_listed && n_far <= list.capacity / 2);
      raise_threshold();
    }
    __syncthreads();
    look_at_targets();
    const std::int64_t n = by_list ? n_far : view_.graph.n_vertices;
    if (by_list) {
      sort_out(n, [&](std::int64_t i, vertex_t& v, W& distance) {
        v = list.vertices[i];
        distance = list.distances[i];
        return relaxed_load(view_.distances[v]) == distance;
      });
    } else {
      sort_out(n, [&](std::int64_t i, vertex_t& v, W& distance) {
        v = static_cast<vertex_t>(i);
        distance = relaxed_load(view_.distances[v]);
        return at_.settled < distance && distance < infinity<W>();
      });
    }
    meet();
    end_collection();
    return n;
  }

  /// At least as far as the nearest far vertex, if that is known: then something becomes near, also
  /// where the width is lost in rounding.
  __device__ void raise_threshold() {
    if (at_.is_narrow) at_.width = extend(at_.width, at_.width);
    at_.is_narrow = true;
    at_.settled = at_.threshold;
    const W next = extend(at_.threshold, at_.width);
    at_.threshold = next < at_.least ? at_.least : next;
  }

  __device__ void look_at_targets() const {
    for (std::int64_t i = cuda::global_index(); i < view_.n_targets;
         i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
      if (at_.settled < relaxed_load(view_.distances[view_.targets[i]])) {
        relaxed_store(view_.counters->unsettled[at_.turn % 3], std::int32_t{1});
      }
    }
  }

  /// read(i, vertex, distance) -> whether the i-th candidate is really waiting.
  template <class Read>
  __device__ void sort_out(std::int64_t n, Read&& read) {
    const ItemList<W> kept = at_.turn % 2 == 0 ? view_.far_odd : view_.far_even;
    unsigned long long& kept_count = view_.counters->far[(at_.turn + 1) % 3];
    W least = infinity<W>();
    unsigned unlisted = 0;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t first = cuda::global_index() - lane_of_thread(); first < n; first += stride) {
      const std::int64_t i = first + lane_of_thread();
      vertex_t v[1] = {0};
      W distance[1] = {W{0}};
      const bool waits = i < n && read(i, v[0], distance[0]);
      const bool is_near[1] = {waits && distance[0] <= at_.threshold};
      const bool is_far = waits && !is_near[0];
      const bool is_kept[1] = {is_far && at_.far_is_listed};
      append(lists_.near, *lists_.near_count, is_near, v, distance);
      append(kept, kept_count, is_kept, v, distance);
      if (is_far && distance[0] < least) least = distance[0];
      unlisted += __popc(__ballot_sync(whole_warp, is_far && !is_kept[0]));
    }
    for (unsigned lanes = cuda::warp_size / 2; lanes > 0; lanes /= 2) {
      const W other = __shfl_xor_sync(whole_warp, least, static_cast<int>(lanes));
      if (other < least) least = other;
    }
    tell_all(least, lane_of_thread() == 0 ? unlisted : 0, kept_count);
  }

  /// The block's least far distance and number of far vertices that are not listed, as its warps'
  /// first threads know them, to all blocks.
  __device__ void tell_all(W least, unsigned unlisted, unsigned long long& kept_count) {
    if (threadIdx.x == 0) mail_ = {0, infinity<W>()};
    __syncthreads();
    if (lane_of_thread() == 0 && least < infinity<W>()) lower(mail_.least, least);
    if (unlisted != 0) atomicAdd(&mail_.count, static_cast<unsigned long long>(unlisted));
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (mail_.least < infinity<W>()) lower(view_.counters->least[at_.turn % 3], mail_.least);
    if (mail_.count != 0) atomicAdd(&kept_count, mail_.count);
  }

  /// Decides, as all blocks do, whether there is anything left to do.
  __device__ void end_collection() {
    if (threadIdx.x != 0) return;
    const NearFarCounters<W>& counters = *view_.counters;
    const bool has_near = relaxed_load(counters.near[(at_.step + 1) % 3]) != 0;
    const W least = relaxed_load(counters.least[at_.turn % 3]);
    const bool is_settled =
        view_.n_targets != 0 && relaxed_load(counters.unsettled[at_.turn % 3]) == 0;
    at_.least = has_near ? W{0} : least;
    at_.is_done = is_settled || (!has_near && least == infinity<W>());
    at_.last_collection = at_.step;
    ++at_.turn;
  }

  static __device__ unsigned warps_in_block() { return blockDim.x / cuda::warp_size; }
  static __device__ unsigned warp_in_block() { return threadIdx.x / cuda::warp_size; }
  static __device__ unsigned items_a_warp(std::int64_t n) {
    if (n >= blockDim.x) return cuda::warp_size;
    return (static_cast<unsigned>(n) + warps_in_block() - 1) / warps_in_block();
  }

  const NearFarView<W>& view_;
  BlockQueue<W>& queue_;
  StepLists<W>& lists_;
  NearFarState<W>& at_;
  Mailbox<W>& mail_;
  WarpRelaxation<W> warps_;
  HopRelaxation<W> hops_;
};

}  // namespace warpgraph::shortest_paths
