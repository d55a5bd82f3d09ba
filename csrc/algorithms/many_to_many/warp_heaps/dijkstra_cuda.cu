// Method dijkstra on CUDA: one heap per warp. Warps take the sources of a chunk one by one.
//
// Two chunks are searched at a time, each with its own stream, rows and warps. While the results of
// one are copied, the other is searched; while both are searched, they share the device. A launch
// returns after a bounded amount of work and saves the state of every warp's search, so that the
// host can poll for Ctrl-C. The next launch continues from there.
#include "algorithms/many_to_many/device_problem.hpp"
#include "algorithms/many_to_many/row_finisher.cuh"
#include "algorithms/many_to_many/warp_heaps/warp_search.cuh"
#include "core/cuda/copies/row_copier.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/cub/as_bits.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/stream_pool.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

namespace warpgraph::many_to_many_detail {
namespace {

/// The steps and groups of 128 arcs per warp and launch, at one to three microseconds each.
constexpr int work_per_launch = 1 << 16;
/// The minimum and maximum number of warps per multiprocessor. Fewer have more shared memory each.
/// With more than the maximum, the bandwidth of memory is the limit, not its latency.
constexpr std::int64_t min_warps = 4;
constexpr std::int64_t max_warps = 16;
/// The maximum rows per warp in a chunk: a warp whose search was short takes another source.
constexpr std::int64_t rows_per_warp = 4;
/// The vertices per heap node, by the graph's mean degree, and the minimum number of nodes.
/// Searches on roads hold one vertex in a hundred in the heap, on power-law graphs most of them.
/// Entries that do not fit are spilled, see warp_search.cuh.
constexpr vertex_t vertices_per_node_low_degree = 256;
constexpr vertex_t vertices_per_node_high_degree = 32;
constexpr int min_nodes = 64;
/// The shared memory that CUDA reserves per block.
constexpr std::size_t reserved_shared_bytes = 1 << 10;

/// The sources of a chunk and their rows.
template <class W>
struct SourceChunk {
  const vertex_t* sources;
  int n;
  W* rows;
  std::int64_t row_length;
  int* claimed;
  int* finished;
  int* overflows;  // one flag per row

  __device__ W* row(int i) const { return rows + i * row_length; }
  /// Takes the next source and returns it; -1 if there is none.
  __device__ int claim() const {
    const int next = cuda::warp_fetch_add(*claimed, 1);
    return next < n ? next : -1;
  }
};

/// The global memory of the warps.
template <class W>
struct WarpMemory {
  std::byte* heaps;
  std::size_t heap_bytes;
  unsigned* spilled;
  std::size_t spilled_words;
  SearchState<W>* states;
};

/// Searches with one warp per block and 128 registers per lane, so that a multiprocessor can hold
/// max_warps.
template <class W>
__global__ void __launch_bounds__(cuda::warp_lanes, max_warps)
    search_sources(SearchSettings<W> settings, SourceChunk<W> chunk, WarpMemory<W> memory,
                   int work) {
  const std::size_t warp = blockIdx.x;
  SearchState<W>& state = memory.states[warp];
  WarpSearch<W> search(settings, cuda::dynamic_shared<std::byte>(),
                       memory.heaps + warp * memory.heap_bytes,
                       memory.spilled + warp * memory.spilled_words);
  int row = state.row;
  if (row >= 0) search.resume(state, chunk.row(row));
  while (work > 0) {
    if (row < 0) {
      row = chunk.claim();
      if (row < 0) break;
      search.begin(chunk.sources[row], chunk.row(row));
    }
    if (search.step(work)) continue;
    const bool overflows = search.overflows();
    search.end();
    if (cuda::lane() == 0) {
      chunk.overflows[row] = overflows ? 1 : 0;
      atomicAdd(chunk.finished, 1);
    }
    row = -1;
  }
  if (row >= 0) search.suspend(state);
  __syncwarp();
  if (cuda::lane() == 0) state.row = row;
}

// These two move distances as their bits.

template <class Bits>
__global__ void gather_targets(const Bits* rows, std::int64_t row_length, const vertex_t* targets,
                               std::int64_t n_targets, std::int64_t n, Bits* to,
                               std::int64_t to_stride) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  const std::int64_t row = i / n_targets;
  const std::int64_t column = i % n_targets;
  to[row * to_stride + column] = rows[row * row_length + targets[column]];
}

/// Sets all distances to `infinite`. Memory between the rows is not written.
template <class Bits>
__global__ void clear_rows(Bits* rows, std::int64_t row_length, std::int64_t n_columns,
                           std::int64_t n, Bits infinite) {
  const std::int64_t i = cuda::global_index();
  if (i < n) rows[i / n_columns * row_length + i % n_columns] = infinite;
}

/// The number of searches that run at a time, and the memory of each.
struct SearchPlan {
  cuda::HeapShape shape;
  std::size_t shared;  // bytes per warp
  std::int64_t streams = 1;
  std::int64_t warps = 1;          // per stream
  std::int64_t rows = 1;           // per stream
  std::int64_t rows_per_band = 0;  // for predecessors; 0: row by row
};

template <class W>
std::size_t bytes_per_row(const DeviceProblem<W>& problem) {
  const bool on_device = problem.host.result.on_device;
  const std::int64_t row = problem.in_place() ? 0 : problem.graph.n_vertices;
  const std::int64_t gathered =
      on_device || problem.host.wants_full_rows() ? 0 : problem.n_columns();
  return static_cast<std::size_t>(row + gathered) * sizeof(W) + sizeof(int);
}

std::size_t spilled_words(vertex_t n_vertices) {
  return static_cast<std::size_t>(n_vertices) / 32 + 1;
}

/// Returns the bytes of a heap, a multiple of 16: the alignment of the next warp's heap.
template <class W>
std::size_t heap_bytes(const cuda::HeapShape& shape) {
  return (shape.global_bytes<W>() + 15) / 16 * 16;
}

template <class W>
std::size_t bytes_needed(const DeviceProblem<W>& problem, const SearchPlan& plan) {
  const std::size_t bytes_per_warp = heap_bytes<W>(plan.shape) + sizeof(SearchState<W>) +
                                     spilled_words(problem.graph.n_vertices) * sizeof(unsigned);
  const std::size_t bytes_per_stream =
      static_cast<std::size_t>(plan.rows) * bytes_per_row(problem) +
      static_cast<std::size_t>(plan.warps) * bytes_per_warp +
      RowFinisher<W>::bytes_needed(problem, plan.rows_per_band);
  return static_cast<std::size_t>(plan.streams) * bytes_per_stream +
         (problem.host.sources.size() + problem.host.options.targets.size()) * sizeof(vertex_t);
}

int attribute(const cuda::Stream& stream, cudaDeviceAttr which) {
  int value = 0;
  CUDA_TRY(cudaDeviceGetAttribute(&value, which, stream.device().index));
  return value;
}

/// Returns the plan for one warp. A quarter of its shared memory is for slots, the rest for rows:
/// tops are read more often than entries are removed, but a row is 32 times as large.
template <class W>
SearchPlan plan_for_one_warp(const DeviceProblem<W>& problem) {
  SearchPlan plan{};
  const std::int64_t n_rows = problem.host.n_rows();
  const std::int64_t multiprocessors = attribute(problem.stream, cudaDevAttrMultiProcessorCount);
  const std::int64_t warps =
      std::clamp((n_rows + multiprocessors - 1) / multiprocessors, min_warps, max_warps);
  const auto all =
      static_cast<std::size_t>(attribute(problem.stream, cudaDevAttrMaxSharedMemoryPerBlockOptin));
  const std::size_t bytes = all / static_cast<std::size_t>(warps) - reserved_shared_bytes;
  const std::size_t items = (bytes - WarpSearch<W>::bundle_bytes) / (sizeof(W) + sizeof(vertex_t)) -
                            cuda::HeapShape::open_entries;
  plan.shape.nodes = std::max(
      problem.graph.n_vertices / (problem.graph.has_low_degree() ? vertices_per_node_low_degree
                                                                 : vertices_per_node_high_degree),
      min_nodes);
  plan.shape.shared_slots = std::min(static_cast<int>(items / 4), plan.shape.nodes);
  const auto left = static_cast<int>(items) - plan.shape.shared_slots;
  plan.shape.shared_rows = std::min(left / cuda::warp_lanes, plan.shape.nodes);
  plan.shared = WarpSearch<W>::bundle_bytes + plan.shape.shared_bytes<W>();
  return plan;
}

template <class W>
SearchPlan make_search_plan(const DeviceProblem<W>& problem) {
  SearchPlan plan = plan_for_one_warp(problem);
  const std::int64_t n = problem.host.n_rows();
  plan.streams = n > 1 ? 2 : 1;
  const std::int64_t resident =
      cuda::resident_blocks(problem.stream, search_sources<W>, cuda::warp_lanes, plan.shared);
  const std::int64_t rows_per_stream = (n + plan.streams - 1) / plan.streams;
  plan.warps = std::clamp<std::int64_t>(resident / plan.streams, 1, rows_per_stream);
  plan.rows = std::min(rows_per_stream, rows_per_warp * plan.warps);
  const MemoryBudget budget = problem.host.options.budget.on(problem.stream.device());
  const std::size_t available = budget.available();
  plan.rows_per_band = std::min(choose_rows_per_band(problem.host), plan.rows);
  if (plan.rows_per_band > 0 && bytes_needed(problem, plan) > available) plan.rows_per_band = 0;
  while (bytes_needed(problem, plan) > available && plan.rows > 1) {
    plan.rows = (plan.rows + 1) / 2;
    plan.warps = std::min(plan.warps, plan.rows);
  }
  if (bytes_needed(problem, plan) > available) plan.streams = 1;
  budget.require("searching from one source", bytes_needed(problem, plan),
                 "ask for a narrower dtype or use device=\"cpu\"");
  return plan;
}

/// Searches one chunk after another, on its own stream.
template <class W>
class ChunkSearch {
 public:
  ChunkSearch(const DeviceProblem<W>& problem, const SearchSettings<W>& settings,
              const SearchPlan& plan, const vertex_t* sources)
      : problem_(problem),
        settings_(settings),
        plan_(plan),
        sources_(sources),
        stream_(problem.stream.device()),
        row_length_(problem.in_place() ? problem.host.result.row_stride
                                       : std::int64_t{problem.graph.n_vertices}),
        rows_(problem.in_place() ? 0 : items(plan.rows, problem.graph.n_vertices), *stream_),
        gathered_(problem.host.wants_full_rows() || problem.host.result.on_device
                      ? 0
                      : items(plan.rows, problem.n_columns()),
                  *stream_),
        heaps_(static_cast<std::size_t>(plan.warps) * heap_bytes<W>(plan.shape), *stream_),
        spilled_(static_cast<std::size_t>(plan.warps) * spilled_words(problem.graph.n_vertices),
                 *stream_),
        states_(static_cast<std::size_t>(plan.warps), *stream_),
        flags_(static_cast<std::size_t>(plan.rows) + 2, *stream_),
        host_flags_(flags_.size()),
        copier_(problem.host.result.distances, problem.host.result.row_stride, problem.n_columns(),
                *stream_),
        finisher_(problem, sources, plan.rows_per_band, *stream_) {
    cuda::fill_bytes(spilled_.data(), 0, spilled_.size(), *stream_);
    cuda::fill_bytes(states_.data(), 0xFF, states_.size(), *stream_);  // row = -1
  }

  [[nodiscard]] std::int64_t size() const { return n_; }
  [[nodiscard]] std::int64_t finished() const { return n_ == 0 ? 0 : host_flags_[1]; }

  /// Begins with the sources first .. first + n - 1.
  void start(std::int64_t first, std::int64_t n) {
    first_ = first;
    n_ = n;
    host_flags_[1] = 0;
    const std::int64_t columns = problem_.graph.n_vertices;
    cuda::launch_for(*stream_, n * columns, clear_rows<Bits>, cuda::as_bits(row(0)), row_length_,
                     columns, n * columns, std::bit_cast<Bits>(infinity<W>()));
    cuda::fill_bytes(flags_.data(), 0, flags_.size(), *stream_);
    launch();
  }

  /// Waits for the launch and returns true if the chunk is complete; else launches again.
  bool is_done() {
    (*stream_).synchronize();
    if (host_flags_[1] == n_) return true;
    launch();
    return false;
  }

  /// Writes the chunk's results. start() may then be called again.
  void write_results() {
    const ManyToManyResult<W>& result = problem_.host.result;
    if (!problem_.host.wants_full_rows()) {
      const bool on_device = result.on_device;
      gather(on_device ? result.distances_of(first_) : gathered_.data(),
             on_device ? result.row_stride : problem_.n_columns());
    }
    if (!result.on_device) {
      copier_.copy(problem_.host.wants_full_rows() ? rows_.data() : gathered_.data(), first_, n_);
    }
    for (std::int64_t i = 0; i < n_; ++i) {
      finisher_.finish_row(first_ + i, row(i), host_flags_[static_cast<std::size_t>(i) + 2] != 0);
      poll();
    }
    if (finisher_.works_in_bands()) {
      finisher_.write_rows(row(0), row_length_, first_, n_, copier_.staging());
    }
    // Results that stay on the device are complete before progress is reported.
    (*stream_).synchronize();
    n_ = 0;
  }

 private:
  using Bits = cuda::bits_t<W>;

  static std::size_t items(std::int64_t rows, std::int64_t columns) {
    return static_cast<std::size_t>(rows * columns);
  }

  /// Returns the distances from the chunk's source i to all vertices.
  [[nodiscard]] W* row(std::int64_t i) const {
    W* const first = problem_.in_place() ? problem_.host.result.distances_of(first_) : rows_.data();
    return first + i * row_length_;
  }

  void gather(W* to, std::int64_t to_stride) const {
    const std::int64_t columns = problem_.n_columns();
    cuda::launch_for(*stream_, n_ * columns, gather_targets<Bits>, cuda::as_bits(rows_.data()),
                     row_length_, settings_.targets, columns, n_ * columns, cuda::as_bits(to),
                     to_stride);
  }

  void launch() {
    const SourceChunk<W> chunk{sources_ + first_, static_cast<int>(n_), row(0),
                               row_length_,       flags_.data(),        flags_.data() + 1,
                               flags_.data() + 2};
    const WarpMemory<W> memory{heaps_.data(), heap_bytes<W>(plan_.shape), spilled_.data(),
                               spilled_words(problem_.graph.n_vertices), states_.data()};
    cuda::launch(*stream_, std::min(plan_.warps, n_), cuda::warp_lanes, plan_.shared,
                 search_sources<W>, settings_, chunk, memory, work_per_launch);
    cuda::copy(host_flags_.data(), flags_.data(), flags_.size(), *stream_);
  }

  const DeviceProblem<W>& problem_;
  const SearchSettings<W>& settings_;
  const SearchPlan& plan_;
  const vertex_t* const sources_;
  const cuda::BorrowedStream stream_;
  const std::int64_t row_length_;  // from the start of a searched row to that of the next
  cuda::DeviceBuffer<W> rows_;     // empty if searches write to the result
  cuda::DeviceBuffer<W> gathered_;
  cuda::DeviceBuffer<std::byte> heaps_;
  cuda::DeviceBuffer<unsigned> spilled_;
  cuda::DeviceBuffer<SearchState<W>> states_;
  cuda::DeviceBuffer<int> flags_;  // claimed, finished, then overflows
  cuda::PinnedBuffer<int> host_flags_;
  cuda::RowCopier<W> copier_;
  RowFinisher<W> finisher_;
  std::int64_t first_ = 0;
  std::int64_t n_ = 0;
};

}  // namespace

template <class W>
std::size_t min_bytes_of_warp_heaps(const DeviceProblem<W>& problem) {
  return bytes_needed(problem, plan_for_one_warp(problem));
}

template <class W>
void search_with_warp_heaps(const DeviceProblem<W>& problem) {
  const SearchPlan plan = make_search_plan(problem);
  const auto sources = cuda::to_device(problem.host.sources, problem.stream);
  const auto targets = cuda::to_device(problem.host.options.targets, problem.stream);
  problem.stream.synchronize();
  const SearchSettings<W> settings{problem.graph, problem.host.options.limit, targets.data(),
                                   static_cast<int>(targets.size()), plan.shape};
  std::vector<std::unique_ptr<ChunkSearch<W>>> searches;
  for (std::int64_t i = 0; i < plan.streams; ++i) {
    searches.push_back(std::make_unique<ChunkSearch<W>>(problem, settings, plan, sources.data()));
  }
  const std::int64_t n = problem.host.n_rows();
  std::int64_t started = 0;
  std::int64_t done = 0;
  const auto start_next = [&](ChunkSearch<W>& search) {
    const std::int64_t count = std::min(plan.rows, n - started);
    if (count > 0) search.start(started, count);
    started += count;
  };
  for (const auto& search : searches) start_next(*search);
  while (done < n) {
    for (const auto& search : searches) {
      if (search->size() != 0 && search->is_done()) {
        done += search->size();
        search->write_results();
        start_next(*search);
      }
      std::int64_t finished = done;
      for (const auto& other : searches) finished += other->finished();
      report_progress(finished, n);
    }
  }
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(min_bytes_of_warp_heaps)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(search_with_warp_heaps)

}  // namespace warpgraph::many_to_many_detail
