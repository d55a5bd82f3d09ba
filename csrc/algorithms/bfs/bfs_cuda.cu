#include "algorithms/bfs/bfs.hpp"
#include "algorithms/bfs/direction.hpp"
#include "core/cuda/worklist.cuh"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/for_each_edge.cuh"

#include <cooperative_groups/reduce.h>

namespace warpgraph {
namespace {

namespace cg = cooperative_groups;

constexpr vertex_t unreached = -1;

/// A level is thin when its frontier has fewer arcs than this and no hub: then neighbouring lanes a
/// vertex are balanced enough, and the level takes less than one launch and one answer to the host.
constexpr edge_t thin_arcs = 1 << 18;
constexpr edge_t hub_degree = 1024;
/// Levels in one launch: at 3 to 20 microseconds each, the host hears Ctrl-C in time.
constexpr int thin_levels_per_launch = 2048;
/// One block of 512 on most multiprocessors: a wider grid waits longer at its barrier.
constexpr std::int64_t thin_blocks = 128;
constexpr unsigned thin_threads = 512;

/// Arcs of an unreached vertex that one thread tries before all threads share what is left.
constexpr edge_t tried_arcs = 32;

/// Where the search stands. The list holds every reached vertex once, the frontier last.
struct Level {
  vertex_t depth;
  std::int64_t first;     // of the frontier in the list
  std::int64_t vertices;  // of the frontier
  edge_t arcs;
  unsigned long long hubs;

  __device__ __host__ bool is_thin() const { return arcs < thin_arcs && hubs == 0; }
};

/// What a level finds.
struct Tally {
  unsigned long long vertices;
  unsigned long long arcs;
  unsigned long long hubs;
};

/// Adds vertices to the next frontier.
struct Discovery {
  CsrPattern graph;
  vertex_t* hops;
  vertex_t depth;  // of the vertices found
  cuda::WorklistView<vertex_t> found;
  Tally* tally;

  /// Of all threads that reach v in this level, one lists it.
  __device__ void reach(vertex_t v) const {
    if (relaxed_load(hops[v]) == unreached && compare_and_swap(hops[v], unreached, depth)) list(v);
  }
  __device__ void list(vertex_t v) const {
    found.push(v);
    const auto degree = static_cast<unsigned long long>(graph.degree(v));
    const auto together = cg::coalesced_threads();
    const auto arcs = cg::reduce(together, degree, cg::plus<unsigned long long>());
    if (together.thread_rank() == 0) atomicAdd(&tally->arcs, arcs);
    if (degree >= hub_degree) atomicAdd(&tally->hubs, 1ull);
  }
};

/// Levels until one is not thin, the search is over, or the launch has done its share. A level
/// reads the tally of the one before, fills its own, and clears the next one's: that was last read
/// a level ago, before the barrier between. So one barrier a level is enough.
__global__ void search_thin_levels(CsrPattern graph, vertex_t* hops, vertex_t* list, Level level,
                                   vertex_t limit, Tally* tallies, Level* result) {
  const cg::grid_group grid = cg::this_grid();
  // Four lanes hide the latency of a road crossing's few arcs; a frontier this thin leaves threads
  // idle otherwise.
  const unsigned lanes = graph.n_arcs < 8 * static_cast<edge_t>(graph.n_vertices) ? 4 : 32;
  for (int round = 0; round < thin_levels_per_launch; ++round) {
    if (level.vertices == 0 || level.depth >= limit || !level.is_thin()) break;
    Tally* tally = &tallies[(round + 1) % 3];
    if (grid.thread_rank() == 0) tallies[(round + 2) % 3] = Tally{};
    const std::int64_t next = level.first + level.vertices;
    const Discovery discovery{graph,
                              hops,
                              level.depth + 1,
                              {list + next, &tally->vertices, graph.n_vertices - next},
                              tally};
    visit_edges(graph, cuda::VertexList{list + level.first, level.vertices}, lanes,
                [&](vertex_t, vertex_t head, edge_t) { discovery.reach(head); });
    grid.sync();
    level = {level.depth + 1, next, static_cast<std::int64_t>(relaxed_load(tally->vertices)),
             static_cast<edge_t>(relaxed_load(tally->arcs)), relaxed_load(tally->hubs)};
  }
  if (grid.thread_rank() == 0) *result = level;
}

/// A level from the frontier's side.
struct ReachHead {
  Discovery discovery;
  __device__ void operator()(vertex_t, vertex_t head, edge_t) const { discovery.reach(head); }
};

/// A level from the other side: unreached vertices look for a neighbour in the frontier. Those that
/// still have arcs to try after the first few are left for look_further. A neighbour that another
/// thread reaches meanwhile has the new depth, not the frontier's, so it cannot be mistaken.
__global__ void look_for_frontier(Discovery discovery, cuda::WorklistView<vertex_t> undecided) {
  const std::int64_t i = cuda::global_index();
  if (i >= discovery.graph.n_vertices || discovery.hops[i] != unreached) return;
  const auto v = static_cast<vertex_t>(i);
  const edge_t end = discovery.graph.end(v);
  const edge_t last_try = min(end, discovery.graph.begin(v) + tried_arcs);
  for (edge_t e = discovery.graph.begin(v); e < last_try; ++e) {
    if (relaxed_load(discovery.hops[discovery.graph.heads[e]]) == discovery.depth - 1) {
      relaxed_store(discovery.hops[v], discovery.depth);
      discovery.list(v);
      return;
    }
  }
  if (last_try < end) undecided.push(v);
}

/// For every arc of an undecided vertex; once it is decided, its other arcs only find that out.
struct LookFurther {
  Discovery discovery;
  __device__ void operator()(vertex_t tail, vertex_t head, edge_t) const {
    if (relaxed_load(discovery.hops[tail]) != unreached) return;
    if (relaxed_load(discovery.hops[head]) == discovery.depth - 1) discovery.reach(tail);
  }
};

/// The smallest tail of an arc that leads one hop further; as an unsigned number, no_vertex is
/// larger than every vertex.
struct OfferPredecessor {
  const vertex_t* hops;
  std::uint32_t* predecessors;
  __device__ void operator()(vertex_t tail, vertex_t head, edge_t) const {
    const vertex_t depth = hops[tail];
    if (depth != unreached && hops[head] == depth + 1) {
      lower(predecessors[head], static_cast<std::uint32_t>(tail));
    }
  }
};

class Search {
 public:
  Search(const CsrPattern& graph, const BfsOptions& options, const cuda::Stream& stream)
      : graph_(graph),
        limit_(options.limit),
        stream_(stream),
        hops_(static_cast<std::size_t>(graph.n_vertices), stream),
        list_(static_cast<std::size_t>(graph.n_vertices), stream),
        undecided_(options.mirrored ? graph.n_vertices : 0, stream),
        tallies_(3, stream),
        result_(1, stream),
        rule_(options.mirrored, graph.n_vertices, graph.n_arcs) {
    cuda::fill_bytes(hops_.data(), 0xFF, hops_.size(), stream);
    cuda::fill(hops_.data() + options.source, vertex_t{0}, 1, stream);
    cuda::fill(list_.data(), options.source, 1, stream);
    // Whether the source is a hub only the device knows; treating it as one is always right.
    level_ = {0, 0, 1, 0, 1};
  }

  void run() {
    while (level_.vertices > 0 && level_.depth < limit_) {
      report_progress(level_.first + level_.vertices, graph_.n_vertices);
      if (level_.is_thin()) {
        advance_thin_levels();
      } else if (rule_.bottom_up(level_.vertices, level_.arcs)) {
        advance_bottom_up();
      } else {
        advance_top_down();
      }
    }
  }

  [[nodiscard]] const vertex_t* hops() const noexcept { return hops_.data(); }

 private:
  void advance_thin_levels() {
    clear_tallies();
    const std::int64_t blocks =
        std::min(thin_blocks, cuda::resident_blocks(stream_, search_thin_levels, thin_threads, 0));
    cuda::launch_cooperative(stream_, blocks, thin_threads, 0, search_thin_levels, graph_,
                             hops_.data(), list_.data(), level_, limit_, tallies_.data(),
                             result_.data());
    level_ = cuda::read_back(result_.data(), stream_);
  }

  void advance_top_down() {
    clear_tallies();
    const cuda::VertexList frontier{list_.data() + level_.first, level_.vertices};
    cuda::for_each_edge(stream_, graph_, frontier, cuda::EdgeMapping::merge_path,
                        ReachHead{discovery()});
    step_to(cuda::read_back(tallies_.data(), stream_));
  }

  void advance_bottom_up() {
    clear_tallies();
    undecided_.reset(stream_);
    cuda::launch_for(stream_, graph_.n_vertices, look_for_frontier, discovery(), undecided_.view());
    const cuda::VertexList undecided{undecided_.data(), undecided_.size(stream_)};
    cuda::for_each_edge(stream_, graph_, undecided, cuda::EdgeMapping::merge_path,
                        LookFurther{discovery()});
    step_to(cuda::read_back(tallies_.data(), stream_));
  }

  void clear_tallies() { cuda::fill_bytes(tallies_.data(), 0, tallies_.size(), stream_); }

  [[nodiscard]] Discovery discovery() const {
    const std::int64_t next = level_.first + level_.vertices;
    Tally* tally = tallies_.data();
    return {graph_,
            hops_.data(),
            level_.depth + 1,
            {list_.data() + next, &tally->vertices, graph_.n_vertices - next},
            tally};
  }

  void step_to(const Tally& tally) {
    level_ = {level_.depth + 1, level_.first + level_.vertices,
              static_cast<std::int64_t>(tally.vertices), static_cast<edge_t>(tally.arcs),
              tally.hubs};
  }

  CsrPattern graph_;
  vertex_t limit_;
  const cuda::Stream& stream_;
  cuda::DeviceBuffer<vertex_t> hops_;
  cuda::DeviceBuffer<vertex_t> list_;
  cuda::Worklist<vertex_t> undecided_;
  cuda::DeviceBuffer<Tally> tallies_;
  cuda::DeviceBuffer<Level> result_;
  DirectionRule rule_;
  Level level_;
};

void write_predecessors(const CsrPattern& graph, const vertex_t* hops,
                        std::span<vertex_t> predecessors, const cuda::Stream& stream) {
  const cuda::DeviceBuffer<std::uint32_t> found(predecessors.size(), stream);
  cuda::fill(found.data(), static_cast<std::uint32_t>(no_vertex), graph.n_vertices, stream);
  cuda::for_each_edge(stream, graph, cuda::AllVertices{graph.n_vertices},
                      cuda::EdgeMapping::merge_path, OfferPredecessor{hops, found.data()});
  cuda::copy(predecessors.data(), reinterpret_cast<const vertex_t*>(found.data()),
             predecessors.size(), stream);
}

void require_memory(const CsrPattern& graph, const BfsOptions& options, bool with_predecessors,
                    Device device) {
  // Hops, the list and the scan over a frontier's degrees; what is undecided; predecessors.
  const std::size_t words = 4 + (options.mirrored ? 1 : 0) + (with_predecessors ? 1 : 0);
  MemoryBudget(device, options.memory_limit)
      .require("breadth-first search",
               words * sizeof(vertex_t) * static_cast<std::size_t>(graph.n_vertices),
               "use device=\"cpu\", or clear() graphs that are no longer needed");
}

}  // namespace

void bfs_cuda(const CsrPattern& graph, const BfsOptions& options, std::span<vertex_t> hops,
              std::span<vertex_t> predecessors, const cuda::Stream& stream) {
  require_memory(graph, options, !predecessors.empty(), stream.device());
  Search search(graph, options, stream);
  search.run();
  if (!predecessors.empty()) write_predecessors(graph, search.hops(), predecessors, stream);
  cuda::copy(hops.data(), search.hops(), hops.size(), stream);
  stream.synchronize();
}

}  // namespace warpgraph
