// Breadth-first search by a team of CUDA devices, in rounds: see team_levels.cuh. The host puts
// some levels on all streams before it asks whether the search has ended; those after the last one
// do nothing.
#include "algorithms/bfs/bfs.hpp"
#include "algorithms/bfs/team_levels.cuh"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/peer_buffer.hpp"
#include "core/interrupt.hpp"
#include "graph/partition/device_partition.hpp"
#include "runtime/bulk_synchronous/device_team.hpp"

namespace warpgraph {
namespace {

using namespace bfs_detail;

/// Few graphs that are searched in rounds have more levels. A level that does nothing takes some
/// tens of microseconds; so does asking whether the search has ended.
constexpr int levels_together = 8;

__global__ void start_team(const __grid_constant__ TeamLevelView team,
                           const __grid_constant__ TeamLevelStart start) {
  start_levels(team, start);
}

__global__ void __launch_bounds__(level_threads, blocks_per_multiprocessor)
    expand_level(const __grid_constant__ TeamLevelView team, int level) {
  __shared__ TeamLevelMemory memory;
  TeamLevels(team, memory).expand(level);
}

__global__ void __launch_bounds__(level_threads, blocks_per_multiprocessor)
    settle_level(const __grid_constant__ TeamLevelView team, int level) {
  __shared__ TeamLevelMemory memory;
  TeamLevels(team, memory).settle(level);
}

__global__ void take_least(const __grid_constant__ LeastPredecessor least) { least.take(); }

std::size_t at(int i) { return static_cast<std::size_t>(i); }

TeamLevelShape shape_of(const BfsOptions& options, int member, bool has_tree) {
  const DevicePartition& parts = *options.parts;
  const DevicePartition& entering = options.entering == nullptr ? parts : *options.entering;
  return {parts.parts(), member, parts.shape(member), entering.shape(member), has_tree};
}

class TeamSearch {
 public:
  TeamSearch(const CsrPattern& graph, const BfsOptions& options, bool has_tree,
             runtime::DeviceTeam& team)
      : graph_(graph), options_(options), parts_(options.parts->parts()), team_(team) {
    for (int i = 0; i < team.size(); ++i) {
      memory_.emplace_back(bytes(options, i, has_tree), team.stream(i));
      last_states_.emplace_back(1);
      views_.push_back(view(i, has_tree));
    }
    connect_members(views_);
    expand_blocks_ = resident_blocks(expand_level);
    settle_blocks_ = resident_blocks(settle_level);
  }

  /// Waits.
  void run() const {
    const runtime::TeamWait wait(team_);
    start();
    const LevelState& state = *last_states_[0].data();
    for (int level = 0;; level += levels_together) {
      for (int i = 0; i < levels_together; ++i) search(level + i);
      team_.stream(0).synchronize();
      report_progress(state.n_reached, graph_.n_vertices);
      if (state.vertices == 0 || state.depth >= options_.limit) break;
    }
    team_.end_step("levels");
  }

  /// Waits.
  void write_hops(vertex_t* hops) const {
    collect([](const TeamLevelView& view) { return view.own.hops; }, hops);
    team_.end_step("hops to the host");
  }

  /// The tree up to this depth. Waits.
  void write_predecessors(vertex_t last_depth, vertex_t* predecessors) const {
    const runtime::TeamWait wait(team_);
    std::vector<vertex_t*> hops;
    for (const TeamLevelView& view : views_) hops.push_back(view.own.hops);
    for (int i = 0; i < team_.size(); ++i) {
      team_.send<vertex_t>(i, hops, at(parts_.begin(i)), at(parts_.size(i)));
    }
    team_.barrier();
    LeastPredecessor least{{}, team_.size(), 0, 0, nullptr};
    for (int i = 0; i < team_.size(); ++i) {
      const TeamLevelView& view = views_[at(i)];
      least.found_by[i] = view.predecessors;
      lower_predecessors(view.own.graph,
                         {view.own.hops, last_depth, parts_.begin(i), view.predecessors},
                         graph_.n_vertices, team_.stream(i));
    }
    team_.barrier();
    for (int i = 0; i < team_.size(); ++i) {
      least.first = parts_.begin(i);
      least.end = parts_.end(i);
      least.least_of = views_[at(i)].predecessors;
      cuda::launch_for(team_.stream(i), parts_.size(i), take_least, least);
    }
    team_.end_step("tree");
    collect(
        [](const TeamLevelView& view) {
          return reinterpret_cast<const vertex_t*>(view.predecessors);
        },
        predecessors);
    team_.end_step("tree to the host");
  }

  /// On the device of a member, beside its rows.
  [[nodiscard]] static std::size_t bytes(const BfsOptions& options, int member, bool has_tree) {
    cuda::BumpAllocator sizes;
    take_team_arrays(shape_of(options, member, has_tree), sizes);
    return sizes.bytes();
  }

 private:
  [[nodiscard]] TeamLevelView view(int member, bool has_tree) {
    cuda::BumpAllocator memory(memory_[at(member)].data());
    TeamLevelView made = take_team_arrays(shape_of(options_, member, has_tree), memory);
    made.own.graph = options_.parts->pattern(member);
    made.own.transposed =
        options_.entering == nullptr ? made.own.graph : options_.entering->pattern(member);
    made.own.limit = options_.limit;
    made.own.last_state = last_states_[at(member)].data();
    return made;
  }

  /// Members may have different devices.
  [[nodiscard]] std::vector<std::int64_t> resident_blocks(void (*kernel)(TeamLevelView,
                                                                         int)) const {
    std::vector<std::int64_t> blocks;
    for (int i = 0; i < team_.size(); ++i) {
      blocks.push_back(cuda::resident_blocks(team_.stream(i), kernel, level_threads, 0));
    }
    return blocks;
  }

  void start() const {
    TeamLevelStart start{options_.source, {1, graph_.degree(options_.source)}, {}};
    start.state.depth = -1;  // the first level has not begun
    start.state.heuristic = {options_.symmetric || options_.entering != nullptr, graph_.n_vertices,
                             graph_.n_arcs, cost_of_bottom_up};
    const std::int64_t most =
        std::max<std::int64_t>({graph_.n_vertices, chunks_of(start.frontier.arcs, chunk_arcs),
                                n_level_counts, team_.size()});
    for (int i = 0; i < team_.size(); ++i) {
      cuda::launch_for(team_.stream(i), most, start_team, views_[at(i)], start);
    }
    team_.barrier();
    team_.end_step("start");
  }

  void search(int level) const {
    run(expand_level, expand_blocks_, level);
    run(settle_level, settle_blocks_, level);
  }

  void run(void (*kernel)(TeamLevelView, int), const std::vector<std::int64_t>& blocks,
           int level) const {
    for (int i = 0; i < team_.size(); ++i) {
      cuda::launch_cooperative(team_.stream(i), blocks[at(i)], level_threads, 0, kernel,
                               views_[at(i)], level);
    }
    team_.barrier();
  }

  /// Copies what members have of their own vertices to the host.
  template <class ArrayOf>
  void collect(ArrayOf&& array_of, vertex_t* to) const {
    std::vector<runtime::ResultSlice<vertex_t>> slices;
    for (int i = 0; i < team_.size(); ++i) {
      slices.push_back({array_of(views_[at(i)]) + parts_.begin(i), at(parts_.size(i))});
    }
    runtime::collect<vertex_t>(team_, slices, to);
  }

  const CsrPattern& graph_;
  const BfsOptions& options_;
  const PartitionView& parts_;
  runtime::DeviceTeam& team_;
  std::vector<cuda::DeviceBuffer<std::byte>> memory_;
  std::vector<cuda::PinnedBuffer<LevelState>> last_states_;
  std::vector<TeamLevelView> views_;
  std::vector<std::int64_t> expand_blocks_;
  std::vector<std::int64_t> settle_blocks_;
};

void require_memory(const CsrPattern& graph, const BfsOptions& options, bool has_tree) {
  const auto bytes_beside = [&](int part) {
    const std::size_t search = TeamSearch::bytes(options, part, has_tree);
    if (options.entering == nullptr) return search;
    return search + DeviceGraph::bytes_of(options.entering->shape(part));
  };
  options.parts->require_memory("breadth-first search by several devices",
                                with_weights<float>(graph, nullptr), bytes_beside,
                                options.memory_limit);
}

/// The hops of the farthest target; without targets, or if one is unreached, the limit.
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
