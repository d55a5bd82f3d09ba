// Breadth-first search by a team of CUDA devices, in rounds: see team_levels.cuh. The host puts
// some levels on all streams before it asks whether the search has ended; those after the last one
// do nothing.
#include "algorithms/bfs/bfs.hpp"
#include "algorithms/bfs/levels/hops_to_host.cuh"
#include "algorithms/bfs/levels/team_levels.cuh"
#include "core/containers/at.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/peer_access.hpp"
#include "core/interrupt.hpp"
#include "core/threads/parallel.hpp"
#include "graph/partition/device_partition.hpp"
#include "runtime/bulk_synchronous/team_kernel.cuh"

namespace warpgraph {
namespace {

using namespace bfs_detail;

/// Levels that the host launches before it asks whether the search has ended. Few graphs that are
/// searched in rounds have more. A level that does nothing takes some tens of microseconds; so does
/// asking.
constexpr int levels_together = 8;

__global__ void start_team(const __grid_constant__ TeamLevelView team,
                           const __grid_constant__ TeamLevelStart start) {
  start_levels(team, start);
}

__global__ void __launch_bounds__(queue_threads, blocks_per_multiprocessor)
    expand_level(const __grid_constant__ TeamLevelView team, int level) {
  __shared__ TeamLevelMemory memory;
  TeamLevels(team, memory).expand(level);
}

__global__ void __launch_bounds__(queue_threads, blocks_per_multiprocessor)
    settle_level(const __grid_constant__ TeamLevelView team, int level) {
  __shared__ TeamLevelMemory memory;
  TeamLevels(team, memory).settle(level);
}

__global__ void take_least(const __grid_constant__ LeastPredecessor least) { least.take(); }

/// Returns a function that takes the arrays of a member.
auto arrays_for(const BfsOptions& options, bool has_tree) {
  return [&options, has_tree](int member, cuda::BumpAllocator& memory) {
    const DevicePartition& parts = *options.parts;
    const DevicePartition& entering = options.entering == nullptr ? parts : *options.entering;
    return take_team_arrays(
        {parts.parts(), member, parts.shape(member), entering.shape(member), has_tree}, memory);
  };
}

class TeamSearch {
 public:
  TeamSearch(const CsrPattern& graph, const BfsOptions& options, bool has_tree,
             runtime::DeviceTeam& team)
      : graph_(graph),
        options_(options),
        parts_(options.parts->parts()),
        team_(team),
        members_(team, arrays_for(options, has_tree)),
        expand_(team, expand_level, queue_threads),
        settle_(team, settle_level, queue_threads) {
    for (int i = 0; i < team.size(); ++i) {
      last_states_.emplace_back(1);
      complete(members_[i].own, i);
    }
    connect_members(members_.all());
  }

  /// Searches until the last level. Waits.
  void run() const {
    const runtime::TeamWait wait(team_);
    start();
    const LevelState& state = *last_states_[0].data();
    for (int level = 0;; level += levels_together) {
      for (int i = 0; i < levels_together; ++i) {
        expand_.launch(members_.all(), level + i);
        team_.barrier();
        settle_.launch(members_.all(), level + i);
        team_.barrier();
      }
      team_.stream(0).synchronize();
      report_progress(state.n_reached, graph_.n_vertices);
      if (state.vertices == 0 || state.depth >= options_.limit) break;
    }
    report_progress(graph_.n_vertices, graph_.n_vertices);
    team_.end_step("levels");
  }

  /// Writes the hops of all vertices. Waits.
  void write_hops(vertex_t* hops) const {
    HopsToHost out(last_states_[0].data()->depth);
    team_.for_each([&](int i, const cuda::Stream& stream) {
      const LevelSearchView& own = members_[i].own;
      const vertex_t first = parts_.begin(i);
      out.copy(hops + first, own.hops + first, parts_.size(i), own.queue, stream);
    });
    out.finish();
    team_.end_step("hops to the host");
  }

  /// Writes the predecessors of vertices up to this depth. Waits.
  void write_predecessors(vertex_t last_depth, vertex_t* predecessors) const {
    const runtime::TeamWait wait(team_);
    team_.all_gather(runtime::ranges_of(parts_), [&](int i) { return members_[i].own.hops; });
    team_.barrier();
    LeastPredecessor least{{}, team_.size(), 0, 0, nullptr};
    team_.for_each([&](int i, const cuda::Stream& stream) {
      const TeamLevelView& view = members_[i];
      least.found_by[i] = view.predecessors;
      lower_predecessors(view.own.graph,
                         {view.own.hops, last_depth, parts_.begin(i), view.predecessors},
                         graph_.n_vertices, stream);
    });
    team_.barrier();
    team_.for_each([&](int i, const cuda::Stream& stream) {
      least.first = parts_.begin(i);
      least.end = parts_.end(i);
      least.least_of = members_[i].predecessors;
      cuda::launch_for(stream, parts_.size(i), take_least, least);
    });
    team_.end_step("tree");
    runtime::collect(
        team_, runtime::ranges_of(parts_),
        [&](int i) { return reinterpret_cast<const vertex_t*>(members_[i].predecessors); },
        predecessors);
    team_.end_step("tree to the host");
  }

 private:
  void complete(LevelSearchView& view, int member) {
    view.graph = options_.parts->pattern(member);
    view.transposed =
        options_.entering == nullptr ? view.graph : options_.entering->pattern(member);
    view.limit = options_.limit;
    view.last_state = last_states_[at(member)].data();
  }

  void start() const {
    TeamLevelStart start{options_.source, {1, graph_.degree(options_.source)}, {}};
    start.state.depth = -1;  // the first level has not begun
    start.state.heuristic = {options_.symmetric || options_.entering != nullptr, graph_.n_vertices,
                             graph_.n_arcs, cost_of_bottom_up};
    const std::int64_t most =
        std::max<std::int64_t>({graph_.n_vertices, chunks_of(start.frontier.arcs, chunk_arcs),
                                n_level_counts, team_.size()});
    team_.for_each([&](int i, const cuda::Stream& stream) {
      cuda::launch_for(stream, most, start_team, members_[i], start);
    });
    team_.barrier();
    team_.end_step("start");
  }

  const CsrPattern& graph_;
  const BfsOptions& options_;
  const PartitionView& parts_;
  runtime::DeviceTeam& team_;
  runtime::TeamArrays<TeamLevelView> members_;
  std::vector<cuda::PinnedBuffer<LevelState>> last_states_;
  const runtime::TeamKernel<TeamLevelView, int> expand_;
  const runtime::TeamKernel<TeamLevelView, int> settle_;
};

void require_memory(const CsrPattern& graph, const BfsOptions& options, bool has_tree) {
  const auto bytes_beside = [&](int part) {
    const std::size_t search =
        runtime::TeamArrays<TeamLevelView>::bytes(part, arrays_for(options, has_tree));
    if (options.entering == nullptr) return search;
    return search + DeviceStructure::bytes_of(options.entering->shape(part));
  };
  options.parts->require_memory("breadth-first search by several devices",
                                with_weights<float>(graph, nullptr), bytes_beside, options.budget);
}

/// Returns the hops of the farthest target; without targets, or if one is unreached, the limit.
vertex_t farthest_wanted(const BfsOptions& options, std::span<const vertex_t> hops) {
  vertex_t farthest = options.targets.empty() ? options.limit : 0;
  for (const vertex_t target : options.targets) {
    const vertex_t found = hops[at(target)];
    farthest = std::max(farthest, found == unreached ? options.limit : found);
  }
  return farthest;
}

}  // namespace

void bfs_on_devices(const CsrPattern& graph, const BfsOptions& options, std::span<vertex_t> hops,
                    std::span<vertex_t> predecessors) {
  require_memory(graph, options, !predecessors.empty());
  const std::vector<Device>& devices = options.parts->devices();
  for (const Device device : devices) {
    for (const Device peer : devices) cuda::require_peer_atomics(device, peer);
  }
  runtime::DeviceTeam team(devices);
  const TeamSearch search(graph, options, !predecessors.empty(), team);
  const cuda::MapWhileWaiting tree_pages(predecessors);
  const cuda::MapWhileWaiting hop_pages(hops);
  search.run();
  search.write_hops(hops.data());
  const vertex_t last_depth = farthest_wanted(options, hops);
  if (!predecessors.empty()) search.write_predecessors(last_depth, predecessors.data());
  if (last_depth == options.limit) return;
  parallel_for(std::ssize(hops), [&](std::int64_t v) {
    vertex_t& found = hops[static_cast<std::size_t>(v)];
    if (found > last_depth) found = unreached;
  });
}

}  // namespace warpgraph
