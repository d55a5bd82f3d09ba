// Searches from several batches of 32 sources; lane i of a warp works for source i of a batch.
//
// An item is a vertex of one batch. Its distances from the batch's sources are contiguous, so a
// warp reads or lowers all of them with one access. An item has two masks of the sources whose
// distance was lowered and not relaxed since: the near mask up to the threshold, the far mask
// beyond it. It is in the near list while its near mask has a bit, and in the far list while its
// far mask has one. So no list outgrows the number of items, and when an item is taken, the sources
// that were lowered since it was listed are relaxed with it [1].
//
// The order is that of near-far (see sssp.hpp). Rounds relax the near list until it is empty. Then
// the threshold rises, and items that are near now leave the far list. All batches go through the
// rounds together. A search is one cooperative kernel with one or two grid barriers per round. It
// returns after a bounded amount of work; the next launch continues from the state in memory.
//
// One warp relaxes the arcs of an item, 32 at a time. Each lane loads an arc, then the warp relaxes
// arc by arc for all sources. Each lane keeps the mask of the sources that its own arc lowered and
// finally marks the arc's head. Items with many arcs are cut into slices, which all warps share
// after a barrier.
//
// Races: a warp takes an item's mask before it reads the distances, and others lower the distances
// before they set bits, with a fence in between on both sides. So a distance that is lowered after
// it was read has its bit set afterwards, and is relaxed again. Distances only decrease, and each
// is the sum along a walk. When both lists are empty, no arc can lower a distance, whatever the
// order.
//
// [1] Then et al.: The more the merrier: efficient multi-source graph traversal. VLDB 8, 2014.
#pragma once

#include "core/atomics.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "core/cuda/worklist.cuh"
#include "graph/csr.hpp"
#include "primitives/relaxation/relax.hpp"

#include <cooperative_groups.h>

namespace warpgraph::many_to_many_detail {

using item_t = std::uint32_t;  // batch * n_vertices + vertex

/// Arcs of an item that one warp relaxes.
inline constexpr edge_t slice_arcs = 512;

struct ArcSlice {
  item_t item;
  unsigned active;  // mask of sources
  edge_t first;     // position of its first arc
};

/// The state between launches. The counters of lists rotate, so that a list can be emptied while
/// another is in use: a round reads one, fills the next, and clears the one after that.
template <class W>
struct BatchSearchState {
  unsigned long long near_count[3];
  unsigned long long far_count[2];
  unsigned long long slice_count[2];
  W far_min[2];  // lower bound of the distances in a far list
  W threshold;
  int round;
  int far;           // the far list in use
  int failed_check;  // number of the last check that found a target beyond the threshold
  int n_checks;      // of targets
  int is_done;
};

template <class W>
struct BatchSearchView {
  CsrView<W> graph;
  W limit;
  W delta;
  const vertex_t* targets;
  std::int64_t n_targets;  // 0: every vertex is wanted
  std::int64_t n_sources;
  item_t n_items;
  W* distances;  // 32 per item
  unsigned* near_masks;
  unsigned* far_masks;
  item_t* near_lists[2];
  item_t* far_lists[2];
  ArcSlice* slices;
  std::int64_t max_slices;
  int* overflows;  // one flag per source
  BatchSearchState<W>* state;

  __device__ item_t* near_list(int round) const {
    return round % 2 == 0 ? near_lists[0] : near_lists[1];
  }
  __device__ item_t* far_list(int which) const { return which == 0 ? far_lists[0] : far_lists[1]; }
};

/// The part of one warp in a search.
template <class W>
class BatchWarp {
 public:
  __device__ BatchWarp(const BatchSearchView<W>& view, W threshold) : view_(view) {
    state_ = view.state;
    threshold_ = threshold;
  }

  /// Sets the lists where lowered items are pushed: the near list of a round, and a far list.
  __device__ void set_output(int round, int far) {
    near_ = {view_.near_list(round), &state_->near_count[round % 3], view_.n_items};
    far_ = {view_.far_list(far), &state_->far_count[far], view_.n_items};
  }

  /// Takes the item's near mask and relaxes its arcs, or cuts them into slices.
  __device__ void relax_item(item_t item, const cuda::WorklistView<ArcSlice>& slices) {
    const unsigned active = take_mask(view_.near_masks[item]);
    const auto u = static_cast<vertex_t>(item % n_vertices());
    const edge_t begin = view_.graph.begin(u);
    const edge_t degree = view_.graph.degree(u);
    if (degree <= slice_arcs) return relax_arcs(item, active, begin, begin + degree);
    for (edge_t first = cuda::lane() * slice_arcs; first < degree;
         first += cuda::warp_lanes * slice_arcs) {
      slices.push({item, active, begin + first});
    }
  }

  __device__ void relax_slice(const ArcSlice& slice) {
    const auto u = static_cast<vertex_t>(slice.item % n_vertices());
    const edge_t end = view_.graph.end(u);
    const edge_t last = slice.first + slice_arcs;
    relax_arcs(slice.item, slice.active, slice.first, last < end ? last : end);
  }

  /// Takes the far masks of n <= 32 items. Sources that the threshold has reached become near.
  __device__ void split_far(const item_t* items, int n) {
    const item_t item = cuda::lane() < n ? items[cuda::lane()] : 0;
    unsigned near = 0;
    unsigned far = 0;
    for (int k = 0; k < n; ++k) {
      const item_t current = __shfl_sync(cuda::all_lanes, item, k);
      const unsigned active = take_mask(view_.far_masks[current]);
      const W distance = relaxed_load(distances_of(current)[cuda::lane()]);
      const bool is_far = (active >> cuda::lane() & 1u) != 0 && threshold_ < distance;
      const unsigned far_mask = __ballot_sync(cuda::all_lanes, is_far);
      if (is_far && distance < far_min_) far_min_ = distance;
      if (cuda::lane() == k) {
        near = active & ~far_mask;
        far = far_mask;
      }
    }
    mark(item, near, far);
  }

  /// Lowers far_min by the minimum of the distances that became far. Called once, at the end of a
  /// phase.
  __device__ void publish_far_min(int far) {
    const W least = cuda::warp_min(far_min_);
    if (cuda::lane() == 0 && least < infinity<W>()) lower_non_negative(state_->far_min[far], least);
    far_min_ = infinity<W>();
  }

 private:
  /// The arcs whose heads' distances are loaded at the same time.
  static constexpr int arcs_in_flight = 4;

  __device__ item_t n_vertices() const { return static_cast<item_t>(view_.graph.n_vertices); }
  __device__ W* distances_of(item_t item) const {
    return view_.distances + static_cast<std::int64_t>(item) * cuda::warp_lanes;
  }

  __device__ static unsigned take_mask(unsigned& mask) {
    unsigned active = 0;
    if (cuda::lane() == 0) active = exchange(mask, 0u);
    __threadfence();
    __syncwarp();
    return __shfl_sync(cuda::all_lanes, active, 0);
  }

  __device__ void relax_arcs(item_t item, unsigned active, edge_t begin, edge_t end) {
    const bool is_active = (active >> cuda::lane() & 1u) != 0;
    const W distance = is_active ? relaxed_load(distances_of(item)[cuda::lane()]) : infinity<W>();
    const item_t batch_begin = item / n_vertices() * n_vertices();
    for (edge_t base = begin; base < end; base += cuda::warp_lanes) {
      const int n = end - base < cuda::warp_lanes ? static_cast<int>(end - base) : cuda::warp_lanes;
      const edge_t arc = base + (cuda::lane() < n ? cuda::lane() : 0);
      const vertex_t head = view_.graph.heads[arc];
      const W weight = shortest_paths::weight_of(view_.graph, arc);
      relax_heads(n, item, distance, batch_begin + static_cast<item_t>(head), weight);
    }
  }

  /// Relaxes the arcs that the first n lanes hold, one after the other, with loads for several in
  /// flight.
  __device__ void relax_heads(int n, item_t item, W distance, item_t head, W weight) {
    unsigned near = 0;
    unsigned far = 0;
    for (int first = 0; first < n; first += arcs_in_flight) {
      W* destination[arcs_in_flight];
      W through[arcs_in_flight];
      W known[arcs_in_flight];
#pragma unroll
      for (int k = 0; k < arcs_in_flight; ++k) {
        const int from = first + k < n ? first + k : n - 1;
        destination[k] = distances_of(__shfl_sync(cuda::all_lanes, head, from)) + cuda::lane();
        const W arc_weight = __shfl_sync(cuda::all_lanes, weight, from);
        through[k] = first + k < n ? through_arc(item, distance, arc_weight) : infinity<W>();
        known[k] = through[k] == infinity<W>() ? through[k] : relaxed_load(*destination[k]);
      }
#pragma unroll
      for (int k = 0; k < arcs_in_flight; ++k) {
        const bool is_lower = through[k] < known[k];
        if (is_lower) lower_non_negative(*destination[k], through[k]);
        const bool is_far = is_lower && threshold_ < through[k];
        if (is_far && through[k] < far_min_) far_min_ = through[k];
        const unsigned lowered_mask = __ballot_sync(cuda::all_lanes, is_lower);
        const unsigned far_mask = __ballot_sync(cuda::all_lanes, is_far);
        if (cuda::lane() == first + k) {
          near = lowered_mask & ~far_mask;
          far = far_mask;
        }
      }
    }
    mark(head, near, far);
  }

  __device__ W through_arc(item_t item, W distance, W weight) const {
    if (distance == infinity<W>() || weight == infinity<W>()) return infinity<W>();
    const W sum = extend(distance, weight);
    if (std::is_integral_v<W> && sum == infinity<W>()) {
      const auto first_source = static_cast<std::int64_t>(item / n_vertices()) * cuda::warp_lanes;
      relaxed_store(view_.overflows[first_source + cuda::lane()], 1);
    }
    return view_.limit < sum ? infinity<W>() : sum;
  }

  /// Sets the bits of each lane's own item, after all lanes have lowered those distances.
  __device__ void mark(item_t item, unsigned near, unsigned far) const {
    __threadfence();
    __syncwarp();
    if (near != 0 && atomicOr(&view_.near_masks[item], near) == 0) near_.push(item);
    if (far != 0 && atomicOr(&view_.far_masks[item], far) == 0) far_.push(item);
    __syncwarp();
  }

  const BatchSearchView<W>& view_;
  BatchSearchState<W>* state_;
  W threshold_;
  W far_min_ = infinity<W>();  // of what became far since publish_far_min()
  cuda::WorklistView<item_t> near_;
  cuda::WorklistView<item_t> far_;
};

/// The search by all blocks of a cooperative launch, round by round.
template <class W>
class BatchSearchGrid {
 public:
  __device__ explicit BatchSearchGrid(const BatchSearchView<W>& view)
      : view_(view),
        state_(view.state),
        grid_(cooperative_groups::this_grid()),
        round_(state_->round),
        far_(state_->far),
        n_checks_(state_->n_checks),
        threshold_(state_->threshold) {}

  /// Searches for about `work` items, where a slice counts as `items_per_slice`, and at most
  /// `max_rounds`.
  __device__ void run(unsigned long long work, unsigned long long items_per_slice, int max_rounds) {
    bool is_done = false;
    for (unsigned long long done = 0; done < work && max_rounds > 0; --max_rounds) {
      const auto near = relaxed_load(state_->near_count[round_ % 3]);
      if (near != 0) {
        done += near + items_per_slice * relax_near(static_cast<std::int64_t>(near));
      } else if (relaxed_load(state_->far_count[far_]) == 0 || has_all_targets()) {
        is_done = true;
        break;
      } else {
        raise_threshold();
      }
    }
    if (grid_.thread_rank() != 0) return;
    state_->round = round_;
    state_->far = far_;
    state_->n_checks = n_checks_;
    state_->threshold = threshold_;
    state_->is_done = is_done ? 1 : 0;
  }

 private:
  __device__ std::int64_t n_warps() const {
    return static_cast<std::int64_t>(gridDim.x) * blockDim.x / cuda::warp_lanes;
  }
  __device__ static std::int64_t warp() { return cuda::global_index() / cuda::warp_lanes; }

  /// Clears counters that were last read before the barrier that ended the previous round.
  __device__ void begin_round() {
    if (grid_.thread_rank() != 0) return;
    relaxed_store(state_->near_count[(round_ + 2) % 3], 0ull);
    relaxed_store(state_->slice_count[(round_ + 1) % 2], 0ull);
  }

  /// Relaxes the near list of n items. Returns the number of slices that items were cut into.
  __device__ unsigned long long relax_near(std::int64_t n) {
    begin_round();
    const cuda::WorklistView<ArcSlice> slices{view_.slices, &state_->slice_count[round_ % 2],
                                              view_.max_slices};
    BatchWarp<W> worker(view_, threshold_);
    worker.set_output(round_ + 1, far_);
    const item_t* const items = view_.near_list(round_);
    for (std::int64_t i = warp(); i < n; i += n_warps()) worker.relax_item(items[i], slices);
    worker.publish_far_min(far_);
    grid_.sync();
    // If there are no slices, other blocks may be in the next round already, which clears this
    // counter: it is 0 anyway. If there are some, a second barrier follows.
    const std::int64_t n_slices = slices.size();
    if (n_slices != 0) {
      for (std::int64_t i = warp(); i < n_slices; i += n_warps()) {
        worker.relax_slice(view_.slices[i]);
      }
      worker.publish_far_min(far_);
      grid_.sync();
    }
    ++round_;
    return static_cast<unsigned long long>(n_slices);
  }

  /// Raises the threshold in a round that relaxes nothing, but fills the near list of the next.
  /// That list is not empty: the threshold has passed the minimum of the far list, and distances
  /// only decrease.
  __device__ void raise_threshold() {
    begin_round();
    const W least = relaxed_load(state_->far_min[far_]);
    threshold_ = extend(threshold_ < least ? least : threshold_, view_.delta);
    const auto n = static_cast<std::int64_t>(relaxed_load(state_->far_count[far_]));
    BatchWarp<W> worker(view_, threshold_);
    worker.set_output(round_ + 1, 1 - far_);
    const item_t* const items = view_.far_list(far_);
    for (std::int64_t i = warp() * cuda::warp_lanes; i < n; i += n_warps() * cuda::warp_lanes) {
      const std::int64_t left = n - i;
      worker.split_far(items + i,
                       left < cuda::warp_lanes ? static_cast<int>(left) : cuda::warp_lanes);
    }
    worker.publish_far_min(1 - far_);
    grid_.sync();
    if (grid_.thread_rank() == 0) {  // not used again before the next barrier
      relaxed_store(state_->far_count[far_], 0ull);
      relaxed_store(state_->far_min[far_], infinity<W>());
    }
    far_ = 1 - far_;
    ++round_;
  }

  /// Returns whether all targets are settled. The near list is empty, so distances up to the
  /// threshold are final.
  __device__ bool has_all_targets() {
    if (view_.n_targets == 0) return false;
    ++n_checks_;
    const std::int64_t n = view_.n_sources * view_.n_targets;
    const auto n_threads = static_cast<std::int64_t>(grid_.size());
    for (std::int64_t i = cuda::global_index(); i < n; i += n_threads) {
      const std::int64_t source = i / view_.n_targets;
      const std::int64_t item =
          source / cuda::warp_lanes * view_.graph.n_vertices + view_.targets[i % view_.n_targets];
      const W distance =
          relaxed_load(view_.distances[item * cuda::warp_lanes + source % cuda::warp_lanes]);
      if (threshold_ < distance) {
        relaxed_store(state_->failed_check, n_checks_);
        break;
      }
    }
    grid_.sync();
    return relaxed_load(state_->failed_check) != n_checks_;
  }

  const BatchSearchView<W>& view_;
  BatchSearchState<W>* const state_;
  const cooperative_groups::grid_group grid_;
  int round_;
  int far_;
  int n_checks_;
  W threshold_;
};

}  // namespace warpgraph::many_to_many_detail
