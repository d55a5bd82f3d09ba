// The blocked method with many rounds in one launch. Blocks take tile after tile in the order of
// tile_schedule.cuh and wait only for the tiles that the next one depends on. Grid barriers after
// each half of a round would leave most blocks idle at its end: for a seventh of the time at 4096
// rows, and a twelfth at 8192. Not for use outside this folder.
#pragma once

#include "algorithms/apsp/tiles/critical_path.cuh"
#include "algorithms/apsp/tiles/device_rounds.hpp"
#include "algorithms/apsp/tiles/tile_closure.cuh"
#include "algorithms/apsp/tiles/tile_product.cuh"
#include "algorithms/apsp/tiles/tile_schedule.cuh"
#include "core/cuda/launch.cuh"

#include <algorithm>

namespace warpgraph::apsp_detail {
namespace {

template <Accumulator acc>
struct BlockedRounds {
  DistanceView<acc> matrix;  // of whole tiles
  int n_tiles;               // in a row
  TileSchedule schedule;
  unsigned n_positions;
  TileProgress progress;
  unsigned* next_position;  // the schedule's next unclaimed position, 0 at first
  vertex_t* negative;
};

/// The most blocks per multiprocessor in a launch with a critical-path block, limited by registers.
constexpr int max_blocks_beside_critical_path = 2;

template <class Shape>
union RoundMemory {
  ProductMemory<Shape> product;
  ClosureMemory<Shape> closure;
};

/// Returns the block's shared memory. In launches with a critical-path block it is dynamic, since
/// that block needs more.
template <class Shape, bool beside_critical_path>
__device__ __forceinline__ RoundMemory<Shape>& round_memory() {
  if constexpr (beside_critical_path) {
    return *cuda::dynamic_shared<RoundMemory<Shape>>();
  } else {
    __shared__ RoundMemory<Shape> memory;
    return memory;
  }
}

/// Loads a tile, multiplies, closes it if the task says so, and stores it.
///
/// Not inlined: otherwise the caller's registers and loop-invariant values would compete with the
/// fragment for registers. For the same reason the values that are needed at the end are kept in
/// shared memory.
template <class Shape, Accumulator acc, bool beside_critical_path>
[[gnu::noinline]] __device__ void process_tile(DistanceView<acc> matrix, const TileTask& task,
                                               vertex_t* negative) {
  struct StoreTarget {
    AccumulatorValue<acc>* tile;
    std::int64_t stride;
    vertex_t first;
    vertex_t* negative_if_closed;
  };
  RoundMemory<Shape>& memory = round_memory<Shape, beside_critical_path>();
  __shared__ StoreTarget target;
  constexpr std::int64_t side = Shape::tile;
  const auto tile = [&](int i, int j) { return matrix.submatrix(i * side, j * side, side, side); };
  if (threadIdx.x == 0) {
    target = {tile(task.row, task.column).data, matrix.stride,
              static_cast<vertex_t>(task.row * side), task.closes() ? negative : nullptr};
  }
  typename Shape::Fragment c;
  load_fragment<Shape, acc, false>(c, tile(task.row, task.column));
  if (task.kind != TileTask::Kind::closure) {
    multiply_tile<Shape, acc, false>(c, tile(task.row, task.round), tile(task.round, task.column),
                                     memory.product);
  } else {
    Shape::sync();  // for `target`; a product synchronizes by itself
  }
  if (target.negative_if_closed != nullptr) {
    Closure<Shape, acc>(c, memory.closure).run(target.first, target.negative_if_closed);
  }
  store_fragment<Shape, acc, false>(c, {target.tile, target.stride, side, side});
}

/// Processes tile after tile. In a launch with a critical-path block, skips the tiles of the
/// critical path, closes no tile, and uses an extra warp to signal completed tiles.
template <class Shape, Accumulator acc, bool beside_critical_path>
__device__ __forceinline__ void process_tiles(const BlockedRounds<acc>& rounds) {
  __shared__ TileTask tasks[2];  // shared, to save registers
  const bool first_thread = threadIdx.x == 0;
  const auto claim_position = [&] {
    return first_thread ? atomicAdd(rounds.next_position, 1u) : 0u;
  };
  unsigned position = claim_position();
  for (int buffer = 0;; buffer ^= 1) {
    TileTask& task = tasks[buffer];
    if (first_thread) {
      task = rounds.schedule.find(position, rounds.n_positions);
      if (beside_critical_path && task.kind != TileTask::Kind::end &&
          task.is_on_critical_path(rounds.n_tiles)) {
        task.kind = TileTask::Kind::none;
      }
    }
    __syncthreads();
    if (task.kind == TileTask::Kind::end) return;
    position = claim_position();  // the latency overlaps with the block's work
    if (threadIdx.x < TileProgress::waiting_threads) rounds.progress.wait_for_inputs(task);
    __syncthreads();
    if (task.kind == TileTask::Kind::none) continue;
    if (!beside_critical_path || threadIdx.x < Shape::threads) {
      process_tile<Shape, acc, beside_critical_path>(rounds.matrix, task, rounds.negative);
    }
    __syncthreads();
    // Meanwhile the first warp waits for the next tile's inputs.
    constexpr unsigned signalling_thread = beside_critical_path ? Shape::threads : cuda::warp_lanes;
    if (threadIdx.x == signalling_thread) rounds.progress.signal(task);
  }
}

template <class Shape, Accumulator acc>
__global__ __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) void run_rounds(
    BlockedRounds<acc> rounds) {
  process_tiles<Shape, acc, false>(rounds);
}

/// Runs rounds with a critical-path block. Has registers for three fragments a thread.
template <class Shape, Accumulator acc>
__global__ __launch_bounds__(
    CriticalPath<Shape, acc>::threads,
    max_blocks_beside_critical_path) void run_rounds_with_critical_path(BlockedRounds<acc> rounds) {
  if (blockIdx.x == 0) {
    CriticalPath<Shape, acc>(rounds.matrix, rounds.n_tiles, rounds.progress, rounds.negative,
                             *cuda::dynamic_shared<CriticalPathMemory<Shape>>())
        .run();
  } else {
    process_tiles<Shape, acc, true>(rounds);
  }
}

/// The kernel and its launch configuration.
template <Accumulator acc>
struct LaunchConfig {
  void (*kernel)(BlockedRounds<acc>);
  std::int64_t blocks;
  unsigned threads;
  std::size_t shared;
};

/// Returns the blocks per multiprocessor in a launch with a critical-path block; 0 where that does
/// not pay. That block is faster the less other work its multiprocessor has, but with enough tiles
/// two blocks per multiprocessor are better overall.
int blocks_per_multiprocessor(int n_tiles) {
  if (n_tiles <= 2 || n_tiles > 34) return 0;
  return n_tiles <= 20 ? 1 : max_blocks_beside_critical_path;
}

template <class Shape, Accumulator acc>
LaunchConfig<acc> launch_config(int n_tiles, int batch, const cuda::Stream& stream) {
  // Fragments of 64-bit accumulators are too large for a critical-path block.
  if constexpr (!Shape::large && sizeof(AccumulatorValue<acc>) <= 4) {
    const auto kernel = run_rounds_with_critical_path<Shape, acc>;
    constexpr unsigned threads = CriticalPath<Shape, acc>::threads;
    const std::size_t shared =
        std::max(sizeof(RoundMemory<Shape>), sizeof(CriticalPathMemory<Shape>));
    const std::int64_t n_blocks =
        cuda::multiprocessors(stream) * blocks_per_multiprocessor(n_tiles);
    if (batch >= n_tiles && n_blocks > 1 &&
        n_blocks <= cuda::resident_blocks(stream, kernel, threads, shared)) {
      return {kernel, n_blocks, threads, shared};
    }
  }
  const auto kernel = run_rounds<Shape, acc>;
  const std::int64_t useful = std::int64_t{n_tiles} * n_tiles;
  const std::int64_t resident = cuda::resident_blocks(stream, kernel, Shape::threads, 0);
  return {kernel, std::min(useful, resident), Shape::threads, 0};
}

/// Returns the number of rounds in one launch, which then takes about seconds_per_batch.
template <class Shape>
int rounds_for(std::int64_t side) {
  // With int32, on an H200 (1.3e13 in plan/rates.hpp). 64-bit accumulators take up to 5 times as
  // long; then so do launches.
  constexpr double steps_per_second = 12e12;
  const double steps = static_cast<double>(side) * static_cast<double>(side) * Shape::tile;
  return static_cast<int>(std::clamp(seconds_per_batch * steps_per_second / steps, 1.0, 0x1p20));
}

template <Accumulator acc, class Shape>
void run_with_shape(DistanceView<acc> matrix, vertex_t* negative, BatchQueue& batches,
                    int rounds_per_launch, const cuda::Stream& stream) {
  const auto n_tiles = static_cast<int>(matrix.rows / Shape::tile);
  // The counters of TileProgress, then next_position for each launch, by its first round.
  const std::size_t n_counters = TileProgress::size(n_tiles);
  const cuda::DeviceBuffer<unsigned> counters(n_counters + static_cast<std::size_t>(n_tiles),
                                              stream);
  cuda::fill_bytes(counters.data(), 0, counters.size(), stream);
  const int batch = rounds_per_launch > 0 ? rounds_per_launch : rounds_for<Shape>(matrix.rows);
  const LaunchConfig<acc> launch = launch_config<Shape, acc>(n_tiles, batch, stream);
  for (int first = 0; first < n_tiles; first += batch) {
    const int last = std::min(first + batch, n_tiles);
    const TileSchedule schedule(n_tiles, first);
    const BlockedRounds<acc> rounds{matrix,
                                    n_tiles,
                                    schedule,
                                    schedule.size(last),
                                    TileProgress(counters.data(), n_tiles),
                                    counters.data() + n_counters + first,
                                    negative};
    cuda::launch_cooperative(stream, launch.blocks, launch.threads, launch.shared, launch.kernel,
                             rounds);
    batches.submit(last, n_tiles);
  }
}

}  // namespace

template <Accumulator acc>
void run_blocked_rounds(DistanceView<acc> matrix, vertex_t tile, bool negative_weights,
                        vertex_t* negative, BatchQueue& batches, const cuda::Stream& stream,
                        int rounds_per_launch) {
  const auto run = [&]<bool has_negative>() {
    const auto run_with = tile == 64
                              ? run_with_shape<acc, TileShape<acc, 64, has_negative>>
                              : run_with_shape<acc, TileShape<acc, max_tile_side, has_negative>>;
    run_with(matrix, negative, batches, rounds_per_launch, stream);
  };
  // Other accumulators gain nothing from nonnegative weights.
  if constexpr (acc == Accumulator::float32) {
    if (!negative_weights) return run.template operator()<false>();
  }
  run.template operator()<DeviceArithmetic<acc>::has_negative>();
}

}  // namespace warpgraph::apsp_detail
