// One heap a warp: warps take the sources of a chunk one by one.
//
// Two lanes of work alternate, each with a stream, rows and warps of its own. While one hands its
// rows over, the other searches, and when both search they share the device. A launch stops after
// some work, with every warp's search written down, so that the host hears Ctrl-C; the next goes on
// from there.
#include "algorithms/many_to_many/cuda_steps.hpp"
#include "algorithms/many_to_many/device_trees.cuh"
#include "algorithms/many_to_many/warp_heaps/warp_search.cuh"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/row_copier.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace warpgraph::many_to_many_steps {
namespace {

/// Steps and groups of 128 arcs that a warp does in one launch, at one to three microseconds each.
constexpr int work_a_launch = 1 << 16;
/// Warps that a multiprocessor is given at least and at most. Fewer have more shared memory each;
/// beyond the most, what they wait for is memory traffic, not its latency.
constexpr std::int64_t fewest_warps = 4;
constexpr std::int64_t most_warps = 16;
/// Rows a warp in a chunk, at most: a warp whose search was short takes another source.
constexpr std::int64_t rows_a_warp = 4;
/// Vertices a heap node, by the graph's mean degree, and the fewest nodes: searches on roads hold
/// one vertex of a hundred in the heap, on power-law graphs most of them. What does not fit is
/// marked.
constexpr edge_t even_degrees = 8;
constexpr vertex_t vertices_a_node_if_even = 256;
constexpr vertex_t vertices_a_node = 32;
constexpr int fewest_nodes = 64;
/// Shared memory that the system takes for itself, a block.
constexpr std::size_t reserved_shared = 1 << 10;

/// The sources of a chunk and their rows.
template <class W>
struct Chunk {
  const vertex_t* sources;
  int n;
  W* rows;
  std::int64_t row_length;
  int* claimed;
  int* finished;
  int* overflows;  // a flag a row

  __device__ W* row(int i) const { return rows + i * row_length; }
  /// The next source, or -1.
  __device__ int claim() const {
    int next = 0;
    if (cuda::lane() == 0) next = atomicAdd(claimed, 1);
    next = __shfl_sync(cuda::all_lanes, next, 0);
    return next < n ? next : -1;
  }
};

/// Memory of the warps' own.
template <class W>
struct WarpRooms {
  std::byte* heaps;
  std::size_t heap_bytes;
  unsigned* spilled;
  std::size_t spilled_words;
  SearchState<W>* states;
};

/// A warp a block, in 128 registers a lane, so that as many run at a time as there may be.
template <class W>
__global__ void __launch_bounds__(cuda::warp_lanes, most_warps)
    search_sources(SearchSettings<W> settings, Chunk<W> chunk, WarpRooms<W> rooms, int work) {
  const std::size_t warp = blockIdx.x;
  SearchState<W>& state = rooms.states[warp];
  WarpSearch<W> search(settings, cuda::dynamic_shared<std::byte>(),
                       rooms.heaps + warp * rooms.heap_bytes,
                       rooms.spilled + warp * rooms.spilled_words);
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

template <class W>
__global__ void gather_targets(const W* rows, std::int64_t row_length, const vertex_t* targets,
                               std::int64_t n_targets, std::int64_t n, W* to,
                               std::int64_t to_stride) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  const std::int64_t row = i / n_targets;
  const std::int64_t column = i % n_targets;
  to[row * to_stride + column] = rows[row * row_length + targets[column]];
}

/// No distance is known yet; what lies between the rows is not touched.
template <class W>
__global__ void forget_rows(W* rows, std::int64_t row_length, std::int64_t n_columns,
                            std::int64_t n) {
  const std::int64_t i = cuda::global_index();
  if (i < n) rows[i / n_columns * row_length + i % n_columns] = infinity<W>();
}

/// How many searches run side by side, and with how much memory.
struct Plan {
  cuda::HeapShape shape;
  std::size_t shared;  // bytes a warp
  std::int64_t lanes;
  std::int64_t warps;        // a lane
  std::int64_t rows;         // a lane
  std::int64_t rows_a_band;  // of trees; 0: row by row
};

template <class W>
std::size_t bytes_a_row(const CudaProblem<W>& problem) {
  const bool stays = problem.host.result.on_device;
  const std::int64_t row = problem.in_place() ? 0 : problem.graph.n_vertices;
  const std::int64_t gathered = stays || problem.host.to_all() ? 0 : problem.n_columns();
  return static_cast<std::size_t>(row + gathered) * sizeof(W) + sizeof(int);
}

std::size_t spilled_words(vertex_t n_vertices) {
  return static_cast<std::size_t>(n_vertices) / 32 + 1;
}

/// Multiples of 16, so that the next warp's begins at one.
template <class W>
std::size_t heap_bytes(const cuda::HeapShape& shape) {
  return (shape.global_bytes<W>() + 15) / 16 * 16;
}

template <class W>
std::size_t bytes_needed(const CudaProblem<W>& problem, const Plan& plan) {
  const std::size_t a_warp = heap_bytes<W>(plan.shape) + sizeof(SearchState<W>) +
                             spilled_words(problem.graph.n_vertices) * sizeof(unsigned);
  const std::size_t a_lane = static_cast<std::size_t>(plan.rows) * bytes_a_row(problem) +
                             static_cast<std::size_t>(plan.warps) * a_warp +
                             DeviceTrees<W>::bytes_needed(problem, plan.rows_a_band);
  return static_cast<std::size_t>(plan.lanes) * a_lane +
         (problem.host.sources.size() + problem.host.options.targets.size()) * sizeof(vertex_t);
}

int attribute(const cuda::Stream& stream, cudaDeviceAttr which) {
  int value = 0;
  CUDA_TRY(cudaDeviceGetAttribute(&value, which, stream.device().index));
  return value;
}

/// A quarter of a warp's shared memory for slots, the rest for rows: tops are looked at more often
/// than entries are taken, but a row is 32 times as large.
template <class W>
void share_out(Plan& plan, const CudaProblem<W>& problem) {
  const std::int64_t n_rows = problem.host.n_rows();
  const std::int64_t multiprocessors = attribute(problem.stream, cudaDevAttrMultiProcessorCount);
  const std::int64_t warps =
      std::clamp((n_rows + multiprocessors - 1) / multiprocessors, fewest_warps, most_warps);
  const auto all =
      static_cast<std::size_t>(attribute(problem.stream, cudaDevAttrMaxSharedMemoryPerBlockOptin));
  const std::size_t bytes = all / static_cast<std::size_t>(warps) - reserved_shared;
  const std::size_t items = (bytes - WarpSearch<W>::bundle_bytes) / (sizeof(W) + sizeof(vertex_t)) -
                            cuda::HeapShape::open_entries;
  const bool even = problem.graph.n_arcs < even_degrees * problem.graph.n_vertices;
  plan.shape.nodes = std::max(
      problem.graph.n_vertices / (even ? vertices_a_node_if_even : vertices_a_node), fewest_nodes);
  plan.shape.shared_slots = std::min(static_cast<int>(items / 4), plan.shape.nodes);
  const auto left = static_cast<int>(items) - plan.shape.shared_slots;
  plan.shape.shared_rows = std::min(left / cuda::warp_lanes, plan.shape.nodes);
  plan.shared = WarpSearch<W>::bundle_bytes + plan.shape.shared_bytes<W>();
}

template <class W>
Plan make_plan(const CudaProblem<W>& problem) {
  Plan plan{};
  share_out(plan, problem);
  const std::int64_t n = problem.host.n_rows();
  plan.lanes = n > 1 ? 2 : 1;
  const std::int64_t resident =
      cuda::resident_blocks(problem.stream, search_sources<W>, cuda::warp_size, plan.shared);
  const std::int64_t most = (n + plan.lanes - 1) / plan.lanes;
  plan.warps = std::clamp<std::int64_t>(resident / plan.lanes, 1, most);
  plan.rows = std::min(most, rows_a_warp * plan.warps);
  const MemoryBudget budget(problem.stream.device(), problem.host.options.memory_limit);
  const std::size_t available = budget.available();
  plan.rows_a_band = std::min(rows_in_a_band(problem.host), plan.rows);
  if (plan.rows_a_band > 0 && bytes_needed(problem, plan) > available) plan.rows_a_band = 0;
  while (bytes_needed(problem, plan) > available && plan.rows > 1) {
    plan.rows = (plan.rows + 1) / 2;
    plan.warps = std::min(plan.warps, plan.rows);
  }
  if (bytes_needed(problem, plan) > available) plan.lanes = 1;
  budget.require("searching from one source", bytes_needed(problem, plan),
                 "ask for a narrower dtype or use device=\"cpu\"");
  return plan;
}

/// Searches chunk after chunk on a stream of its own.
template <class W>
class Lane {
 public:
  Lane(const CudaProblem<W>& problem, const SearchSettings<W>& settings, const Plan& plan,
       const vertex_t* sources)
      : problem_(problem),
        settings_(settings),
        plan_(plan),
        sources_(sources),
        stream_(problem.stream.device()),
        row_length_(problem.in_place() ? problem.host.result.row_stride
                                       : std::int64_t{problem.graph.n_vertices}),
        rows_(problem.in_place() ? 0 : items(plan.rows, problem.graph.n_vertices), *stream_),
        gathered_(problem.host.to_all() || problem.host.result.on_device
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
        trees_(problem, sources, plan.rows_a_band, *stream_) {
    cuda::fill_bytes(spilled_.data(), 0, spilled_.size(), *stream_);
    cuda::fill_bytes(states_.data(), 0xFF, states_.size(), *stream_);  // no row
  }

  [[nodiscard]] std::int64_t size() const { return n_; }
  [[nodiscard]] std::int64_t finished() const { return n_ == 0 ? 0 : host_flags_[1]; }

  /// Begins with sources first .. first + n - 1.
  void start(std::int64_t first, std::int64_t n) {
    first_ = first;
    n_ = n;
    host_flags_[1] = 0;
    const std::int64_t columns = problem_.graph.n_vertices;
    cuda::launch_for(*stream_, n * columns, forget_rows<W>, row(0), row_length_, columns,
                     n * columns);
    cuda::fill_bytes(flags_.data(), 0, flags_.size(), *stream_);
    launch();
  }

  /// Waits for the launch. If that was not the last one needed, makes another and returns false.
  bool is_done() {
    (*stream_).synchronize();
    if (host_flags_[1] == n_) return true;
    launch();
    return false;
  }

  /// Writes the chunk's results. The lane is free then.
  void hand_over() {
    const ManyToManyResult<W>& result = problem_.host.result;
    if (!problem_.host.to_all()) {
      const bool stays = result.on_device;
      gather(stays ? result.distances_of(first_) : gathered_.data(),
             stays ? result.row_stride : problem_.n_columns());
    }
    if (!result.on_device) {
      copier_.copy(problem_.host.to_all() ? rows_.data() : gathered_.data(), first_, n_);
    }
    for (std::int64_t i = 0; i < n_; ++i) {
      if (host_flags_[static_cast<std::size_t>(i) + 2] != 0)
        check_row<W>(problem_.host, fetched(row(i)));
      if (problem_.host.wants_tree() && !trees_.in_bands()) trees_.write(first_ + i, row(i));
      poll();
    }
    if (trees_.in_bands()) {
      trees_.write_bands(
          row(0), row_length_, first_, n_, copier_.staging(), [](std::int64_t i) { return i; },
          [&](std::int64_t i) { trees_.write(i, row(i - first_)); });
    }
    (*stream_).synchronize();  // what stays is complete, and progress is told so
    n_ = 0;
  }

 private:
  static std::size_t items(std::int64_t rows, std::int64_t columns) {
    return static_cast<std::size_t>(rows * columns);
  }

  /// The distances to all vertices, of the chunk's source i.
  [[nodiscard]] W* row(std::int64_t i) const {
    W* const first = problem_.in_place() ? problem_.host.result.distances_of(first_) : rows_.data();
    return first + i * row_length_;
  }

  void gather(W* to, std::int64_t to_stride) const {
    const std::int64_t columns = problem_.n_columns();
    cuda::launch_for(*stream_, n_ * columns, gather_targets<W>, rows_.data(), row_length_,
                     settings_.targets, columns, n_ * columns, to, to_stride);
  }

  void launch() {
    const Chunk<W> chunk{sources_ + first_, static_cast<int>(n_), row(0),           row_length_,
                         flags_.data(),     flags_.data() + 1,    flags_.data() + 2};
    const WarpRooms<W> rooms{heaps_.data(), heap_bytes<W>(plan_.shape), spilled_.data(),
                             spilled_words(problem_.graph.n_vertices), states_.data()};
    cuda::launch(*stream_, std::min(plan_.warps, n_), cuda::warp_size, plan_.shared,
                 search_sources<W>, settings_, chunk, rooms, work_a_launch);
    cuda::copy(host_flags_.data(), flags_.data(), flags_.size(), *stream_);
  }

  std::vector<W> fetched(const W* row) const {
    std::vector<W> distances(static_cast<std::size_t>(problem_.graph.n_vertices));
    cuda::copy(distances.data(), row, distances.size(), *stream_);
    (*stream_).synchronize();
    return distances;
  }

  const CudaProblem<W>& problem_;
  const SearchSettings<W>& settings_;
  const Plan& plan_;
  const vertex_t* const sources_;
  const cuda::BorrowedStream stream_;
  const std::int64_t row_length_;  // from the beginning of a row that is searched to the next
  cuda::DeviceBuffer<W> rows_;     // empty if the caller's are searched in
  cuda::DeviceBuffer<W> gathered_;
  cuda::DeviceBuffer<std::byte> heaps_;
  cuda::DeviceBuffer<unsigned> spilled_;
  cuda::DeviceBuffer<SearchState<W>> states_;
  cuda::DeviceBuffer<int> flags_;  // claimed, finished, then overflows
  cuda::PinnedBuffer<int> host_flags_;
  cuda::RowCopier<W> copier_;
  DeviceTrees<W> trees_;
  std::int64_t first_ = 0;
  std::int64_t n_ = 0;
};

}  // namespace

template <class W>
void search_with_warp_heaps(const CudaProblem<W>& problem) {
  const Plan plan = make_plan(problem);
  const auto sources = cuda::to_device(problem.host.sources, problem.stream);
  const auto targets = cuda::to_device(problem.host.options.targets, problem.stream);
  problem.stream.synchronize();
  const SearchSettings<W> settings{problem.graph, problem.host.options.limit, targets.data(),
                                   static_cast<int>(targets.size()), plan.shape};
  std::vector<std::unique_ptr<Lane<W>>> lanes;
  for (std::int64_t i = 0; i < plan.lanes; ++i) {
    lanes.push_back(std::make_unique<Lane<W>>(problem, settings, plan, sources.data()));
  }
  const std::int64_t n = problem.host.n_rows();
  std::int64_t given = 0;
  std::int64_t done = 0;
  const auto give_work = [&](Lane<W>& lane) {
    const std::int64_t some = std::min(plan.rows, n - given);
    if (some > 0) lane.start(given, some);
    given += some;
  };
  for (const auto& lane : lanes) give_work(*lane);
  while (done < n) {
    for (const auto& lane : lanes) {
      if (lane->size() != 0 && lane->is_done()) {
        done += lane->size();
        lane->hand_over();
        give_work(*lane);
      }
      std::int64_t finished = done;
      for (const auto& other : lanes) finished += other->finished();
      report_progress(finished, n);
    }
  }
}

#define WARPGRAPH_INSTANTIATE(W) template void search_with_warp_heaps<W>(const CudaProblem<W>&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::many_to_many_steps
