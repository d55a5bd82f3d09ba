#include "algorithms/bfs/bfs.hpp"
#include "algorithms/bfs/levels/device_levels.cuh"
#include "algorithms/bfs/levels/hops_to_host.cuh"
#include "algorithms/sssp/sssp.hpp"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/gather.cuh"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/interrupt.hpp"
#include "core/memory/host_vector.hpp"

namespace warpgraph {
namespace {

using namespace bfs_detail;

__global__ void __launch_bounds__(queue_threads, blocks_per_multiprocessor)
    search_levels(const __grid_constant__ LevelSearchView view) {
  __shared__ LevelMemory memory;
  LevelSearch(view, memory, WholeGraph(view)).run();
}

/// Reaches the source and queues its chunks, in one launch. Each further launch or fill
/// would take 2 microseconds; a search of a small graph takes 100 in all.
__global__ void start_levels(LevelSearchView view, LevelState state, std::int64_t n_words,
                             vertex_t source) {
  const std::int64_t i = cuda::global_index();
  if (i < view.graph.n_vertices) view.hops[i] = i == source ? 0 : unreached;
  if (i < n_words) view.reached[0][i] = i == source / 32 ? 1u << (source % 32) : 0;
  if (i < state.n_chunks) view.queue[i] = {source, static_cast<std::uint32_t>(i)};
  if (i < n_level_counts) view.counts[i] = {};
  if (i == 0) *view.state = state;
}

/// Replaces infinite distances of near-far search by `unreached`.
__global__ void mark_unreached(vertex_t* hops, vertex_t n_vertices) {
  const std::int64_t v = cuda::global_index();
  if (v < n_vertices && hops[v] == infinity<vertex_t>()) hops[v] = unreached;
}

/// Places the arrays of a level search; the bitmaps are one array.
LevelSearchView take_arrays(const CsrPattern& graph, cuda::BumpAllocator& memory) {
  LevelSearchView view = take_level_arrays(graph, graph, memory);
  view.reached[0] =
      memory.take<std::uint32_t>(static_cast<std::size_t>(2 * bitmap_words(graph.n_vertices)));
  view.reached[1] = view.reached[0] + bitmap_words(graph.n_vertices);
  return view;
}

std::size_t level_search_bytes(const CsrPattern& graph) {
  cuda::BumpAllocator sizes;
  take_arrays(graph, sizes);
  return sizes.bytes();
}

class DeviceLevelSearch {
 public:
  DeviceLevelSearch(const CsrPattern& graph, const CsrPattern& host, const BfsOptions& options,
                    vertex_t* hops, const cuda::Stream& stream)
      : stream_(stream), memory_(level_search_bytes(host), stream), last_state_(1) {
    cuda::BumpAllocator memory(memory_.data());
    view_ = take_arrays(host, memory);
    view_.graph = graph;
    view_.transposed =
        options.symmetric || options.transposed == nullptr ? graph : *options.transposed;
    view_.limit = options.limit;
    view_.hops = hops;
    view_.last_state = last_state_.data();
    start(host, options);
  }

  /// Launches a kernel that searches some levels.
  void launch() {
    const std::int64_t blocks = cuda::resident_blocks(stream_, search_levels, queue_threads, 0);
    cuda::launch_cooperative(stream_, blocks, queue_threads, 0, search_levels, view_);
  }
  /// Waits for that kernel, and launches others until the search ends.
  void finish() {
    while (true) {
      stream_.synchronize();
      const LevelState& state = last_state_[0];
      report_progress(state.n_reached, view_.graph.n_vertices);
      if (state.vertices == 0 || state.depth >= view_.limit) break;
      cuda::fill_bytes(view_.counts, 0, n_level_counts, stream_);
      launch();
    }
    report_progress(view_.graph.n_vertices, view_.graph.n_vertices);
  }

  /// Returns how far a search that has ended got.
  [[nodiscard]] BfsExtent extent() const {
    const LevelState& state = last_state_[0];
    return {state.n_reached, state.vertices == 0 ? state.depth - 1 : state.depth};
  }

  /// Writes the hops of all vertices. Waits.
  void write_hops(vertex_t* to) const {
    HopsToHost out(last_state_[0].depth);
    out.copy(to, view_.hops, view_.graph.n_vertices, view_.queue, stream_);
    out.finish();
  }

 private:
  void start(const CsrPattern& host, const BfsOptions& options) {
    LevelState state{};
    state.arcs = host.degree(options.source);
    state.n_chunks = chunks_of(state.arcs, chunk_arcs);
    state.vertices = state.n_reached = 1;
    state.heuristic = {options.symmetric || options.transposed != nullptr, host.n_vertices,
                       host.n_arcs, cost_of_bottom_up};
    const std::int64_t n_words = 2 * bitmap_words(host.n_vertices);
    const std::int64_t most =
        std::max<std::int64_t>({host.n_vertices, n_words, state.n_chunks, n_level_counts});
    cuda::launch_for(stream_, most, start_levels, view_, state, n_words, options.source);
  }

  const cuda::Stream& stream_;
  const cuda::DeviceBuffer<std::byte> memory_;
  const cuda::PinnedBuffer<LevelState> last_state_;
  LevelSearchView view_;
};

/// Searches by near-far over arcs of length 1.
void search_near_far(const CsrPattern& graph, const CsrPattern& host, const BfsOptions& options,
                     std::span<vertex_t> hops, const cuda::Stream& stream) {
  SsspOptions<vertex_t> near_far;
  near_far.method = SsspMethod::near_far;
  near_far.limit = options.limit;
  near_far.targets = options.targets;
  sssp_cuda(CsrView<vertex_t>{graph}, CsrView<vertex_t>{host}, {&options.source, 1}, near_far,
            {hops, {}, true}, stream);
  cuda::launch_for(stream, host.n_vertices, mark_unreached, hops.data(), host.n_vertices);
}

/// Writes the hops of the targets. Returns the hops of the farthest one, beyond which vertices are
/// not wanted, or infinity if one is unreached.
vertex_t write_targets(const vertex_t* hops, std::span<const vertex_t> targets,
                       const DeviceBfsResult& result, const cuda::Stream& stream) {
  const cuda::DeviceBuffer<vertex_t> indices = cuda::to_device(targets, stream);
  const cuda::DeviceBuffer<vertex_t> gathered(targets.size(), stream);
  cuda::gather(hops, indices.data(), std::ssize(targets), gathered.data(), stream);
  const auto of_targets =
      cuda::to_host<HostVector<vertex_t>>(gathered.data(), targets.size(), stream);
  if (result.on_device) {
    cuda::copy(result.hops.data(), gathered.data(), targets.size(), stream);
  } else {
    std::ranges::copy(of_targets, result.hops.begin());
  }
  if (std::ranges::find(of_targets, unreached) != of_targets.end()) return infinity<vertex_t>();
  return std::ranges::max(of_targets);
}

void write_predecessors(const CsrPattern& graph, const vertex_t* hops, vertex_t last_depth,
                        std::span<vertex_t> predecessors, const cuda::Stream& stream) {
  const cuda::DeviceBuffer<std::uint32_t> found(predecessors.size(), stream);
  lower_predecessors(graph, {hops, last_depth, 0, found.data()}, graph.n_vertices, stream);
  cuda::copy_out(predecessors.data(), reinterpret_cast<const vertex_t*>(found.data()),
                 predecessors.size(), stream);
}

/// Returns whether the search writes to the array of the result.
bool writes_in_place(const BfsOptions& options, const DeviceBfsResult& result) {
  return result.on_device && options.targets.empty();
}

void require_memory(const CsrPattern& graph, const BfsOptions& options,
                    const DeviceBfsResult& result, Device device) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  const std::size_t n_arrays =
      (writes_in_place(options, result) ? 0 : 1) + (result.predecessors.empty() ? 0 : 1);
  // The targets, here and in the near-far search, and their hops.
  const std::size_t words = n_arrays * n + 3 * options.targets.size();
  options.budget.on(device).require(
      "breadth-first search",
      words * sizeof(vertex_t) + (options.by_levels
                                      ? level_search_bytes(graph)
                                      : shortest_paths::near_far_bytes<vertex_t>(graph)),
      "use device=\"cpu\", or clear() graphs that are no longer needed");
}

}  // namespace

struct BfsProbe::Search {
  Search(const CsrPattern& graph, const CsrPattern& host, const BfsOptions& options,
         const cuda::Stream& stream)
      : hops(static_cast<std::size_t>(host.n_vertices), stream),
        levels(graph, host, options, hops.data(), stream) {}

  const cuda::DeviceBuffer<vertex_t> hops;
  DeviceLevelSearch levels;
};

BfsProbe::BfsProbe(const CsrPattern& graph, const CsrPattern& host, const BfsOptions& options,
                   const cuda::Stream& stream) {
  require_memory(host, options, {}, stream.device());
  search_ = std::make_unique<Search>(graph, host, options, stream);
  search_->levels.launch();
}

BfsProbe::~BfsProbe() = default;

BfsExtent BfsProbe::finish() {
  search_->levels.finish();
  return search_->levels.extent();
}

void bfs_cuda(const CsrPattern& graph, const CsrPattern& host, const BfsOptions& options,
              const DeviceBfsResult& result, const cuda::Stream& stream) {
  require_memory(host, options, result, stream.device());
  cuda::DeviceBuffer<vertex_t> own_hops;
  std::span<vertex_t> hops = result.hops;
  if (!writes_in_place(options, result)) {
    own_hops = cuda::DeviceBuffer<vertex_t>(static_cast<std::size_t>(host.n_vertices), stream);
    hops = {own_hops.data(), own_hops.size()};
  }
  const bool writes_all = options.targets.empty() && !result.on_device;
  const cuda::MapWhileWaiting tree_pages(result.predecessors);
  const cuda::MapWhileWaiting hop_pages(writes_all ? result.hops : std::span<vertex_t>{});
  if (options.by_levels) {
    DeviceLevelSearch search(graph, host, options, hops.data(), stream);
    search.launch();
    search.finish();
    if (writes_all) search.write_hops(result.hops.data());
  } else {
    search_near_far(graph, host, options, hops, stream);
    if (writes_all) cuda::copy_out(result.hops.data(), hops.data(), hops.size(), stream);
  }
  const vertex_t last_depth = options.targets.empty()
                                  ? options.limit
                                  : write_targets(hops.data(), options.targets, result, stream);
  if (!result.predecessors.empty()) {
    write_predecessors(graph, hops.data(), last_depth, result.predecessors, stream);
  }
  stream.synchronize();
}

}  // namespace warpgraph
