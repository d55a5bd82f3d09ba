// Relaxing vertices by warps, for near_far_cuda.cu. A warp takes up to 32 vertices: if all have few
// arcs, each thread walks those of its own; else the arcs are laid end to end and dealt out evenly,
// and rows of more than arcs_per_piece are left to all warps of the grid.
#pragma once

#include "algorithms/sssp/near_far/near_far_lists.cuh"

namespace warpgraph::shortest_paths {

/// Arcs that a thread has under way at once: enough loads in flight to fill the memory's latency.
inline constexpr int arcs_at_once = 4;

/// The vertex that a thread of a warp brings to be relaxed.
template <class W>
struct NearItem {
  vertex_t vertex = 0;
  W distance{};  // when it was put into a list or the queue
  W now{};       // as it is since; less means stale
  edge_t begin = 0;
  edge_t degree = 0;  // 0 also where there is no vertex
};

template <class W>
class WarpRelaxation {
 public:
  __device__ WarpRelaxation(const NearFarView<W>& view, BlockMemory<W>& block)
      : view_(view), queue_(block.queue), lists_(block.lists) {}

  /// Pushes go to the queue as hop `hop`, or only to the lists if that is negative. `blind`: lower
  /// what few arcs lead to without having looked first. With little to do that saves a trip to
  /// memory; else it costs bandwidth, and at hubs, which many arcs lead to, queues.
  __device__ void set_mode(int hop, bool blind) {
    hop_ = hop;
    blind_ = blind;
  }

  /// A vertex from a list. The loads do not wait for each other.
  __device__ NearItem<W> look_up(vertex_t vertex, W distance) const {
    const W now = relaxed_load(view_.distances[vertex]);
    const edge_t begin = view_.graph.begin(vertex);
    return {vertex, distance, now, begin, view_.graph.end(vertex) - begin};
  }
  /// A vertex from the block's queue.
  __device__ NearItem<W> take(int hop, unsigned place) const {
    const int side = hop % 2;
    const vertex_t vertex = queue_.vertices[side][place];
    const edge_t begin = queue_.begins[side][place];
    return {vertex, queue_.distances[side][place], relaxed_load(view_.distances[vertex]), begin,
            queue_.ends[side][place] - begin};
  }
  /// A part of a row, as its vertex is now: if that was lowered since, it is queued again.
  __device__ NearItem<W> look_up(const Piece& piece) const {
    const W now = relaxed_load(view_.distances[piece.vertex]);
    const edge_t begin =
        view_.graph.begin(piece.vertex) + static_cast<edge_t>(piece.index) * arcs_per_piece;
    const edge_t rest = view_.graph.end(piece.vertex) - begin;
    return {piece.vertex, now, now, begin, rest < arcs_per_piece ? rest : arcs_per_piece};
  }

  /// Relaxes a warp's items. To be called by whole warps.
  __device__ void relax(NearItem<W> item) {
    const bool is_even = !__any_sync(whole_warp, item.degree > few_arcs);
    if (!is_even) {
      if (item.now != item.distance) item.degree = 0;
      if (__any_sync(whole_warp, item.degree > arcs_per_piece)) leave_in_pieces(item);
    }
    // Rows so long that the list of pieces was too short for them take several turns.
    do {
      constexpr edge_t most = 1 << 20;
      const auto n_arcs = static_cast<int>(item.degree < most ? item.degree : most);
      relax_rows(item, n_arcs, is_even);
      item.begin += n_arcs;
      item.degree -= n_arcs;
    } while (__any_sync(whole_warp, item.degree > 0));
  }

 private:
  /// Items of many arcs become pieces. What does not fit that list remains with the item.
  __device__ void leave_in_pieces(NearItem<W>& item) {
    unsigned heavy = __ballot_sync(whole_warp, item.degree > arcs_per_piece);
    for (; heavy != 0; heavy &= heavy - 1) {
      const int owner = __ffs(static_cast<int>(heavy)) - 1;
      const vertex_t vertex = __shfl_sync(whole_warp, item.vertex, owner);
      const edge_t degree = __shfl_sync(whole_warp, item.degree, owner);
      const std::int64_t n = (degree + arcs_per_piece - 1) / arcs_per_piece;
      unsigned long long first = 0;
      if (lane_of_thread() == 0) {
        first = atomicAdd(lists_.piece_count, static_cast<unsigned long long>(n));
      }
      const auto place = static_cast<std::int64_t>(__shfl_sync(whole_warp, first, 0));
      std::int64_t room = view_.piece_capacity - place;
      room = room < 0 ? 0 : room < n ? room : n;
      for (std::int64_t i = lane_of_thread(); i < room; i += cuda::warp_size) {
        view_.pieces[place + i] = {vertex, static_cast<std::int32_t>(i)};
      }
      if (lane_of_thread() == static_cast<unsigned>(owner)) {
        item.begin += room * arcs_per_piece;
        item.degree = room == n ? 0 : degree - room * arcs_per_piece;
      }
    }
  }

  /// Relaxes the first n_arcs of each item: even ones each by its own thread, others dealt out.
  __device__ void relax_rows(const NearItem<W>& item, int n_arcs, bool is_even) {
    const bool is_fresh = !is_even || item.now == item.distance;
    const int end = is_even ? n_arcs : sum_up_to_lane(n_arcs);
    const int start = is_even ? 0 : end - n_arcs;
    const int total = __shfl_sync(whole_warp, end, cuda::warp_size - 1);
    const edge_t base = item.begin - start;
    constexpr int at_once = arcs_at_once * static_cast<int>(cuda::warp_size);
    for (int first = 0; is_even ? __any_sync(whole_warp, first < n_arcs) != 0 : first < total;
         first += is_even ? arcs_at_once : at_once) {
      edge_t positions[arcs_at_once];
      W tail_distances[arcs_at_once];
      bool open[arcs_at_once];
      for (int j = 0; j < arcs_at_once; ++j) {
        if (is_even) {
          positions[j] = base + first + j;
          tail_distances[j] = item.distance;
          open[j] = first + j < n_arcs;
          continue;
        }
        const int arc = first + static_cast<int>(j * cuda::warp_size + lane_of_thread());
        const int owner = owner_of(arc, start);
        positions[j] = __shfl_sync(whole_warp, base, owner) + arc;
        tail_distances[j] = __shfl_sync(whole_warp, item.distance, owner);
        open[j] = arc < total;
      }
      relax_arcs(positions, tail_distances, open, is_fresh, is_even && blind_);
    }
  }

  /// The sum over this thread of the warp and those before it.
  static __device__ int sum_up_to_lane(int value) {
    for (unsigned step = 1; step < cuda::warp_size; step *= 2) {
      const int before = __shfl_up_sync(whole_warp, value, step);
      if (lane_of_thread() >= step) value += before;
    }
    return value;
  }

  /// The last thread of the warp whose start is at or before the arc. One without arcs never is.
  static __device__ int owner_of(int arc, int start) {
    int owner = 0;
    for (int step = cuda::warp_size / 2; step > 0; step /= 2) {
      if (__shfl_sync(whole_warp, start, owner + step) <= arc) owner += step;
    }
    return owner;
  }

  /// Lowers the heads of the arcs marked in `open`, and pushes those that it lowered, unless the
  /// tail turns out not to be `fresh`: its distance was lowered since, and it is queued elsewhere.
  /// The loads stand before what waits for them, so that all are under way together.
  __device__ void relax_arcs(const edge_t (&positions)[arcs_at_once],
                             const W (&tail_distances)[arcs_at_once], bool (&open)[arcs_at_once],
                             bool fresh, bool blind) {
    vertex_t heads[arcs_at_once];
    W throughs[arcs_at_once];
    for (int j = 0; j < arcs_at_once; ++j) {
      heads[j] = open[j] ? view_.graph.heads[positions[j]] : 0;
      throughs[j] =
          open[j] ? extend_forward(tail_distances[j], weight_of(view_.graph, positions[j])) : W{0};
    }
    for (int j = 0; j < arcs_at_once; ++j) {
      open[j] = open[j] && fresh && throughs[j] <= view_.limit;
    }
    if (!blind) {
      W seen[arcs_at_once];
      for (int j = 0; j < arcs_at_once; ++j) {
        seen[j] = open[j] ? relaxed_load(view_.distances[heads[j]]) : W{0};
      }
      for (int j = 0; j < arcs_at_once; ++j) open[j] = open[j] && throughs[j] < seen[j];
    }
    push(heads, throughs, open);
  }

  __device__ void push(const vertex_t (&heads)[arcs_at_once], const W (&throughs)[arcs_at_once],
                       const bool (&open)[arcs_at_once]) {
    const bool queued = has_room_in_queue();
    edge_t begins[arcs_at_once];
    edge_t ends[arcs_at_once];
    bool is_near[arcs_at_once];
    bool is_far[arcs_at_once];
    for (int j = 0; j < arcs_at_once; ++j) {
      begins[j] = queued && open[j] ? view_.graph.begin(heads[j]) : 0;
      ends[j] = queued && open[j] ? view_.graph.end(heads[j]) : 0;
    }
    bool any_far = false;
    for (int j = 0; j < arcs_at_once; ++j) {
      const bool lowered = open[j] && lower_non_negative(view_.distances[heads[j]], throughs[j]);
      is_near[j] = lowered && throughs[j] <= lists_.threshold;
      is_far[j] = lowered && !is_near[j];
      any_far = any_far || is_far[j];
    }
    if (queued) enqueue(is_near, heads, throughs, begins, ends);
    append(lists_.near, *lists_.near_count, is_near, heads, throughs);
    if (lists_.far_count == nullptr || !__any_sync(whole_warp, any_far)) return;
    if (hop_ >= 0) put_aside(is_far, heads, throughs);
    append(lists_.far, *lists_.far_count, is_far, heads, throughs);
  }

  /// The same for the whole warp, although others push meanwhile.
  __device__ bool has_room_in_queue() const {
    if (hop_ < 0) return false;
    return __any_sync(whole_warp, relaxed_load(queue_.counts[hop_ % 3]) < queue_.capacity) != 0;
  }

  /// Puts near ones into the block's queue; those that find no room there stay marked.
  __device__ void enqueue(bool (&is_near)[arcs_at_once], const vertex_t (&heads)[arcs_at_once],
                          const W (&throughs)[arcs_at_once], const edge_t (&begins)[arcs_at_once],
                          const edge_t (&ends)[arcs_at_once]) {
    const Places<unsigned, arcs_at_once> places(queue_.counts[hop_ % 3], is_near);
    for (int j = 0; j < arcs_at_once; ++j) {
      const std::int64_t place = places[j];
      if (!is_near[j] || place >= queue_.capacity) continue;
      queue_.store(hop_, place, {heads[j], throughs[j], begins[j], ends[j]});
      is_near[j] = false;
    }
  }

  /// The same for far ones.
  __device__ void put_aside(bool (&is_far)[arcs_at_once], const vertex_t (&heads)[arcs_at_once],
                            const W (&throughs)[arcs_at_once]) {
    const Places<unsigned, arcs_at_once> places(queue_.far_count, is_far);
    for (int j = 0; j < arcs_at_once; ++j) {
      const std::int64_t place = places[j];
      if (!is_far[j] || place >= queue_.capacity) continue;
      queue_.far_vertices[place] = heads[j];
      queue_.far_distances[place] = throughs[j];
      is_far[j] = false;
    }
  }

  const NearFarView<W>& view_;
  BlockQueue<W>& queue_;
  const StepLists<W>& lists_;
  int hop_ = -1;
  bool blind_ = false;
};

}  // namespace warpgraph::shortest_paths
