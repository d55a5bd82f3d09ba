// Edge-parallel Bellman-Ford [5 in sssp.hpp], with frontiers where they are small. A round after
// many lowered distances relaxes all edges; a thread relaxes an edge, in both directions if the
// graph is symmetric. A round after few relaxes the rows of the frontier: by that, an H100 takes 49
// ms instead of 118 for an R-MAT graph of 2^26 vertices. A round is three launches; those that find
// nothing to do return at once:
//
//   relax_frontier   the rows of the vertices whose distances the round before has lowered, or
//   relax_edges      all edges,
//   find_frontier    compares distances with those that rows were last relaxed with, counts the
//                    arcs of the rows that have to be relaxed again, and queues their vertices
//                    unless they are many. relax_frontier marks the blocks of vertices in which it
//                    lowers a distance, so that others need not be read.
//
// Races. Distances only decrease, by atomic minima, and every value is the sum along some walk. A
// thread may read a stale distance, or one that another thread is lowering: the value is at most
// that at the start of the launch, since memory is coherent between launches. So after round r
// every vertex whose shortest walk has at most r arcs has its distance (after 2r rounds with
// negative weights, where a thread that lowers one end leaves the other end to the next round).
// Plain stores instead of atomic minima would reach the same distances, but could overwrite a
// smaller value, and the number of rounds would not be bounded by the number of vertices.
//
// Read-only loads. Distances are read through the read-only data cache, and written through another
// pointer. That cache is not coherent with writes, but it is empty at the start of every launch, so
// a value from it is at most as old as the launch, and the argument above holds.
//
// Termination. After find_frontier, every row was relaxed with the distance that its vertex has, or
// is counted in the frontier. So if there is nothing to relax, no arc can lower any distance, and
// all later launches return at once. The host need not check between rounds: it launches a batch of
// rounds, then waits for the batch before.
#include "algorithms/sssp/bellman_ford/bellman_ford_rounds.cuh"
#include "algorithms/sssp/bellman_ford/team_bellman_ford.cuh"
#include "algorithms/sssp/device_searches.hpp"
#include "core/cuda/memory/peer_access.hpp"

#include <algorithm>

namespace warpgraph::shortest_paths {

template <class W>
vertex_t segment_length_for(vertex_t n_vertices, Device device) {
  int l2_cache = 0;
  CUDA_TRY(cudaDeviceGetAttribute(&l2_cache, cudaDevAttrL2CacheSize, device.index));
  const vertex_t length = std::max(1, l2_cache / 2 / 3 / static_cast<int>(sizeof(W)));
  return n_vertices / 3 < length ? 0 : length;
}

template <class W>
std::size_t bellman_ford_bytes(const CsrPattern& graph) {
  return Frontier<W>::bytes(graph.n_vertices, graph.n_vertices, graph.n_arcs);
}

template <class W>
void bellman_ford_on(const cuda::Stream& stream, const DeviceEdgeListView<W>& edges,
                     const CsrView<W>& graph, const CsrView<W>& host, const SsspOptions<W>& options,
                     W* distances) {
  run_bellman_ford(
      stream, edges, graph, host, options,
      options.negative_weights ? relax_edges<W, true, false> : relax_edges<W, true, true>,
      distances);
}

template <class W>
bool bellman_ford_on_devices(const CsrView<W>& graph, vertex_t source,
                             const SsspOptions<W>& options, W* distances) {
  const std::vector<Device>& devices = options.parts->devices();
  const auto plan_for = [&](Device device) {
    return DeviceEdgeListPlan{options.symmetric, segment_length_for<W>(graph.n_vertices, device),
                              true};
  };
  TeamBellmanFord<W>::require_memory(graph, options, plan_for);
  cuda::enable_peer_access(devices);
  runtime::DeviceTeam team(devices);
  return TeamBellmanFord<W>(graph, options, plan_for, team).run(source, distances);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(segment_length_for)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(bellman_ford_bytes)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(bellman_ford_on)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(bellman_ford_on_devices)

}  // namespace warpgraph::shortest_paths
