// Sweeps over the vertices of batches: 32 sources a batch, a lane a source.
//
// An item is a vertex of one batch; its distances from the batch's sources stand side by side, so
// that a warp reads or lowers all of them with one access. Beside them are two masks: the lanes
// that were lowered and not relaxed since, in the near mask up to the threshold, in the far mask
// beyond it. An item is in the near list while its near mask has a bit, and in the far list while
// its far mask has one. So no list outgrows the number of items, and the lanes of an item that were
// lowered since it was listed go along when it is taken [1].
//
// Rounds relax the near list until it is empty; then the threshold rises, and what is near now
// leaves the far list. All batches go through the rounds together. All of this is one cooperative
// launch whose blocks meet once or twice a round; after some work it ends, and the next goes on
// from what is in memory.
//
// The arcs of one item belong to one warp, 32 at a time: each lane fetches an arc, then the warp
// relaxes arc by arc, and each lane keeps for its own arc which sources fell; afterwards every lane
// marks its head. Items with many arcs are cut into slices that all warps share behind a barrier.
//
// Races: a warp takes an item's mask away before it reads the distances, and others lower the
// distances before they set bits, with a fence between on both sides. So a lane that is lowered
// after it was read has its bit set afterwards, and is relaxed again. Distances only fall and every
// one is the sum along a walk; when both lists are empty no arc can lower any, whatever the order.
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

namespace warpgraph::many_to_many_steps {

using item_t = std::uint32_t;  // batch * n_vertices + vertex

/// Arcs of one item that a warp relaxes alone.
inline constexpr edge_t slice_arcs = 512;

struct Slice {
  item_t item;
  unsigned lanes;
  edge_t first;  // arc
};

/// What a launch leaves for the next. Counts of lists take turns, so that a list can be emptied
/// while another is in use: a round reads one, fills the next, and clears the one after that.
template <class W>
struct SweepState {
  unsigned long long near_count[3];
  unsigned long long far_count[2];
  unsigned long long slice_count[2];
  W far_least[2];  // what the threshold must reach for the far list: a lower bound
  W threshold;
  int round;
  int far;           // which of the two far lists is filled
  int open_targets;  // the last time that any were looked for and found: a number that rises
  int looks;
  int is_done;
};

template <class W>
struct Batches {
  CsrView<W> graph;
  W limit;
  W delta;
  const vertex_t* targets;
  std::int64_t n_targets;  // 0: every vertex is wanted
  std::int64_t n_sources;
  item_t n_items;
  W* rows;             // 32 an item
  const W* ranks;      // see rank_of(); nullptr: the order is by distances
  item_t first_batch;  // of those that have ranks
  unsigned* near_masks;
  unsigned* far_masks;
  item_t* near_lists[2];
  item_t* far_lists[2];
  Slice* slices;
  std::int64_t most_slices;
  int* overflows;  // a flag a source
  SweepState<W>* state;

  /// Batch b has lane b % 32 of an earlier sweep's batch b / 32.
  __device__ W rank_of(item_t batch, std::int64_t vertex) const {
    batch += first_batch;
    const auto first = static_cast<std::int64_t>(batch / cuda::warp_lanes);
    return ranks[(first * graph.n_vertices + vertex) * cuda::warp_lanes + batch % cuda::warp_lanes];
  }
  __device__ item_t* near_list(int round) const {
    return round % 2 == 0 ? near_lists[0] : near_lists[1];
  }
  __device__ item_t* far_list(int which) const { return which == 0 ? far_lists[0] : far_lists[1]; }
};

/// What one warp does in a sweep.
template <class W>
class BatchWarp {
 public:
  __device__ BatchWarp(const Batches<W>& batches, W threshold) : batches_(batches) {
    state_ = batches.state;
    threshold_ = threshold;
  }

  /// Where heads go that fell: the near list of a round, and a far list.
  __device__ void push_to(int round, int far) {
    near_ = {batches_.near_list(round), &state_->near_count[round % 3], batches_.n_items};
    far_ = {batches_.far_list(far), &state_->far_count[far], batches_.n_items};
  }

  /// Takes the item's near lanes and relaxes its arcs, or cuts them into slices.
  __device__ void relax_item(item_t item, const cuda::WorklistView<Slice>& slices) {
    const unsigned lanes = taken_mask(batches_.near_masks[item]);
    const auto u = static_cast<vertex_t>(item % n_vertices());
    const edge_t begin = batches_.graph.begin(u);
    const edge_t degree = batches_.graph.degree(u);
    if (degree <= slice_arcs) return relax_arcs(item, lanes, begin, begin + degree);
    for (edge_t first = cuda::lane() * slice_arcs; first < degree;
         first += cuda::warp_lanes * slice_arcs) {
      slices.push({item, lanes, begin + first});
    }
  }

  __device__ void relax_slice(const Slice& slice) {
    const auto u = static_cast<vertex_t>(slice.item % n_vertices());
    const edge_t end = batches_.graph.end(u);
    const edge_t last = slice.first + slice_arcs;
    relax_arcs(slice.item, slice.lanes, slice.first, last < end ? last : end);
  }

  /// Of 32 items in the far list, those that the threshold has reached become near.
  __device__ void part_far(const item_t* items, int n) {
    const item_t item = cuda::lane() < n ? items[cuda::lane()] : 0;
    unsigned near = 0;
    unsigned far = 0;
    for (int k = 0; k < n; ++k) {
      const item_t taken = __shfl_sync(cuda::all_lanes, item, k);
      const unsigned lanes = taken_mask(batches_.far_masks[taken]);
      const W at = batches_.ranks == nullptr
                       ? relaxed_load(row(taken)[cuda::lane()])
                       : batches_.rank_of(taken / n_vertices(), taken % n_vertices());
      const bool is_far = (lanes >> cuda::lane() & 1u) != 0 && threshold_ < at;
      const unsigned far_ones = __ballot_sync(cuda::all_lanes, is_far);
      if (is_far && at < least_) least_ = at;
      if (cuda::lane() == k) {
        near = lanes & ~far_ones;
        far = far_ones;
      }
    }
    mark(item, near, far);
  }

  /// Tells the least of what became far. Once, at the end of a phase.
  __device__ void tell_far_least(int far) {
    const W least = cuda::warp_min(least_);
    if (cuda::lane() == 0 && least < infinity<W>())
      lower_non_negative(state_->far_least[far], least);
    least_ = infinity<W>();
  }

 private:
  /// Arcs whose heads' distances are under way at the same time.
  static constexpr int arcs_ahead = 4;

  __device__ item_t n_vertices() const { return static_cast<item_t>(batches_.graph.n_vertices); }
  __device__ W* row(item_t item) const {
    return batches_.rows + static_cast<std::int64_t>(item) * cuda::warp_lanes;
  }

  __device__ static unsigned taken_mask(unsigned& mask) {
    unsigned lanes = 0;
    if (cuda::lane() == 0) lanes = exchange(mask, 0u);
    __threadfence();
    __syncwarp();
    return __shfl_sync(cuda::all_lanes, lanes, 0);
  }

  __device__ void relax_arcs(item_t item, unsigned lanes, edge_t begin, edge_t end) {
    const bool is_open = (lanes >> cuda::lane() & 1u) != 0;
    const W at = is_open ? relaxed_load(row(item)[cuda::lane()]) : infinity<W>();
    const item_t batch = item / n_vertices() * n_vertices();
    for (edge_t base = begin; base < end; base += cuda::warp_lanes) {
      const int n = end - base < cuda::warp_lanes ? static_cast<int>(end - base) : cuda::warp_lanes;
      const edge_t arc = base + (cuda::lane() < n ? cuda::lane() : 0);
      const vertex_t head = batches_.graph.heads[arc];
      const W weight = shortest_paths::weight_of(batches_.graph, arc);
      const W rank = batches_.ranks == nullptr ? W{0} : batches_.rank_of(item / n_vertices(), head);
      relax_heads(n, item, at, batch + static_cast<item_t>(head), weight, rank);
    }
  }

  /// The arcs that the first n lanes hold, one after the other, a few of them ahead.
  __device__ void relax_heads(int n, item_t item, W at, item_t head, W weight, W rank) {
    unsigned near = 0;
    unsigned far = 0;
    for (int first = 0; first < n; first += arcs_ahead) {
      W* place[arcs_ahead];
      W through[arcs_ahead];
      W seen[arcs_ahead];
#pragma unroll
      for (int k = 0; k < arcs_ahead; ++k) {
        const int from = first + k < n ? first + k : n - 1;
        place[k] = row(__shfl_sync(cuda::all_lanes, head, from)) + cuda::lane();
        const W its_weight = __shfl_sync(cuda::all_lanes, weight, from);
        through[k] = first + k < n ? through_arc(item, at, its_weight) : infinity<W>();
        seen[k] = through[k] == infinity<W>() ? through[k] : relaxed_load(*place[k]);
      }
#pragma unroll
      for (int k = 0; k < arcs_ahead; ++k) {
        const bool falls = through[k] < seen[k];
        if (falls) lower_non_negative(*place[k], through[k]);
        const bool is_far = falls && batches_.ranks == nullptr && threshold_ < through[k];
        if (is_far && through[k] < least_) least_ = through[k];
        const unsigned falling = __ballot_sync(cuda::all_lanes, falls);
        const unsigned far_ones = __ballot_sync(cuda::all_lanes, is_far);
        if (cuda::lane() == first + k) {
          near = falling & ~far_ones;
          far = far_ones;
        }
      }
    }
    if (near != 0 && threshold_ < rank) {
      if (rank < least_) least_ = rank;
      far = near;
      near = 0;
    }
    mark(head, near, far);
  }

  __device__ W through_arc(item_t item, W at, W weight) const {
    if (at == infinity<W>() || weight == infinity<W>()) return infinity<W>();
    const W sum = extend(at, weight);
    if (std::is_integral_v<W> && sum == infinity<W>()) {
      const auto source = static_cast<std::int64_t>(item / n_vertices()) * cuda::warp_lanes;
      relaxed_store(batches_.overflows[source + cuda::lane()], 1);
    }
    return batches_.limit < sum ? infinity<W>() : sum;
  }

  /// Each lane sets the bits of its own item, after all lanes have lowered what they stand for.
  __device__ void mark(item_t item, unsigned near, unsigned far) const {
    __threadfence();
    __syncwarp();
    if (near != 0 && atomicOr(&batches_.near_masks[item], near) == 0) near_.push(item);
    if (far != 0 && atomicOr(&batches_.far_masks[item], far) == 0) far_.push(item);
    __syncwarp();
  }

  const Batches<W>& batches_;
  SweepState<W>* state_;
  W threshold_;
  W least_ = infinity<W>();  // of what became far
  cuda::WorklistView<item_t> near_;
  cuda::WorklistView<item_t> far_;
};

/// All blocks of a cooperative launch, round by round.
template <class W>
class BatchSweep {
 public:
  __device__ explicit BatchSweep(const Batches<W>& batches)
      : batches_(batches),
        state_(batches.state),
        grid_(cooperative_groups::this_grid()),
        round_(state_->round),
        far_(state_->far),
        looks_(state_->looks),
        threshold_(state_->threshold) {}

  /// Ends after about `work` items, of which a slice counts as several, or after `most_rounds`.
  __device__ void run(unsigned long long work, unsigned long long items_a_slice, int most_rounds) {
    bool is_done = false;
    for (unsigned long long done = 0; done < work && most_rounds > 0; --most_rounds) {
      const auto near = relaxed_load(state_->near_count[round_ % 3]);
      if (near != 0) {
        done += near + items_a_slice * relax_near(static_cast<std::int64_t>(near));
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
    state_->looks = looks_;
    state_->threshold = threshold_;
    state_->is_done = is_done ? 1 : 0;
  }

 private:
  __device__ std::int64_t n_warps() const {
    return static_cast<std::int64_t>(gridDim.x) * blockDim.x / cuda::warp_lanes;
  }
  __device__ static std::int64_t warp() { return cuda::global_index() / cuda::warp_lanes; }

  /// Clears what was last looked at before the barrier that ended the round before.
  __device__ void begin_round() {
    if (grid_.thread_rank() != 0) return;
    relaxed_store(state_->near_count[(round_ + 2) % 3], 0ull);
    relaxed_store(state_->slice_count[(round_ + 1) % 2], 0ull);
  }

  /// Returns the number of slices that hubs were cut into.
  __device__ unsigned long long relax_near(std::int64_t n) {
    begin_round();
    const cuda::WorklistView<Slice> slices{batches_.slices, &state_->slice_count[round_ % 2],
                                           batches_.most_slices};
    BatchWarp<W> own(batches_, threshold_);
    own.push_to(round_ + 1, far_);
    const item_t* const items = batches_.near_list(round_);
    for (std::int64_t i = warp(); i < n; i += n_warps()) own.relax_item(items[i], slices);
    own.tell_far_least(far_);
    grid_.sync();
    // If there are none, others may be ahead in the next round, which clears this count: to what it
    // is. If there are some, all meet again.
    const std::int64_t n_slices = slices.size();
    if (n_slices != 0) {
      for (std::int64_t i = warp(); i < n_slices; i += n_warps()) {
        own.relax_slice(batches_.slices[i]);
      }
      own.tell_far_least(far_);
      grid_.sync();
    }
    ++round_;
    return static_cast<unsigned long long>(n_slices);
  }

  /// A round that relaxes nothing, but fills the near list of the next. It is not empty then: the
  /// threshold has passed the least that is far, and distances only fall while ranks stay.
  __device__ void raise_threshold() {
    begin_round();
    const W least = relaxed_load(state_->far_least[far_]);
    threshold_ = extend(threshold_ < least ? least : threshold_, batches_.delta);
    const auto n = static_cast<std::int64_t>(relaxed_load(state_->far_count[far_]));
    BatchWarp<W> own(batches_, threshold_);
    own.push_to(round_ + 1, 1 - far_);
    const item_t* const items = batches_.far_list(far_);
    for (std::int64_t i = warp() * cuda::warp_lanes; i < n; i += n_warps() * cuda::warp_lanes) {
      const std::int64_t left = n - i;
      own.part_far(items + i, left < cuda::warp_lanes ? static_cast<int>(left) : cuda::warp_lanes);
    }
    own.tell_far_least(1 - far_);
    grid_.sync();
    if (grid_.thread_rank() == 0) {  // until the next time, a barrier away
      relaxed_store(state_->far_count[far_], 0ull);
      relaxed_store(state_->far_least[far_], infinity<W>());
    }
    far_ = 1 - far_;
    ++round_;
  }

  /// Near is empty, so distances up to the threshold are final. Not for an order by ranks.
  __device__ bool has_all_targets() {
    if (batches_.n_targets == 0) return false;
    ++looks_;
    const std::int64_t n = batches_.n_sources * batches_.n_targets;
    const auto n_threads = static_cast<std::int64_t>(grid_.size());
    for (std::int64_t i = cuda::global_index(); i < n; i += n_threads) {
      const std::int64_t source = i / batches_.n_targets;
      const std::int64_t item = source / cuda::warp_lanes * batches_.graph.n_vertices +
                                batches_.targets[i % batches_.n_targets];
      const W at = relaxed_load(batches_.rows[item * cuda::warp_lanes + source % cuda::warp_lanes]);
      if (threshold_ < at) {
        relaxed_store(state_->open_targets, looks_);
        break;
      }
    }
    grid_.sync();
    return relaxed_load(state_->open_targets) != looks_;
  }

  const Batches<W>& batches_;
  SweepState<W>* const state_;
  const cooperative_groups::grid_group grid_;
  int round_;
  int far_;
  int looks_;
  W threshold_;
};

}  // namespace warpgraph::many_to_many_steps
