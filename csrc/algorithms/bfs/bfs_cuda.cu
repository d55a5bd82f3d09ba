#include "algorithms/bfs/bfs.hpp"
#include "algorithms/bfs/direction_heuristic.hpp"
#include "core/cuda/worklist.cuh"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/for_each_edge.cuh"

#include <cooperative_groups/reduce.h>

namespace warpgraph {
namespace {

namespace cg = cooperative_groups;

constexpr vertex_t unreached = -1;

/// A level is small when its frontier has fewer arcs than this and no hub. Then a few neighbouring
/// lanes per vertex are balanced enough, and the level takes less time than one kernel launch and
/// one read-back.
constexpr edge_t small_frontier_arcs = 1 << 18;
constexpr edge_t hub_degree = 1024;
/// At 3 to 20 microseconds per level, the host can react to Ctrl-C in time.
constexpr int levels_per_launch = 2048;
/// One block of 512 threads on most multiprocessors: a larger grid waits longer at its barrier.
constexpr std::int64_t small_level_blocks = 128;
constexpr unsigned small_level_threads = 512;

/// Arcs of an unreached vertex that one thread tests before its remaining arcs are spread over all
/// threads.
constexpr edge_t arcs_per_thread = 32;

/// State of the search. The queue holds every reached vertex once, the frontier last.
struct Level {
  vertex_t depth;
  std::int64_t first;     // start of the frontier in the queue
  std::int64_t vertices;  // of the frontier
  edge_t arcs;
  unsigned long long hubs;

  __device__ __host__ bool is_small() const { return arcs < small_frontier_arcs && hubs == 0; }
};

/// Counts of the vertices that a level reaches.
struct LevelCounts {
  unsigned long long vertices;
  unsigned long long arcs;
  unsigned long long hubs;
};

/// Appends vertices to the next frontier.
struct NextFrontier {
  CsrPattern graph;
  vertex_t* hops;
  vertex_t depth;  // of the vertices found
  cuda::WorklistView<vertex_t> found;
  LevelCounts* counts;

  /// Of all threads that reach v in this level, exactly one appends it.
  __device__ void visit(vertex_t v) const {
    if (relaxed_load(hops[v]) == unreached && compare_and_swap(hops[v], unreached, depth)) {
      append(v);
    }
  }
  __device__ void append(vertex_t v) const {
    found.push(v);
    const auto degree = static_cast<unsigned long long>(graph.degree(v));
    const auto active = cg::coalesced_threads();
    const auto arcs = cg::reduce(active, degree, cg::plus<unsigned long long>());
    if (active.thread_rank() == 0) atomicAdd(&counts->arcs, arcs);
    if (degree >= hub_degree) atomicAdd(&counts->hubs, 1ull);
  }
};

/// Runs levels until one is not small, the search ends, or levels_per_launch are done. A level
/// reads the counts of the previous level, fills its own, and clears those of the next. The latter
/// were last read one level ago, before the barrier in between, so one barrier per level is enough.
__global__ void expand_small_levels(CsrPattern graph, vertex_t* hops, vertex_t* queue, Level level,
                                    vertex_t limit, LevelCounts* counts_ring, Level* result) {
  const cg::grid_group grid = cg::this_grid();
  // Four lanes hide the latency of a road crossing's few arcs. A small frontier leaves threads idle
  // otherwise.
  const unsigned lanes = graph.n_arcs < 8 * static_cast<edge_t>(graph.n_vertices) ? 4 : 32;
  for (int round = 0; round < levels_per_launch; ++round) {
    if (level.vertices == 0 || level.depth >= limit || !level.is_small()) break;
    LevelCounts* counts = &counts_ring[(round + 1) % 3];
    if (grid.thread_rank() == 0) counts_ring[(round + 2) % 3] = LevelCounts{};
    const std::int64_t next = level.first + level.vertices;
    const NextFrontier next_frontier{graph,
                                     hops,
                                     level.depth + 1,
                                     {queue + next, &counts->vertices, graph.n_vertices - next},
                                     counts};
    visit_edges(graph, cuda::VertexList{queue + level.first, level.vertices}, lanes,
                [&](vertex_t, vertex_t head, edge_t) { next_frontier.visit(head); });
    grid.sync();
    level = {level.depth + 1, next, static_cast<std::int64_t>(relaxed_load(counts->vertices)),
             static_cast<edge_t>(relaxed_load(counts->arcs)), relaxed_load(counts->hubs)};
  }
  if (grid.thread_rank() == 0) *result = level;
}

/// Top-down step.
struct ExpandArc {
  NextFrontier next_frontier;
  __device__ void operator()(vertex_t, vertex_t head, edge_t) const { next_frontier.visit(head); }
};

/// Bottom-up step: each unreached vertex searches its first arcs for a neighbour in the frontier.
/// Vertices with further arcs are left for TestRemainingArcs. A neighbour that another thread
/// reaches meanwhile has the new depth, not that of the frontier, so it cannot be mistaken for a
/// frontier vertex.
__global__ void test_first_arcs(NextFrontier next_frontier,
                                cuda::WorklistView<vertex_t> unresolved) {
  const std::int64_t i = cuda::global_index();
  if (i >= next_frontier.graph.n_vertices || next_frontier.hops[i] != unreached) return;
  const auto v = static_cast<vertex_t>(i);
  const edge_t end = next_frontier.graph.end(v);
  const edge_t tried_end = min(end, next_frontier.graph.begin(v) + arcs_per_thread);
  for (edge_t e = next_frontier.graph.begin(v); e < tried_end; ++e) {
    if (relaxed_load(next_frontier.hops[next_frontier.graph.heads[e]]) == next_frontier.depth - 1) {
      relaxed_store(next_frontier.hops[v], next_frontier.depth);
      next_frontier.append(v);
      return;
    }
  }
  if (tried_end < end) unresolved.push(v);
}

/// Second part of the bottom-up step, for every arc of an unresolved vertex. Arcs of a vertex that
/// has been reached meanwhile are skipped.
struct TestRemainingArcs {
  NextFrontier next_frontier;
  __device__ void operator()(vertex_t tail, vertex_t head, edge_t) const {
    if (relaxed_load(next_frontier.hops[tail]) != unreached) return;
    if (relaxed_load(next_frontier.hops[head]) == next_frontier.depth - 1)
      next_frontier.visit(tail);
  }
};

/// Lowers the predecessor of a head to the smallest tail one hop nearer. As an unsigned number,
/// no_vertex is larger than every vertex.
struct LowerPredecessor {
  const vertex_t* hops;
  std::uint32_t* predecessors;
  __device__ void operator()(vertex_t tail, vertex_t head, edge_t) const {
    const vertex_t depth = hops[tail];
    if (depth != unreached && hops[head] == depth + 1) {
      lower(predecessors[head], static_cast<std::uint32_t>(tail));
    }
  }
};

class DeviceBfs {
 public:
  DeviceBfs(const CsrPattern& graph, const BfsOptions& options, const cuda::Stream& stream)
      : graph_(graph),
        limit_(options.limit),
        stream_(stream),
        hops_(static_cast<std::size_t>(graph.n_vertices), stream),
        queue_(static_cast<std::size_t>(graph.n_vertices), stream),
        unresolved_(options.symmetric ? graph.n_vertices : 0, stream),
        counts_ring_(3, stream),
        result_(1, stream),
        heuristic_(options.symmetric, graph.n_vertices, graph.n_arcs) {
    cuda::fill_bytes(hops_.data(), 0xFF, hops_.size(), stream);
    cuda::fill(hops_.data() + options.source, vertex_t{0}, 1, stream);
    cuda::fill(queue_.data(), options.source, 1, stream);
    // Only the device has the degrees. Treating the source as a hub is always correct.
    level_ = {0, 0, 1, 0, 1};
  }

  void run() {
    while (level_.vertices > 0 && level_.depth < limit_) {
      report_progress(level_.first + level_.vertices, graph_.n_vertices);
      if (level_.is_small()) {
        advance_small_levels();
      } else if (heuristic_.bottom_up(level_.vertices, level_.arcs)) {
        advance_bottom_up();
      } else {
        advance_top_down();
      }
    }
  }

  [[nodiscard]] const vertex_t* hops() const noexcept { return hops_.data(); }

 private:
  void advance_small_levels() {
    clear_counts();
    const std::int64_t blocks =
        std::min(small_level_blocks,
                 cuda::resident_blocks(stream_, expand_small_levels, small_level_threads, 0));
    cuda::launch_cooperative(stream_, blocks, small_level_threads, 0, expand_small_levels, graph_,
                             hops_.data(), queue_.data(), level_, limit_, counts_ring_.data(),
                             result_.data());
    level_ = cuda::read_back(result_.data(), stream_);
  }

  void advance_top_down() {
    clear_counts();
    const cuda::VertexList frontier{queue_.data() + level_.first, level_.vertices};
    cuda::for_each_edge(stream_, graph_, frontier, cuda::EdgeMapping::merge_path,
                        ExpandArc{next_frontier()});
    set_level(cuda::read_back(counts_ring_.data(), stream_));
  }

  void advance_bottom_up() {
    clear_counts();
    unresolved_.reset(stream_);
    cuda::launch_for(stream_, graph_.n_vertices, test_first_arcs, next_frontier(),
                     unresolved_.view());
    const cuda::VertexList unresolved{unresolved_.data(), unresolved_.size(stream_)};
    cuda::for_each_edge(stream_, graph_, unresolved, cuda::EdgeMapping::merge_path,
                        TestRemainingArcs{next_frontier()});
    set_level(cuda::read_back(counts_ring_.data(), stream_));
  }

  void clear_counts() { cuda::fill_bytes(counts_ring_.data(), 0, counts_ring_.size(), stream_); }

  [[nodiscard]] NextFrontier next_frontier() const {
    const std::int64_t next = level_.first + level_.vertices;
    LevelCounts* counts = counts_ring_.data();
    return {graph_,
            hops_.data(),
            level_.depth + 1,
            {queue_.data() + next, &counts->vertices, graph_.n_vertices - next},
            counts};
  }

  void set_level(const LevelCounts& counts) {
    level_ = {level_.depth + 1, level_.first + level_.vertices,
              static_cast<std::int64_t>(counts.vertices), static_cast<edge_t>(counts.arcs),
              counts.hubs};
  }

  CsrPattern graph_;
  vertex_t limit_;
  const cuda::Stream& stream_;
  cuda::DeviceBuffer<vertex_t> hops_;
  cuda::DeviceBuffer<vertex_t> queue_;
  cuda::Worklist<vertex_t> unresolved_;
  cuda::DeviceBuffer<LevelCounts> counts_ring_;
  cuda::DeviceBuffer<Level> result_;
  DirectionHeuristic heuristic_;
  Level level_;
};

void write_predecessors(const CsrPattern& graph, const vertex_t* hops,
                        std::span<vertex_t> predecessors, const cuda::Stream& stream) {
  const cuda::DeviceBuffer<std::uint32_t> found(predecessors.size(), stream);
  cuda::fill(found.data(), static_cast<std::uint32_t>(no_vertex), graph.n_vertices, stream);
  cuda::for_each_edge(stream, graph, cuda::AllVertices{graph.n_vertices},
                      cuda::EdgeMapping::merge_path, LowerPredecessor{hops, found.data()});
  cuda::copy(predecessors.data(), reinterpret_cast<const vertex_t*>(found.data()),
             predecessors.size(), stream);
}

void require_memory(const CsrPattern& graph, const BfsOptions& options, bool with_predecessors,
                    Device device) {
  // Hops, the queue and the scan over the degrees of a frontier; unresolved vertices; predecessors.
  const std::size_t words = 4 + (options.symmetric ? 1 : 0) + (with_predecessors ? 1 : 0);
  MemoryBudget(device, options.memory_limit)
      .require("breadth-first search",
               words * sizeof(vertex_t) * static_cast<std::size_t>(graph.n_vertices),
               "use device=\"cpu\", or clear() graphs that are no longer needed");
}

}  // namespace

void bfs_cuda(const CsrPattern& graph, const BfsOptions& options, std::span<vertex_t> hops,
              std::span<vertex_t> predecessors, const cuda::Stream& stream) {
  require_memory(graph, options, !predecessors.empty(), stream.device());
  DeviceBfs search(graph, options, stream);
  search.run();
  if (!predecessors.empty()) write_predecessors(graph, search.hops(), predecessors, stream);
  cuda::copy(hops.data(), search.hops(), hops.size(), stream);
  stream.synchronize();
}

}  // namespace warpgraph
