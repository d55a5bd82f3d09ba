// The kernel of a round of Bellman-Ford, and how many blocks it has: see bellman_ford_cuda.cu.
#pragma once

#include "primitives/relaxation/device_edge_list.cuh"

#include <algorithm>

namespace warpgraph::shortest_paths {

/// Waves of resident blocks per launch: more of them balance blocks of different durations, and
/// each costs the start of its blocks.
inline constexpr std::int64_t waves_per_launch = 4;

template <class W, bool read_only>
__device__ W load_distance(const W* distances, vertex_t v) {
  if constexpr (read_only) return __ldg(distances + v);
  return relaxed_load(distances[v]);
}

template <bool non_negative, class W>
__device__ bool relax(W from, W weight, W to, W limit, W& distance) {
  if (from == infinity<W>()) return false;
  const W through = non_negative ? extend_non_negative(from, weight) : extend(from, weight);
  if (!(through < to && through <= limit)) return false;
  if constexpr (non_negative) return lower_non_negative(distance, through);
  return lower(distance, through);
}

/// `seen` and `distances` are the same array.
template <class W, bool read_only, bool non_negative>
__global__ void relax_edges(DeviceEdgeListView<W> edges, W limit, const W* seen, W* distances,
                            std::int32_t round, std::int32_t* last_change) {
  if (relaxed_load(*last_change) < round - 1) return;
  bool changed = false;
  const edge_t stride = static_cast<edge_t>(gridDim.x) * blockDim.x;
  for (edge_t e = cuda::global_index(); e < edges.n_edges; e += stride) {
    const vertex_t u = edges.tails[e];
    const vertex_t v = edges.heads[e];
    const W weight = edges.weight(e);
    const W at_u = load_distance<W, read_only>(seen, u);
    const W at_v = load_distance<W, read_only>(seen, v);
    // Unless the weight is negative, at most one of the two directions can lower a distance; if it
    // is, the next round relaxes the other one.
    changed |= relax<non_negative>(at_u, weight, at_v, limit, distances[v]) ||
               (edges.both_ways && relax<non_negative>(at_v, weight, at_u, limit, distances[u]));
  }
  if (changed && relaxed_load(*last_change) != round) relaxed_store(*last_change, round);
}

template <class W>
using EdgeRelaxation = void (*)(DeviceEdgeListView<W>, W, const W*, W*, std::int32_t,
                                std::int32_t*);

template <class W>
std::int64_t relaxation_blocks(const cuda::Stream& stream, EdgeRelaxation<W> kernel,
                               edge_t n_edges) {
  constexpr unsigned threads = cuda::threads_per_block;
  return std::min((n_edges + threads - 1) / threads,
                  waves_per_launch * cuda::resident_blocks(stream, kernel, threads, 0));
}

}  // namespace warpgraph::shortest_paths
