// The kernels that relax edges in a round of Bellman-Ford, and how many blocks they have: see
// bellman_ford_cuda.cu.
#pragma once

#include "algorithms/sssp/bellman_ford/frontier.cuh"
#include "primitives/relaxation/device_edge_list.cuh"

#include <algorithm>

namespace warpgraph::shortest_paths {

/// Reads a distance; if `read_only`, through the read-only data cache.
template <class W, bool read_only>
__device__ W load_distance(const W* distances, vertex_t v) {
  if constexpr (read_only) return __ldg(distances + v);
  return relaxed_load(distances[v]);
}

/// Relaxes an arc. `to` is the distance as it was read before. Returns whether that was larger than
/// the sum: no thread waits for what the atomic operation finds.
template <bool non_negative, class W>
__device__ bool relax(W from, W weight, W to, W limit, W& distance) {
  if (from == infinity<W>()) return false;
  const W through = non_negative ? extend_non_negative(from, weight) : extend(from, weight);
  if (!(through < to && through <= limit)) return false;
  if constexpr (non_negative) {
    lower_non_negative(distance, through);
  } else {
    lower(distance, through);
  }
  return true;
}

/// Returns what a round relaxes. All threads of a block call it.
__device__ inline Pass pass_of(const TeamFrontier& frontier, std::int32_t round) {
  __shared__ Pass pass;
  if (threadIdx.x == 0) pass = frontier.pass_of(round);
  __syncthreads();
  return pass;
}

/// Relaxes all edges, in rounds that do so. `seen` and `distances` are the same array.
template <class W, bool read_only, bool non_negative>
__global__ void relax_edges(DeviceEdgeListView<W> edges, W limit, const W* seen, W* distances,
                            const __grid_constant__ TeamFrontier frontier, std::int32_t round) {
  if (pass_of(frontier, round) != Pass::edges) return;
  const edge_t stride = static_cast<edge_t>(gridDim.x) * blockDim.x;
  for (edge_t e = cuda::global_index(); e < edges.n_edges; e += stride) {
    const vertex_t u = __ldcs(edges.tails + e);
    const vertex_t v = __ldcs(edges.heads + e);
    const W weight = edges.weight(e);
    const W at_u = load_distance<W, read_only>(seen, u);
    const W at_v = load_distance<W, read_only>(seen, v);
    // At most one of the two directions can lower a distance, unless the weight is negative: then
    // the next round relaxes the other one.
    if (!relax<non_negative>(at_u, weight, at_v, limit, distances[v]) && edges.both_ways) {
      relax<non_negative>(at_v, weight, at_u, limit, distances[u]);
    }
  }
}

template <class W>
using EdgeRelaxation = void (*)(DeviceEdgeListView<W>, W, const W*, W*, TeamFrontier, std::int32_t);

/// Relaxes the rows of a member's frontier, in rounds that do not relax all edges. `last_round` is
/// the last one with anything to relax.
template <class W, bool non_negative>
__global__ void __launch_bounds__(queue_threads)
    relax_frontier(const __grid_constant__ FrontierView<W> view, W limit, W* distances,
                   std::int32_t round, std::int32_t* last_round) {
  const Pass pass = pass_of(view.all, round);
  if (pass != Pass::none && cuda::global_index() == 0) relaxed_store(*last_round, round);
  if (pass != Pass::frontier) return;
  const auto n = static_cast<std::int64_t>(view.counts[TeamFrontier::slot(round - 1)].chunks);
  constexpr int overlap = 4;
  visit_queue<overlap>(view.rows, view.queue, n, [&](const LaneArcs(&arcs)[overlap]) {
    const vertex_t own = arcs[0].tail_of_owner;
    const W own_distance = own == no_vertex ? infinity<W>() : relaxed_load(distances[own]);
    for (const LaneArcs& arc : arcs) {
      const W from = __shfl_sync(cuda::all_lanes, own_distance, arc.owner);
      if (arc.head == no_vertex) continue;
      W& distance = distances[arc.head];
      if (relax<non_negative>(from, weight_of(view.rows, arc.position), relaxed_load(distance),
                              limit, distance)) {
        view.marks.set(arc.head, round);
      }
    }
  });
}

/// Returns the number of blocks that run at the same time: they pass over the list together, once,
/// so that a segment of distances stays in the cache until its last edge is relaxed. With four
/// times as many, an H100 takes 50 ms instead of 40 for an R-MAT graph of 2^26 vertices.
template <class W>
std::int64_t relaxation_blocks(const cuda::Stream& stream, EdgeRelaxation<W> kernel,
                               edge_t n_edges) {
  constexpr unsigned threads = cuda::threads_per_block;
  return std::min((n_edges + threads - 1) / threads,
                  cuda::resident_blocks(stream, kernel, threads, 0));
}

/// Returns the number of blocks of a kernel that visits up to n vertices, or chunks of rows.
template <class Kernel>
std::int64_t blocks_for_frontier(const cuda::Stream& stream, Kernel kernel, std::int64_t n) {
  const std::int64_t useful = (n + queue_threads - 1) / queue_threads;
  return std::clamp<std::int64_t>(useful, 1,
                                  cuda::resident_blocks(stream, kernel, queue_threads, 0));
}

}  // namespace warpgraph::shortest_paths
