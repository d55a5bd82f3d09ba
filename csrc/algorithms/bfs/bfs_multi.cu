// Breadth-first search by a team of CUDA devices, in rounds: see team_levels.cuh. The host puts
// some levels on all streams before it asks whether the search has ended; those after the last one
// do nothing.
#include "algorithms/bfs/levels/hops_to_host.cuh"
#include "algorithms/bfs/levels/team_levels.cuh"
#include "algorithms/bfs/levels/team_tree.cuh"
#include "core/containers/at.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/peer_access.hpp"
#include "core/interrupt.hpp"
#include "core/threads/parallel.hpp"
#include "runtime/bulk_synchronous/team_step.cuh"

namespace warpgraph {
namespace {

using namespace bfs_detail;

/// Levels that the host launches before it asks whether the search has ended. Few graphs that are
/// searched in rounds have more. A level that does nothing takes some tens of microseconds; so does
/// asking.
constexpr int levels_together = 8;

class TeamSearch {
 public:
  TeamSearch(const CsrPattern& graph, const BfsOptions& options, bool has_tree,
             runtime::DeviceTeam& team)
      : graph_(graph),
        options_(options),
        parts_(options.parts->parts()),
        team_(team),
        members_(team, arrays_for(options, has_tree)),
        last_states_(at(team.size())),
        expand_(team, expand_level, queue_threads),
        settle_(team, settle_level, queue_threads) {
    connect_members(members_.all(), options);
    for (int i = 0; i < team.size(); ++i) members_[i].own.last_state = last_states_.data() + i;
  }

  /// Searches until the last level. Waits.
  void run() const {
    const runtime::TeamWait wait(team_);
    start();
    const LevelState& state = last_states_[0];
    for (int level = 0;; level += levels_together) {
      for (int i = 0; i < levels_together; ++i) {
        expand_.run(members_.all(), level + i);
        settle_.run(members_.all(), level + i);
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
    HopsToHost out(last_states_[0].depth);
    team_.for_each([&](int i, const cuda::Stream& stream) {
      const LevelSearchView& own = members_[i].own;
      const vertex_t first = parts_.begin(i);
      out.copy(hops + first, own.hops + first, parts_.size(i), own.queue, stream);
    });
    out.finish();
    team_.end_step("hops to the host");
  }

  [[nodiscard]] std::span<const TeamLevelView> members() const { return members_.all(); }

 private:
  void start() const {
    TeamLevelStart start{options_.source, {1, graph_.degree(options_.source)}, {}};
    start.state.depth = -1;  // the first level has not begun
    start.state.heuristic = {options_.symmetric || options_.entering != nullptr, graph_.n_vertices,
                             graph_.n_arcs, cost_of_bottom_up};
    const std::int64_t most =
        std::max<std::int64_t>({graph_.n_vertices, chunks_of(start.frontier.arcs, chunk_arcs),
                                n_level_counts, team_.size()});
    team_.for_each([&](int i, const cuda::Stream& stream) {
      cuda::launch_for(stream, most, start_team_levels, members_[i], start);
    });
    team_.barrier();
    team_.end_step("start");
  }

  const CsrPattern& graph_;
  const BfsOptions& options_;
  const PartitionView& parts_;
  runtime::DeviceTeam& team_;
  runtime::TeamArrays<TeamLevelView> members_;
  const cuda::PinnedBuffer<LevelState> last_states_;  // of each member
  const runtime::TeamStep<TeamLevelView, int> expand_;
  const runtime::TeamStep<TeamLevelView, int> settle_;
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
  if (!predecessors.empty()) {
    write_predecessors(search.members(), last_depth, predecessors.data(), team);
  }
  if (last_depth == options.limit) return;
  parallel_for(std::ssize(hops), [&](std::int64_t v) {
    vertex_t& found = hops[static_cast<std::size_t>(v)];
    if (found > last_depth) found = unreached;
  });
}

}  // namespace warpgraph
