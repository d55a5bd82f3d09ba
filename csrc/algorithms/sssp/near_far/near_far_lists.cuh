// What near_far_cuda.cu keeps: lists of vertices on the device, the queue that a block keeps in its
// shared memory, and the state that outlives a launch.
#pragma once

#include "core/atomics.hpp"
#include "core/cuda/launch.cuh"
#include "primitives/relaxation/relax.hpp"

namespace warpgraph::shortest_paths {

inline constexpr unsigned whole_warp = 0xffffffff;

/// Vertices with the distance that they had when they were put there. A vertex that was lowered
/// since is stale here: it was put somewhere again with its new distance.
template <class W>
struct ItemList {
  vertex_t* vertices;
  W* distances;
  std::int64_t capacity;

  __device__ void store(std::int64_t place, vertex_t vertex, W distance) const {
    if (place >= capacity) return;  // counted though, and that tells that the list is incomplete
    vertices[place] = vertex;
    distances[place] = distance;
  }

  /// By one thread, where that is seldom.
  __device__ void append(unsigned long long& count, vertex_t vertex, W distance) const {
    store(static_cast<std::int64_t>(atomicAdd(&count, 1ull)), vertex, distance);
  }
};

__device__ inline unsigned lane_of_thread() { return threadIdx.x % cuda::warp_size; }

/// The places in a list of the flagged ones among a warp's threads, `n` flags each, all of them
/// together for one addition to the list's counter. To be called by whole warps.
template <class Counter, int n>
struct Places {
  Counter first;
  unsigned before[n];

  __device__ Places(Counter& counter, const bool (&flags)[n]) {
    const unsigned lower_lanes = (1u << lane_of_thread()) - 1;
    unsigned total = 0;
    for (int j = 0; j < n; ++j) {
      const unsigned flagged = __ballot_sync(whole_warp, flags[j]);
      before[j] = total + __popc(flagged & lower_lanes);
      total += __popc(flagged);
    }
    first = 0;
    if (total == 0) return;
    if (lane_of_thread() == 0) first = atomicAdd(&counter, static_cast<Counter>(total));
    first = __shfl_sync(whole_warp, first, 0);
  }
  __device__ std::int64_t operator[](int j) const {
    return static_cast<std::int64_t>(first) + before[j];
  }
};

/// Appends the flagged items of a warp. To be called by whole warps.
template <class W, int n>
__device__ void append(const ItemList<W>& list, unsigned long long& count, const bool (&flags)[n],
                       const vertex_t (&vertices)[n], const W (&distances)[n]) {
  const Places<unsigned long long, n> places(count, flags);
  for (int j = 0; j < n; ++j) {
    if (flags[j]) list.store(places[j], vertices[j], distances[j]);
  }
}

/// A vertex of many arcs is relaxed in pieces of its row, by warps of all blocks.
struct Piece {
  vertex_t vertex;
  std::int32_t index;
};
inline constexpr int arcs_per_piece = 512;
/// Up to this degree threads walk a vertex's arcs without dealing them out evenly; a mesh or a road
/// has no more.
inline constexpr int few_arcs = 8;

/// Where a step pushes to.
template <class W>
struct StepLists {
  ItemList<W> near, far;
  unsigned long long* near_count;
  unsigned long long* far_count;  // nullptr: far vertices are not listed
  unsigned long long* piece_count;
  W threshold;
};

/// A vertex in a block's queue, with its row.
template <class W>
struct QueuedVertex {
  vertex_t vertex;
  W distance;
  edge_t begin, end;
};

/// What a block has lowered and relaxes itself, without meeting the others. The rows are looked up
/// while the distance is lowered, so that they are there when the vertex's turn comes.
///
/// What is pushed in one hop is relaxed in the next, so there are two of each array, and three
/// counters: one belongs to what is relaxed, one to what that pushes, and one is being reset. Thus
/// one barrier parts two hops.
template <class W>
struct BlockQueue {
  static constexpr unsigned capacity = 512;
  vertex_t vertices[2][capacity];
  W distances[2][capacity];
  edge_t begins[2][capacity];
  edge_t ends[2][capacity];
  unsigned counts[3];  // may exceed the capacity: what came too late went to the list of all blocks
  int arcs[3];         // of the vertices in the queue that have more than a few

  // Far vertices wait here for the end of the step, since a hop should not wait for the counter of
  // the list of all blocks.
  vertex_t far_vertices[capacity];
  W far_distances[capacity];
  unsigned far_count;

  __device__ void reset(int hop) {
    counts[hop % 3] = 0;
    arcs[hop % 3] = 0;
  }

  __device__ void store(int hop, std::int64_t place, const QueuedVertex<W>& item) {
    const int side = hop % 2;
    vertices[side][place] = item.vertex;
    distances[side][place] = item.distance;
    begins[side][place] = item.begin;
    ends[side][place] = item.end;
    const edge_t degree = item.end - item.begin;
    if (degree <= few_arcs) return;
    atomicAdd(&arcs[hop % 3], static_cast<int>(degree < arcs_per_piece ? degree : arcs_per_piece));
  }

  /// A near vertex, by one thread.
  __device__ void push(int hop, const StepLists<W>& lists, const QueuedVertex<W>& item) {
    const unsigned place = atomicAdd(&counts[hop % 3], 1u);
    if (place < capacity) return store(hop, place, item);
    lists.near.append(*lists.near_count, item.vertex, item.distance);
  }

  /// A far one, if they are listed.
  __device__ void put_aside(const StepLists<W>& lists, vertex_t vertex, W distance) {
    const unsigned place = atomicAdd(&far_count, 1u);
    if (place >= capacity) return lists.far.append(*lists.far_count, vertex, distance);
    far_vertices[place] = vertex;
    far_distances[place] = distance;
  }
};

/// Counters that all blocks add to. Of several, the one that is counted in, the one that is read
/// and the one that is reset are different ones, so that a single barrier parts the steps.
template <class W>
struct NearFarCounters {
  unsigned long long near[3];
  unsigned long long far[3];
  unsigned long long pieces[2];
  W least[3];                 // of the far distances
  std::int32_t unsettled[3];  // not 0: a target is
};

/// Where the search stands: the same in all blocks, kept in memory between launches.
template <class W>
struct NearFarState {
  std::int64_t step;             // relaxations and collections so far
  std::int64_t turn;             // collections so far
  std::int64_t last_collection;  // the step that it was
  std::int64_t relaxed;          // vertices taken from lists so far
  W settled;                     // distances up to this one are final
  W threshold;                   // distances up to this one are near
  W width;                       // by which the threshold is raised
  W least;                       // no far vertex is nearer; 0 if that is not known
  bool is_narrow;                // the width should grow
  bool far_is_listed;
  bool is_done;
};

/// What the threads of a block tell each other.
template <class W>
struct Mailbox {
  unsigned long long count;
  W least;
};

/// In shared memory, since what is the same for a block should not take a register of each thread.
/// One thread writes what is not the queue, between barriers.
template <class W>
struct BlockMemory {
  BlockQueue<W> queue;
  StepLists<W> lists;
  NearFarState<W> at;
  Mailbox<W> mail;
};

template <class W>
struct NearFarView {
  CsrView<W> graph;
  W* distances = nullptr;
  W limit{};
  int fused_steps = 0;
  std::int64_t budget = 0;
  const vertex_t* targets = nullptr;
  std::int64_t n_targets = 0;
  ItemList<W> near_even{}, near_odd{};
  ItemList<W> far_even{}, far_odd{};
  Piece* pieces = nullptr;
  std::int64_t piece_capacity = 0;
  NearFarCounters<W>* counters = nullptr;
  NearFarState<W>* state = nullptr;
};

}  // namespace warpgraph::shortest_paths
