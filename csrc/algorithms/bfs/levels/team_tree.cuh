// The tree of hops that a team has found. Each member lowers predecessors by the arcs of its own
// rows, which may lead to vertices of others; then each takes the least ones of its own vertices.
// Private to this folder.
#pragma once

#include "algorithms/bfs/levels/team_levels.cuh"
#include "core/cuda/launch.cuh"
#include "runtime/bulk_synchronous/device_team.hpp"

namespace warpgraph::bfs_detail {

/// The predecessors that members have found, and the vertices of the member that takes the least.
struct LeastPredecessor {
  const std::uint32_t* found_by[max_parts];
  int n_members;
  vertex_t first;
  vertex_t end;
  std::uint32_t* least_of;
};

/// Takes the least predecessors, by a thread for each vertex.
static __global__ void take_least(const __grid_constant__ LeastPredecessor predecessors) {
  const std::int64_t v = predecessors.first + cuda::global_index();
  if (v >= predecessors.end) return;
  auto least = static_cast<std::uint32_t>(no_vertex);
  for (int i = 0; i < predecessors.n_members; ++i) {
    const std::uint32_t found = predecessors.found_by[i][v];
    least = found < least ? found : least;
  }
  predecessors.least_of[v] = least;
}

/// Writes the predecessors of vertices up to this depth to the host. Waits.
inline void write_predecessors(std::span<const TeamLevelView> members, vertex_t last_depth,
                               vertex_t* predecessors, runtime::DeviceTeam& team) {
  const runtime::TeamWait wait(team);
  const PartitionView& parts = members[0].parts;
  team.all_gather(runtime::ranges_of(parts), [&](int i) { return members[at(i)].own.hops; });
  team.barrier();
  LeastPredecessor least{{}, team.size(), 0, 0, nullptr};
  team.for_each([&](int i, const cuda::Stream& stream) {
    const TeamLevelView& view = members[at(i)];
    least.found_by[i] = view.predecessors;
    lower_predecessors(view.own.graph,
                       {view.own.hops, last_depth, parts.begin(i), view.predecessors},
                       parts.end(team.size() - 1), stream);
  });
  team.barrier();
  team.for_each([&](int i, const cuda::Stream& stream) {
    least.first = parts.begin(i);
    least.end = parts.end(i);
    least.least_of = members[at(i)].predecessors;
    cuda::launch_for(stream, parts.size(i), take_least, least);
  });
  team.end_step("tree");
  runtime::collect(
      team, runtime::ranges_of(parts),
      [&](int i) { return reinterpret_cast<const vertex_t*>(members[at(i)].predecessors); },
      predecessors);
  team.end_step("tree to the host");
}

}  // namespace warpgraph::bfs_detail
