// State of near_far_cuda.cu: the lists of the grid in device memory, the queue of a block in shared
// memory, and the state that persists between launches.
#pragma once

#include "core/atomics.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "primitives/relaxation/relax.hpp"

namespace warpgraph::shortest_paths {

/// Vertices with their distances at the time of the insertion. An item whose vertex was lowered
/// since is stale: the vertex was inserted again, here or elsewhere, with its new distance.
template <class W>
struct ItemList {
  vertex_t* vertices;
  W* distances;
  std::int64_t capacity;

  __device__ void store(std::int64_t slot, vertex_t vertex, W distance) const {
    if (slot >= capacity) return;  // a count above the capacity shows that the list is incomplete
    vertices[slot] = vertex;
    distances[slot] = distance;
  }

  /// Appends a rare item, by one thread.
  __device__ void append(unsigned long long& count, vertex_t vertex, W distance) const {
    store(static_cast<std::int64_t>(atomicAdd(&count, 1ull)), vertex, distance);
  }
};

/// The slots in a list for the flagged items of a warp, `n` flags per lane, by one warp-aggregated
/// atomic addition to the list's counter. Whole warps construct them.
template <class Counter, int n>
struct WarpSlots {
  Counter first;
  unsigned before[n];

  __device__ WarpSlots(Counter& counter, const bool (&flags)[n]) {
    unsigned total = 0;
    for (int j = 0; j < n; ++j) {
      const unsigned flagged = __ballot_sync(cuda::all_lanes, flags[j]);
      before[j] = total + __popc(flagged & cuda::lanemask_lt());
      total += __popc(flagged);
    }
    first = 0;
    if (total == 0) return;
    first = cuda::warp_fetch_add(counter, static_cast<Counter>(total));
  }
  __device__ std::int64_t operator[](int j) const {
    return static_cast<std::int64_t>(first) + before[j];
  }
};

/// Appends the flagged items of a warp. Whole warps call this.
template <class W, int n>
__device__ void append(const ItemList<W>& list, unsigned long long& count, const bool (&flags)[n],
                       const vertex_t (&vertices)[n], const W (&distances)[n]) {
  const WarpSlots<unsigned long long, n> slots(count, flags);
  for (int j = 0; j < n; ++j) {
    if (flags[j]) list.store(slots[j], vertices[j], distances[j]);
  }
}

/// A chunk of a row of more than arcs_per_chunk arcs. Warps of all blocks relax the chunks.
struct LongRowChunk {
  vertex_t vertex;
  std::int32_t index;
};
inline constexpr int arcs_per_chunk = 512;
/// The most arcs of a short row, which is relaxed without load balancing. Meshes and road networks
/// have only such rows.
inline constexpr int max_short_degree = 8;

/// The lists that a step pushes to.
template <class W>
struct StepLists {
  ItemList<W> near, far;
  unsigned long long* near_count;
  unsigned long long* far_count;  // nullptr: far vertices are not listed
  unsigned long long* chunk_count;
  W threshold;
};

/// A vertex in a block's queue, with the bounds of its row.
template <class W>
struct QueuedVertex {
  vertex_t vertex;
  W distance;
  edge_t begin, end;
};

/// Vertices that a block has lowered and relaxes itself, without a grid barrier. The bounds of
/// their rows are loaded together with the atomic minimum, so that the next hop need not wait for
/// them.
///
/// The vertices that are pushed in one hop are relaxed in the next, so there are two of each array,
/// and three counters: one for those being relaxed, one for those that they push, and one being
/// reset. So one barrier between two hops is sufficient.
template <class W>
struct BlockQueue {
  static constexpr unsigned capacity = 512;
  vertex_t vertices[2][capacity];
  W distances[2][capacity];
  edge_t begins[2][capacity];
  edge_t ends[2][capacity];
  unsigned counts[3];  // may exceed the capacity: the excess went to the list of the grid
  int arcs[3];         // of the vertices in the queue whose rows are not short

  // Far vertices are buffered here until the end of the step, since a hop should not wait for the
  // counter of the grid's list.
  vertex_t far_vertices[capacity];
  W far_distances[capacity];
  unsigned far_count;

  __device__ void reset(int hop) {
    counts[hop % 3] = 0;
    arcs[hop % 3] = 0;
  }

  __device__ void store(int hop, std::int64_t slot, const QueuedVertex<W>& item) {
    const int side = hop % 2;
    vertices[side][slot] = item.vertex;
    distances[side][slot] = item.distance;
    begins[side][slot] = item.begin;
    ends[side][slot] = item.end;
    const edge_t degree = item.end - item.begin;
    if (degree <= max_short_degree) return;
    atomicAdd(&arcs[hop % 3], static_cast<int>(degree < arcs_per_chunk ? degree : arcs_per_chunk));
  }

  /// Pushes a near vertex, by one thread.
  __device__ void push(int hop, const StepLists<W>& lists, const QueuedVertex<W>& item) {
    const unsigned slot = atomicAdd(&counts[hop % 3], 1u);
    if (slot < capacity) return store(hop, slot, item);
    lists.near.append(*lists.near_count, item.vertex, item.distance);
  }

  /// Buffers a far vertex, by one thread, and only if far vertices are listed.
  __device__ void store_far(const StepLists<W>& lists, vertex_t vertex, W distance) {
    const unsigned slot = atomicAdd(&far_count, 1u);
    if (slot >= capacity) return lists.far.append(*lists.far_count, vertex, distance);
    far_vertices[slot] = vertex;
    far_distances[slot] = distance;
  }
};

/// Counters that all blocks add to. There are several of each, so that the one that is added to,
/// the one that is read and the one that is reset differ, and a single barrier between steps is
/// sufficient.
template <class W>
struct NearFarCounters {
  unsigned long long near[3];
  unsigned long long far[3];
  unsigned long long chunks[2];
  W min_far[3];               // the minimum of the far distances
  std::int32_t unsettled[3];  // not 0: some target is not settled
};

/// The state of the search: the same in all blocks, saved in device memory between launches.
template <class W>
struct NearFarState {
  std::int64_t step;        // relaxations and splits so far
  std::int64_t n_splits;    // so far
  std::int64_t last_split;  // the step of the last split
  std::int64_t n_relaxed;   // vertices taken from lists so far
  W settled;                // distances up to this one are final
  W threshold;              // distances up to this one are near
  W width;                  // by which the threshold is raised
  W min_far;                // a lower bound of the far distances; 0 if none is known
  bool is_narrow;           // the width should grow
  bool far_is_listed;
  bool is_done;
  bool may_split;  // where a team of devices agrees on splits, each search one a launch at most
};

/// A buffer for a block's reductions and broadcasts, in shared memory.
template <class W>
struct BlockReduction {
  unsigned long long count;
  W min_far;
};

/// The shared memory of a block: values that are uniform in a block should not occupy a register of
/// each thread. Everything but the queue is written by one thread, between barriers.
template <class W>
struct BlockMemory {
  BlockQueue<W> queue;
  StepLists<W> lists;
  NearFarState<W> state;
  BlockReduction<W> reduction;
};

template <class W>
struct NearFarView {
  CsrView<W> graph;
  W* distances = nullptr;
  W limit{};
  int fused_hops = 0;
  bool in_rounds = false;  // splits only where the state allows one
  std::int64_t budget = 0;
  const vertex_t* targets = nullptr;
  std::int64_t n_targets = 0;
  ItemList<W> near_even{}, near_odd{};
  ItemList<W> far_even{}, far_odd{};
  LongRowChunk* chunks = nullptr;
  std::int64_t chunk_capacity = 0;
  NearFarCounters<W>* counters = nullptr;
  NearFarState<W>* state = nullptr;
};

}  // namespace warpgraph::shortest_paths
