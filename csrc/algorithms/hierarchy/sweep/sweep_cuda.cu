// Sweeps on a CUDA device. One cooperative launch per batch goes up all levels and down again, with
// a grid barrier after each level. A barrier takes a microsecond, a launch would take four; a road
// network has about sixty levels, most of them too narrow to fill the device.
//
// A warp processes a vertex, and each of its lanes some sources of the batch, so that accesses to a
// row are coalesced. The upward pass marks the rows that a batch reaches and processes only those;
// several vertices may lower one row concurrently, by atomic minima. Grid barriers separate the
// levels, so a row is final when it is read.
//
// Latency of barriers and memory dominates, not bandwidth: on an H200 a batch of 32 sources takes
// 0.65 ms on New York's roads and one of 128 takes 1.03 ms, although its rows of 135 MB exceed the
// second-level cache. So batches are as large as registers allow.
#include "algorithms/hierarchy/device_hierarchy.hpp"
#include "algorithms/hierarchy/sweep/device_target_selection.hpp"
#include "algorithms/hierarchy/sweep/sweep.hpp"
#include "core/atomics.hpp"
#include "core/cuda/copies/row_copier.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/stream_pool.hpp"
#include "core/cuda/warp.cuh"
#include "core/interrupt.hpp"

#include <cooperative_groups.h>

#include <optional>

namespace warpgraph {
namespace {

using namespace hierarchy_detail;

/// Columns that a block writes out together, so that it writes whole cache lines.
constexpr int tile = 32;

/// The distances of one lane's sources to a vertex; the lanes of a warp together hold a row.
template <class T, int PerLane>
struct alignas(PerLane * sizeof(T)) Pack {
  T distances[PerLane];
};

template <class T>
struct SweepArrays {
  DeviceHierarchyView<T> hierarchy;
  T* rows;                // 32 packs per position, then 32 per entrance
  std::uint8_t* touched;  // by position: whether a pass has written its row or entrance
  /// The positions of the downward pass, ascending, and where each level begins among them;
  /// nullptr: all.
  const vertex_t* positions;
  const vertex_t* down_starts;
};

template <class T, int PerLane>
struct DeviceSweep : SweepArrays<T> {
  [[nodiscard]] __device__ Pack<T, PerLane>& at(vertex_t row, int lane) const {
    auto* const packs = reinterpret_cast<Pack<T, PerLane>*>(this->rows);
    return packs[static_cast<std::int64_t>(row) * cuda::warp_lanes + lane];
  }
};

/// Returns the row of upward distances of a position: its entrance if it is in the core.
template <class T>
__device__ vertex_t upward_row(const DeviceHierarchyView<T>& hierarchy, vertex_t position) {
  return position < hierarchy.n_core ? hierarchy.n_vertices + position : position;
}

/// Calls visit(position) on all lanes for the touched positions among first .. last - 1. Adjacent
/// positions go to different warps: a warp visits its touched positions one after the other, so a
/// run of them is spread over many warps.
template <class T, class Visit>
__device__ void for_each_touched(const SweepArrays<T>& sweep, vertex_t first, vertex_t last,
                                 Visit&& visit) {
  const int lane = cuda::lane();
  const std::int64_t warp = cuda::global_index() / cuda::warp_lanes;
  const std::int64_t n_warps = static_cast<std::int64_t>(gridDim.x) * blockDim.x / cuda::warp_lanes;
  for (std::int64_t base = first + warp; base < last; base += n_warps * cuda::warp_lanes) {
    const std::int64_t own = base + lane * n_warps;
    const bool touched = own < last && relaxed_load(sweep.touched[own]) != 0;
    for (unsigned left = __ballot_sync(cuda::all_lanes, touched); left != 0; left &= left - 1) {
      visit(static_cast<vertex_t>(base + cuda::first_lane(left) * n_warps));
    }
  }
}

/// Makes the rows unreached that the last batch has marked as touched. If there are few targets,
/// these rows are few, and are still in the second-level cache.
template <class T, int PerLane>
__global__ void reset_touched(SweepArrays<T> arrays) {
  const DeviceSweep<T, PerLane> sweep{arrays};
  const int lane = cuda::lane();
  Pack<T, PerLane> unknown;
#pragma unroll
  for (int i = 0; i < PerLane; ++i) unknown.distances[i] = unreached<T>();
  for_each_touched(arrays, 0, arrays.hierarchy.n_vertices, [&](vertex_t position) {
    sweep.at(upward_row(arrays.hierarchy, position), lane) = unknown;
    if (lane == 0) arrays.touched[position] = 0;
  });
}

/// Sets the distance of each source from itself to 0, and marks its row.
template <class T>
__global__ void init_sources(SweepArrays<T> sweep, const vertex_t* sources, std::int32_t n_sources,
                             int batch_size) {
  const std::int64_t i = cuda::global_index();
  if (i >= n_sources) return;
  const vertex_t position = sweep.hierarchy.position_of[sources[i]];
  const vertex_t row = upward_row(sweep.hierarchy, position);
  // Equal sources of a batch share a mark, though not a distance.
  sweep.rows[std::int64_t{row} * batch_size + i] = T{0};
  relaxed_store(sweep.touched[position], std::uint8_t{1});
}

/// Loads a pack by a relaxed read: atomic minima may change it concurrently.
template <class T, int PerLane>
__device__ Pack<T, PerLane> relaxed_load_pack(const Pack<T, PerLane>& pack) {
  Pack<T, PerLane> seen;
#pragma unroll
  for (int i = 0; i < PerLane; ++i) seen.distances[i] = relaxed_load(pack.distances[i]);
  return seen;
}

/// Calls relax(heads, weights) for a row's arcs, four or eight at a time, so that the rows of their
/// heads are loaded together: levels of many arcs per vertex have few vertices, too few to hide the
/// latency by other warps. A group that is not full repeats an arc, which changes no minimum.
template <class T, class Relax>
__device__ void for_each_arc(const DeviceSearchGraphView<T>& search_graph, vertex_t position,
                             int lane, Relax&& relax) {
  const edge_t end = search_graph.offsets[position + 1];
  for (edge_t first = search_graph.offsets[position]; first < end; first += cuda::warp_lanes) {
    const int n = end - first < cuda::warp_lanes ? static_cast<int>(end - first) : cuda::warp_lanes;
    const edge_t own = first + (lane < n ? lane : 0);
    const vertex_t head = search_graph.heads[own];
    const T weight = search_graph.weights[own];
    const auto relax_group = [&]<int count>(std::integral_constant<int, count>, int from) {
      vertex_t heads[count];
      T weights[count];
#pragma unroll
      for (int i = 0; i < count; ++i) {
        heads[i] = __shfl_sync(cuda::all_lanes, head, from + i);
        weights[i] = __shfl_sync(cuda::all_lanes, weight, from + i);
      }
      relax(heads, weights);
    };
    int done = 0;
    for (; n - done > 4; done += 8) relax_group(std::integral_constant<int, 8>(), done);
    if (done < n) relax_group(std::integral_constant<int, 4>(), done);
  }
}

/// Lowers the upward distances of a position's heads, by atomics only where a read finds them
/// larger.
template <class T, int PerLane>
__device__ void push_up(const DeviceSweep<T, PerLane>& sweep, vertex_t position, int lane) {
  const DeviceHierarchyView<T>& hierarchy = sweep.hierarchy;
  const Pack<T, PerLane> from = sweep.at(position, lane);
  const auto relax = [&]<int count>(const vertex_t(&heads)[count], const T(&weights)[count]) {
    Pack<T, PerLane> seen[count];
#pragma unroll
    for (int j = 0; j < count; ++j) {
      seen[j] = relaxed_load_pack(sweep.at(upward_row(hierarchy, heads[j]), lane));
    }
#pragma unroll
    for (int j = 0; j < count; ++j) {
      Pack<T, PerLane>& to = sweep.at(upward_row(hierarchy, heads[j]), lane);
#pragma unroll
      for (int i = 0; i < PerLane; ++i) {
        const T through = from.distances[i] + weights[j];
        if (from.distances[i] < unreached<T>() && through < seen[j].distances[i]) {
          lower_non_negative(to.distances[i], through);
        }
      }
      if (lane == 0) relaxed_store(sweep.touched[heads[j]], std::uint8_t{1});
    }
  };
  for_each_arc(hierarchy.up, position, lane, relax);
}

/// Computes the final distances of a position from those of higher ones and its upward distances.
template <class T, int PerLane>
__device__ void pull_down(const DeviceSweep<T, PerLane>& sweep, vertex_t position, int lane) {
  const DeviceHierarchyView<T>& hierarchy = sweep.hierarchy;
  Pack<T, PerLane>& row = sweep.at(position, lane);
  Pack<T, PerLane> best;
  // The row of a core vertex is its exit, which upward distances reach by arcs from entrances.
  if (position >= hierarchy.n_core && sweep.touched[position] != 0) {
    best = row;
  } else {
#pragma unroll
    for (int i = 0; i < PerLane; ++i) best.distances[i] = unreached<T>();
  }
  const auto relax = [&]<int count>(const vertex_t(&heads)[count], const T(&weights)[count]) {
    Pack<T, PerLane> above[count];
#pragma unroll
    for (int j = 0; j < count; ++j) above[j] = sweep.at(heads[j], lane);
#pragma unroll
    for (int j = 0; j < count; ++j) {
#pragma unroll
      for (int i = 0; i < PerLane; ++i) {
        const T through = above[j].distances[i] + weights[j];
        if (through < best.distances[i]) best.distances[i] = through;
      }
    }
  };
  for_each_arc(hierarchy.down, position, lane, relax);
  row = best;
  if (position >= hierarchy.n_core && lane == 0) sweep.touched[position] = 1;
}

/// Runs the upward and downward pass of a batch. Correct for any number of blocks.
template <class T, int PerLane>
__global__ void __launch_bounds__(cuda::threads_per_block)
    sweep_up_and_down(SweepArrays<T> arrays) {
  const DeviceSweep<T, PerLane> sweep{arrays};
  const auto grid = cooperative_groups::this_grid();
  const int lane = cuda::lane();
  const std::int64_t warp = cuda::global_index() / cuda::warp_lanes;
  const std::int64_t n_warps = static_cast<std::int64_t>(gridDim.x) * blockDim.x / cuda::warp_lanes;
  const vertex_t* const starts = sweep.hierarchy.level_starts;
  for (std::int32_t level = sweep.hierarchy.n_levels - 1; level > 0; --level) {
    for_each_touched(sweep, starts[level], starts[level + 1],
                     [&](vertex_t position) { push_up(sweep, position, lane); });
    grid.sync();
  }
  const vertex_t* const down_starts = sweep.positions != nullptr ? sweep.down_starts : starts;
  for (std::int32_t level = 0; level < sweep.hierarchy.n_levels; ++level) {
    const std::int64_t last = down_starts[level + 1];
    for (std::int64_t i = down_starts[level] + warp; i < last; i += n_warps) {
      pull_down(sweep, sweep.positions != nullptr ? sweep.positions[i] : static_cast<vertex_t>(i),
                lane);
    }
    if (level + 1 < sweep.hierarchy.n_levels) grid.sync();
  }
}

template <class R>
struct Output {
  R* distances;
  std::int64_t row_stride;
  std::int64_t n_columns;
  std::int32_t n_sources;
  const vertex_t* targets;  // nullptr: all vertices
  R limit;
  std::int32_t* too_large;
};

/// Writes distances to the result, whose rows are sources and whose columns are targets: a block
/// transposes the rows of `tile` targets in shared memory.
template <class T, int PerLane, class R>
__global__ void write_out(SweepArrays<T> arrays, Output<R> output) {
  const DeviceSweep<T, PerLane> sweep{arrays};
  constexpr int batch_size = cuda::warp_lanes * PerLane;
  // `tile` rows of batch_size + 1: the padding avoids bank conflicts between columns.
  T* const rows = cuda::dynamic_shared<T>();
  const int lane = cuda::lane();
  const int warp = static_cast<int>(threadIdx.x) / cuda::warp_lanes;
  const int n_warps = static_cast<int>(blockDim.x) / cuda::warp_lanes;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * tile;
  for (int j = warp; j < tile && first + j < output.n_columns; j += n_warps) {
    const std::int64_t column = first + j;
    const vertex_t v =
        output.targets != nullptr ? output.targets[column] : static_cast<vertex_t>(column);
    const Pack<T, PerLane> pack = sweep.at(sweep.hierarchy.position_of[v], lane);
#pragma unroll
    for (int i = 0; i < PerLane; ++i) {
      rows[j * (batch_size + 1) + lane * PerLane + i] = pack.distances[i];
    }
  }
  __syncthreads();
  bool too_large = false;
  const std::int64_t own = first + lane;
  for (int k = warp; k < output.n_sources && own < output.n_columns; k += n_warps) {
    output.distances[k * output.row_stride + own] =
        to_result<T, R>(rows[lane * (batch_size + 1) + k], output.limit, too_large);
  }
  if (too_large) relaxed_store(*output.too_large, std::int32_t{1});
}

/// The kernels for a number of sources per lane.
template <class T, class R>
struct SweepKernels {
  int per_lane;
  void (*reset)(SweepArrays<T>);
  void (*sweep)(SweepArrays<T>);
  void (*write)(SweepArrays<T>, Output<R>);

  template <int PerLane>
  static SweepKernels of() {
    return {PerLane, reset_touched<T, PerLane>, sweep_up_and_down<T, PerLane>,
            write_out<T, PerLane, R>};
  }
  static SweepKernels for_sources(std::size_t n_sources) {
    if constexpr (sizeof(T) == 4) {
      if (n_sources > 64) return of<4>();
    }
    return n_sources > 32 ? of<2>() : of<1>();
  }
};

template <class T, class R>
class CudaSweeps {
 public:
  CudaSweeps(const DeviceHierarchy<T>& hierarchy, const Hierarchy<T>& host,
             const HierarchyQuery<R>& query, HierarchyResult<R> result, const cuda::Stream& stream)
      : query_(query),
        result_(result),
        stream_(stream),
        n_vertices_(host.n_vertices),
        n_rows_(std::int64_t{host.n_vertices} + host.n_core),
        n_columns_(query.has_targets ? static_cast<std::int64_t>(query.targets.size())
                                     : host.n_vertices),
        kernels_(SweepKernels<T, R>::for_sources(query.sources.size())),
        batch_size_(cuda::warp_lanes * kernels_.per_lane),
        rows_per_copy_(batch_size_ * batches_per_copy()) {
    require_memory();
    if (query.has_targets) selection_.emplace(host, query.targets, stream);
    rows_ = {static_cast<std::size_t>(n_rows_ * batch_size_), stream};
    touched_ = {static_cast<std::size_t>(n_vertices_), stream};
    sources_ = cuda::to_device(query.sources, stream);
    too_large_ = {1, stream};
    if (!result.on_device) {
      for (auto& output : outputs_)
        output = {static_cast<std::size_t>(n_columns_ * rows_per_copy_), stream};
    }
    sweep_ = {hierarchy.view(), rows_.data(), touched_.data(), nullptr, nullptr};
    if (selection_) {
      sweep_.positions = selection_->positions.data();
      sweep_.down_starts = selection_->starts.data();
    }
  }

  /// Sweeps for all sources. While the results of some batches are copied to the host, the device
  /// sweeps for the next ones.
  void run() {
    const auto n_sources = static_cast<std::int64_t>(query_.sources.size());
    const cuda::BorrowedStream copies(stream_.device());
    cuda::RowCopier<R> copier(result_.distances, result_.row_stride, n_columns_, *copies);
    const std::array<cuda::Event, 2> swept{cuda::Event(stream_.device(), cudaEventDisableTiming),
                                           cuda::Event(stream_.device(), cudaEventDisableTiming)};
    cuda::fill_bytes(too_large_.data(), 0, 1, stream_);
    cuda::fill(rows_.data(), unreached<T>(), n_rows_ * batch_size_, stream_);
    cuda::fill_bytes(touched_.data(), 0, touched_.size(), stream_);
    const std::int64_t n_copies = (n_sources + rows_per_copy_ - 1) / rows_per_copy_;
    const auto end_of = [&](std::int64_t i) {
      return std::min((i + 1) * rows_per_copy_, n_sources);
    };
    for (std::int64_t i = 0; i <= n_copies; ++i) {
      if (i < n_copies) {
        sweep_batches(i * rows_per_copy_, end_of(i));
        swept[i % 2].record(stream_.get());
      }
      if (i == 0) continue;
      swept[(i - 1) % 2].synchronize();
      const std::int64_t first = (i - 1) * rows_per_copy_;
      const std::int64_t n = end_of(i - 1) - first;
      if (!result_.on_device) copier.copy(outputs_[(i - 1) % 2].data(), first, n);
      report_progress(first + n, n_sources);
    }
    if (cuda::read_back(too_large_.data(), stream_) != 0) throw_distance_overflow<R>();
  }

 private:
  void require_memory() const {
    const std::size_t rows = static_cast<std::size_t>(n_rows_ * batch_size_) * sizeof(T);
    const std::size_t outputs =
        result_.on_device ? 0
                          : 2 * static_cast<std::size_t>(n_columns_ * rows_per_copy_) * sizeof(R);
    const std::size_t marks = 3 * static_cast<std::size_t>(n_vertices_) * sizeof(vertex_t);
    query_.budget.on(stream_.device())
        .require("sweeping over a hierarchy", rows + outputs + marks, "use device=\"cpu\"");
  }

  /// Returns the number of batches whose results are copied to the host together: where there are
  /// 64 columns, waking the threads that copy half a MB takes as long as a sweep.
  [[nodiscard]] std::int64_t batches_per_copy() const {
    constexpr std::int64_t bytes_per_copy = 8 << 20;
    if (result_.on_device) return 1;
    const auto n_sources = static_cast<std::int64_t>(query_.sources.size());
    return std::clamp<std::int64_t>(
        bytes_per_copy / (n_columns_ * batch_size_ * static_cast<std::int64_t>(sizeof(R))), 1,
        (n_sources + batch_size_ - 1) / batch_size_);
  }

  void sweep_batches(std::int64_t first, std::int64_t end) {
    for (; first < end; first += batch_size_) {
      poll();
      sweep_batch(first, std::min(batch_size_, end - first));
    }
  }

  void sweep_batch(std::int64_t first, std::int64_t n) {
    cuda::launch_for(stream_, n_vertices_, kernels_.reset, sweep_);
    const auto n_sources = static_cast<std::int32_t>(n);
    cuda::launch_for(stream_, n, init_sources<T>, sweep_, sources_.data() + first, n_sources,
                     static_cast<int>(batch_size_));
    const std::int64_t resident =
        cuda::resident_blocks(stream_, kernels_.sweep, cuda::threads_per_block, 0);
    const std::int64_t useful =
        std::int64_t{n_vertices_} * cuda::warp_lanes / cuda::threads_per_block + 1;
    cuda::launch_cooperative(stream_, std::min(resident, useful), cuda::threads_per_block, 0,
                             kernels_.sweep, sweep_);
    const bool on_device = result_.on_device;
    Output<R> output{};
    output.distances = on_device ? result_.distances + first * result_.row_stride
                                 : outputs_[first / rows_per_copy_ % 2].data() +
                                       first % rows_per_copy_ * n_columns_;
    output.row_stride = on_device ? result_.row_stride : n_columns_;
    output.n_columns = n_columns_;
    output.n_sources = n_sources;
    output.targets = selection_ ? selection_->targets.data() : nullptr;
    output.limit = query_.limit;
    output.too_large = too_large_.data();
    cuda::launch(stream_, (n_columns_ + tile - 1) / tile, cuda::threads_per_block,
                 tile * (static_cast<std::size_t>(batch_size_) + 1) * sizeof(T), kernels_.write,
                 sweep_, output);
  }

  const HierarchyQuery<R>& query_;
  const HierarchyResult<R> result_;
  const cuda::Stream& stream_;
  const vertex_t n_vertices_;
  const std::int64_t n_rows_;
  const std::int64_t n_columns_;
  const SweepKernels<T, R> kernels_;
  const std::int64_t batch_size_;
  const std::int64_t rows_per_copy_;
  std::optional<DeviceTargetSelection> selection_;
  cuda::DeviceBuffer<T> rows_;
  cuda::DeviceBuffer<std::uint8_t> touched_;
  cuda::DeviceBuffer<vertex_t> sources_;
  cuda::DeviceBuffer<std::int32_t> too_large_;
  std::array<cuda::DeviceBuffer<R>, 2> outputs_;
  SweepArrays<T> sweep_{};
};

}  // namespace

template <class T, class R>
void sweep_cuda(const DeviceHierarchy<T>& hierarchy, const Hierarchy<T>& host,
                const HierarchyQuery<R>& query, HierarchyResult<R> result,
                const cuda::Stream& stream) {
  const std::size_t n_columns = query.has_targets ? query.targets.size() : host.position_of.size();
  if (query.sources.empty() || n_columns == 0) return;
  CudaSweeps<T, R>(hierarchy, host, query, result, stream).run();
}

#define WARPGRAPH_INSTANTIATE(T, R) WARPGRAPH_INSTANTIATE_FUNCTION(sweep_cuda, T, R)
WARPGRAPH_FOR_EACH_HIERARCHY_AND_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
