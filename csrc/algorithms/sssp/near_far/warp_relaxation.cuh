// Relaxation of vertices by warps, for near_far_cuda.cu. A warp takes up to 32 vertices. If all
// have short rows, each lane relaxes the row of its own vertex; otherwise the arcs are divided
// evenly among the lanes, and rows of more than arcs_per_chunk arcs are left to all warps of the
// grid.
#pragma once

#include "algorithms/sssp/near_far/near_far_state.cuh"

namespace warpgraph::shortest_paths {

/// Arcs that a thread relaxes at the same time: enough loads in flight to hide memory latency.
inline constexpr int arcs_per_lane = 4;

/// A near vertex or a chunk of its row, which a lane contributes to the relaxation by its warp.
template <class W>
struct NearItem {
  vertex_t vertex = 0;
  W distance{};  // when it was inserted into a list or the queue
  W current{};   // its current distance; if it is less, the item is stale
  edge_t begin = 0;
  edge_t degree = 0;  // 0 also if the lane has no vertex
};

template <class W>
class WarpRelaxation {
 public:
  __device__ WarpRelaxation(const NearFarView<W>& view, BlockMemory<W>& block)
      : view_(view), queue_(block.queue), lists_(block.lists) {}

  /// Makes vertices go to the queue for hop `hop` or, if that is negative, only to the lists. With
  /// `unchecked`, heads of short rows are lowered without comparing distances before the atomic
  /// minimum. With little work that saves a memory access; otherwise it costs bandwidth, and the
  /// atomics contend at hubs, which are heads of many arcs.
  __device__ void set_mode(int hop, bool unchecked) {
    hop_ = hop;
    unchecked_ = unchecked;
  }

  /// Loads a vertex from a list. The loads are independent of each other.
  __device__ NearItem<W> load_item(vertex_t vertex, W distance) const {
    const W current = relaxed_load(view_.distances[vertex]);
    const edge_t begin = view_.graph.begin(vertex);
    return {vertex, distance, current, begin, view_.graph.end(vertex) - begin};
  }
  /// Loads a vertex from the block's queue.
  __device__ NearItem<W> load_queued(int hop, unsigned slot) const {
    const int side = hop % 2;
    const vertex_t vertex = queue_.vertices[side][slot];
    const edge_t begin = queue_.begins[side][slot];
    return {vertex, queue_.distances[side][slot], relaxed_load(view_.distances[vertex]), begin,
            queue_.ends[side][slot] - begin};
  }
  /// Loads a chunk of a row, with the current distance of its vertex: if that was lowered since,
  /// the vertex is queued again.
  __device__ NearItem<W> load_item(const LongRowChunk& chunk) const {
    const W current = relaxed_load(view_.distances[chunk.vertex]);
    const edge_t begin =
        view_.graph.begin(chunk.vertex) + static_cast<edge_t>(chunk.index) * arcs_per_chunk;
    const edge_t rest = view_.graph.end(chunk.vertex) - begin;
    return {chunk.vertex, current, current, begin, rest < arcs_per_chunk ? rest : arcs_per_chunk};
  }

  /// Relaxes a warp's items. Whole warps call this.
  __device__ void relax(NearItem<W> item) {
    const bool is_short = !__any_sync(cuda::all_lanes, item.degree > max_short_degree);
    if (!is_short) {
      if (item.current != item.distance) item.degree = 0;
      if (__any_sync(cuda::all_lanes, item.degree > arcs_per_chunk)) split_long_rows(item);
    }
    // Rows that did not fit the list of chunks may take several iterations.
    do {
      constexpr edge_t max_arcs = 1 << 20;
      const auto n_arcs = static_cast<int>(item.degree < max_arcs ? item.degree : max_arcs);
      relax_rows(item, n_arcs, is_short);
      item.begin += n_arcs;
      item.degree -= n_arcs;
    } while (__any_sync(cuda::all_lanes, item.degree > 0));
  }

 private:
  /// Splits the rows of more than arcs_per_chunk arcs into chunks. Arcs that do not fit the list of
  /// chunks remain with the item.
  __device__ void split_long_rows(NearItem<W>& item) {
    unsigned long_rows = __ballot_sync(cuda::all_lanes, item.degree > arcs_per_chunk);
    for (; long_rows != 0; long_rows &= long_rows - 1) {
      const int owner = cuda::first_lane(long_rows);
      const vertex_t vertex = __shfl_sync(cuda::all_lanes, item.vertex, owner);
      const edge_t degree = __shfl_sync(cuda::all_lanes, item.degree, owner);
      const std::int64_t n = (degree + arcs_per_chunk - 1) / arcs_per_chunk;
      const auto slot = static_cast<std::int64_t>(
          cuda::warp_fetch_add(*lists_.chunk_count, static_cast<unsigned long long>(n)));
      std::int64_t n_stored = view_.chunk_capacity - slot;
      n_stored = n_stored < 0 ? 0 : n_stored < n ? n_stored : n;
      for (std::int64_t i = cuda::lane_without_sign(); i < n_stored; i += cuda::warp_lanes) {
        view_.chunks[slot + i] = {vertex, static_cast<std::int32_t>(i)};
      }
      if (cuda::lane_without_sign() == static_cast<unsigned>(owner)) {
        item.begin += n_stored * arcs_per_chunk;
        item.degree = n_stored == n ? 0 : degree - n_stored * arcs_per_chunk;
      }
    }
  }

  /// Relaxes the first n_arcs of each item: short rows each by its own lane, others by all lanes
  /// evenly.
  __device__ void relax_rows(const NearItem<W>& item, int n_arcs, bool is_short) {
    const bool is_current = !is_short || item.current == item.distance;
    const int end = is_short ? n_arcs : warp_inclusive_sum(n_arcs);
    const int start = is_short ? 0 : end - n_arcs;
    const int total = __shfl_sync(cuda::all_lanes, end, cuda::warp_lanes - 1);
    const edge_t base = item.begin - start;
    constexpr int arcs_per_warp = arcs_per_lane * cuda::warp_lanes;
    for (int first = 0; is_short ? __any_sync(cuda::all_lanes, first < n_arcs) != 0 : first < total;
         first += is_short ? arcs_per_lane : arcs_per_warp) {
      edge_t positions[arcs_per_lane];
      W tail_distances[arcs_per_lane];
      bool active[arcs_per_lane];
      for (int j = 0; j < arcs_per_lane; ++j) {
        if (is_short) {
          positions[j] = base + first + j;
          tail_distances[j] = item.distance;
          active[j] = first + j < n_arcs;
          continue;
        }
        const int arc = first + static_cast<int>(j * cuda::warp_lanes + cuda::lane_without_sign());
        const int owner = cuda::owner_of(arc, start);
        positions[j] = __shfl_sync(cuda::all_lanes, base, owner) + arc;
        tail_distances[j] = __shfl_sync(cuda::all_lanes, item.distance, owner);
        active[j] = arc < total;
      }
      relax_arcs(positions, tail_distances, active, is_current, is_short && unchecked_);
    }
  }

  /// Returns the inclusive prefix sum over the lanes of the warp. From cuda::warp_exclusive_sum()
  /// the compiler makes a kernel with more registers.
  static __device__ int warp_inclusive_sum(int value) {
    for (unsigned step = 1; step < cuda::warp_lanes; step *= 2) {
      const int before = __shfl_up_sync(cuda::all_lanes, value, step);
      if (cuda::lane_without_sign() >= step) value += before;
    }
    return value;
  }

  /// Lowers the heads of the arcs marked in `active`, and pushes the heads that it lowered, unless
  /// the tail is not `is_current`: its distance was lowered since, and it is queued elsewhere. All
  /// loads come before their first use, so that they are in flight together.
  __device__ void relax_arcs(const edge_t (&positions)[arcs_per_lane],
                             const W (&tail_distances)[arcs_per_lane],
                             bool (&active)[arcs_per_lane], bool is_current, bool unchecked) {
    vertex_t heads[arcs_per_lane];
    W throughs[arcs_per_lane];
    for (int j = 0; j < arcs_per_lane; ++j) {
      heads[j] = active[j] ? view_.graph.heads[positions[j]] : 0;
      throughs[j] =
          active[j] ? extend_non_negative(tail_distances[j], weight_of(view_.graph, positions[j]))
                    : W{0};
    }
    for (int j = 0; j < arcs_per_lane; ++j) {
      active[j] = active[j] && is_current && throughs[j] <= view_.limit;
    }
    if (!unchecked) {
      W seen[arcs_per_lane];
      for (int j = 0; j < arcs_per_lane; ++j) {
        seen[j] = active[j] ? relaxed_load(view_.distances[heads[j]]) : W{0};
      }
      for (int j = 0; j < arcs_per_lane; ++j) active[j] = active[j] && throughs[j] < seen[j];
    }
    push(heads, throughs, active);
  }

  __device__ void push(const vertex_t (&heads)[arcs_per_lane], const W (&throughs)[arcs_per_lane],
                       const bool (&active)[arcs_per_lane]) {
    const bool queued = queue_has_space();
    edge_t begins[arcs_per_lane];
    edge_t ends[arcs_per_lane];
    bool is_near[arcs_per_lane];
    bool is_far[arcs_per_lane];
    for (int j = 0; j < arcs_per_lane; ++j) {
      begins[j] = queued && active[j] ? view_.graph.begin(heads[j]) : 0;
      ends[j] = queued && active[j] ? view_.graph.end(heads[j]) : 0;
    }
    bool any_far = false;
    for (int j = 0; j < arcs_per_lane; ++j) {
      const bool lowered = active[j] && lower_non_negative(view_.distances[heads[j]], throughs[j]);
      is_near[j] = lowered && throughs[j] <= lists_.threshold;
      is_far[j] = lowered && !is_near[j];
      any_far = any_far || is_far[j];
    }
    if (queued) enqueue(is_near, heads, throughs, begins, ends);
    append(lists_.near, *lists_.near_count, is_near, heads, throughs);
    if (lists_.far_count == nullptr || !__any_sync(cuda::all_lanes, any_far)) return;
    if (hop_ >= 0) store_far(is_far, heads, throughs);
    append(lists_.far, *lists_.far_count, is_far, heads, throughs);
  }

  /// Returns whether the queue has space: the same in the whole warp, although other warps push at
  /// the same time.
  __device__ bool queue_has_space() const {
    if (hop_ < 0) return false;
    return __any_sync(cuda::all_lanes, relaxed_load(queue_.counts[hop_ % 3]) < queue_.capacity) !=
           0;
  }

  /// Pushes near vertices to the block's queue; those that do not fit stay marked.
  __device__ void enqueue(bool (&is_near)[arcs_per_lane], const vertex_t (&heads)[arcs_per_lane],
                          const W (&throughs)[arcs_per_lane], const edge_t (&begins)[arcs_per_lane],
                          const edge_t (&ends)[arcs_per_lane]) {
    const WarpSlots<unsigned, arcs_per_lane> slots(queue_.counts[hop_ % 3], is_near);
    for (int j = 0; j < arcs_per_lane; ++j) {
      const std::int64_t slot = slots[j];
      if (!is_near[j] || slot >= queue_.capacity) continue;
      queue_.store(hop_, slot, {heads[j], throughs[j], begins[j], ends[j]});
      is_near[j] = false;
    }
  }

  /// Pushes far vertices to their buffer; those that do not fit stay marked.
  __device__ void store_far(bool (&is_far)[arcs_per_lane], const vertex_t (&heads)[arcs_per_lane],
                            const W (&throughs)[arcs_per_lane]) {
    const WarpSlots<unsigned, arcs_per_lane> slots(queue_.far_count, is_far);
    for (int j = 0; j < arcs_per_lane; ++j) {
      const std::int64_t slot = slots[j];
      if (!is_far[j] || slot >= queue_.capacity) continue;
      queue_.far_vertices[slot] = heads[j];
      queue_.far_distances[slot] = throughs[j];
      is_far[j] = false;
    }
  }

  const NearFarView<W>& view_;
  BlockQueue<W>& queue_;
  const StepLists<W>& lists_;
  int hop_ = -1;
  bool unchecked_ = false;
};

}  // namespace warpgraph::shortest_paths
