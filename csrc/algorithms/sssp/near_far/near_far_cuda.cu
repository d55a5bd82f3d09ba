// Near-far search [6 in sssp.hpp] in a persistent cooperative kernel. A launch runs until its
// budget is spent, so that the host can poll for Ctrl-C; the next launch continues from the saved
// state.
//
// A vertex whose distance is lowered to at most a threshold is near and relaxed in the next step;
// the others are far. When no near vertices are left, distances up to the threshold are final. Then
// a split of the far vertices raises the threshold by a width and finds those that became near. A
// step is a relaxation of the near vertices or a split; grid barriers separate the steps. What
// determines the time:
//
//   Road networks and meshes: the latency of a hop; paths have thousands of hops. So a block keeps
//   the vertices that it lowers in a queue in shared memory and runs up to `fused_hops` hops
//   between two grid barriers. That relaxes some vertices too early, which is cheap; for the same
//   reason the width is tens of weights. A hop then is two dependent memory accesses, as few
//   instructions as possible (short_row_relaxation.cuh), and a block barrier: 1.3 microseconds.
//   Power-law graphs: memory bandwidth. The queues overflow, so the lists of the grid hold all near
//   vertices; a warp divides the arcs of its vertices evenly among its lanes, and long rows are
//   split into chunks for the whole grid.
//
// An overflow of a list is harmless, since the distances determine what the lists hold: with s the
// distance up to which all are settled, near vertices have distances in (s, threshold], far ones
// beyond. If the near list overflows, one step scans all vertices instead. If the far list
// overflows, far vertices are no longer listed, and splits scan all vertices until few enough are
// left. On power-law graphs, where most vertices are far at the same time, that is also faster than
// listing them.
//
// Races: distances only decrease, by atomic minima. The thread that lowers a distance pushes the
// pair of vertex and new distance, so each pair is pushed once; a stale pair is dropped. A thread
// may use a distance that another thread is lowering; the other thread's push repeats the work.
#include "algorithms/sssp/device_searches.hpp"
#include "algorithms/sssp/near_far/near_far_search.cuh"
#include "algorithms/sssp/near_far/team_search.cuh"
#include "algorithms/sssp/searches.hpp"
#include "core/cuda/memory/peer_access.hpp"

namespace warpgraph::shortest_paths {

template <class W>
std::size_t near_far_bytes(const CsrPattern& graph) {
  const Capacities capacities(graph);
  return capacities.items() * (sizeof(vertex_t) + sizeof(W)) +
         static_cast<std::size_t>(capacities.chunks) * sizeof(LongRowChunk) +
         sizeof(NearFarCounters<W>) + sizeof(NearFarState<W>);
}

template <class W>
void near_far_on(const cuda::Stream& stream, const CsrView<W>& graph, const CsrView<W>& host,
                 DeviceSources sources, const SsspOptions<W>& options, const vertex_t* targets,
                 W* distances) {
  NearFarSearch<W>(stream, graph, host, options, {}, targets, distances).run(sources);
}

template <class W>
bool near_far_on_devices(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
                         W* distances) {
  const DevicePartition& partition = *options.parts;
  const PartitionView& parts = partition.parts();
  partition.require_memory(
      "finding shortest paths by several devices", graph,
      [&](int part) { return TeamNearFar<W>::bytes(graph, parts, part); }, options.budget);
  cuda::enable_peer_access(partition.devices());
  runtime::DeviceTeam team(partition.devices());
  const bool fits_all = TeamNearFar<W>(graph, options, team).run(source, distances);
  report_progress(graph.n_vertices, graph.n_vertices);
  return fits_all;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(near_far_bytes)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(near_far_on)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(near_far_on_devices)

}  // namespace warpgraph::shortest_paths
