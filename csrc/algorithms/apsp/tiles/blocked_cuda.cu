// The blocked method in one launch for many rounds. Blocks take tile after tile, in an order that
// round_order.cuh makes, and wait for those that the next one depends on and for no others. When
// all blocks met after each half of a round, as they did once, most stood idle at its end: a
// seventh of the time of 4096 rows, and a twelfth of that of 8192.
#include "algorithms/apsp/tiles/device_rounds.hpp"
#include "algorithms/apsp/tiles/round_chain.cuh"
#include "algorithms/apsp/tiles/round_order.cuh"
#include "algorithms/apsp/tiles/tile_closure.cuh"
#include "algorithms/apsp/tiles/tile_product.cuh"
#include "core/cuda/launch.cuh"

#include <algorithm>

namespace warpgraph::apsp_steps {
namespace {

template <Lane lane>
struct Rounds {
  LaneRectangle<lane> matrix;  // of whole tiles
  int n_tiles;                 // in a row
  Order order;
  unsigned n_places;
  Done done;
  unsigned* taken;  // places of the order, 0 at first
  vertex_t* negative;
};

/// As registers allow.
constexpr int most_blocks_beside_chain = 2;

template <class Shape>
union RoundMemory {
  ProductMemory<Shape> product;
  ClosureMemory<Shape> closure;
};

/// Where a block works. Beside a chain it is as large as that needs.
template <class Shape, bool chained>
__device__ __forceinline__ RoundMemory<Shape>& round_memory() {
  if constexpr (chained) {
    return *cuda::dynamic_shared<RoundMemory<Shape>>();
  } else {
    __shared__ RoundMemory<Shape> memory;
    return memory;
  }
}

/// Loads, multiplies, closes if it says so, and stores a tile.
///
/// A function of its own, not inlined, since what its caller keeps in registers, and what is the
/// same for every tile, would have to share them with the fragment. For the same reason what is
/// needed at the end waits in shared memory.
template <class Shape, Lane lane, bool chained>
[[gnu::noinline]] __device__ void work_off(LaneRectangle<lane> matrix, const Task& task,
                                           vertex_t* negative) {
  struct End {
    LaneValue<lane>* tile;
    std::int64_t stride;
    vertex_t first;
    vertex_t* negative_if_closed;
  };
  RoundMemory<Shape>& memory = round_memory<Shape, chained>();
  __shared__ End end;
  constexpr std::int64_t side = Shape::tile;
  const auto tile = [&](int i, int j) { return matrix.part(i * side, j * side, side, side); };
  if (threadIdx.x == 0) {
    end = {tile(task.row, task.column).data, matrix.stride, static_cast<vertex_t>(task.row * side),
           task.closes() ? negative : nullptr};
  }
  typename Shape::Fragment c;
  load_fragment<Shape, lane, false>(c, tile(task.row, task.column));
  if (task.kind != Task::Kind::closure) {
    multiply_tile<Shape, lane, false>(c, tile(task.row, task.round), tile(task.round, task.column),
                                      memory.product);
  } else {
    Shape::meet();
  }
  if (end.negative_if_closed != nullptr) {
    Closure<Shape, lane>(c, memory.closure).run(end.first, end.negative_if_closed);
  }
  store_fragment<Shape, lane, false>(c, {end.tile, end.stride, side, side});
}

/// Takes tile after tile, those on the chain apart if another block goes that. Beside a chain there
/// is a warp that tells others what is done, and no tile is closed.
template <class Shape, Lane lane, bool chained>
__device__ __forceinline__ void take_tiles(const Rounds<lane>& work) {
  __shared__ Task tasks[2];  // shared, so that they take no registers
  const bool first_thread = threadIdx.x == 0;
  const auto take_place = [&] { return first_thread ? atomicAdd(work.taken, 1u) : 0u; };
  unsigned place = take_place();
  for (int turn = 0;; turn ^= 1) {
    Task& task = tasks[turn];
    if (first_thread) {
      task = work.order.find(place, work.n_places);
      if (chained && task.kind != Task::Kind::end && task.is_on_chain(work.n_tiles)) {
        task.kind = Task::Kind::none;
      }
    }
    __syncthreads();
    if (task.kind == Task::Kind::end) return;
    place = take_place();  // comes while the block is busy
    if (threadIdx.x < Done::waiting_threads) work.done.wait_for(task);
    __syncthreads();
    if (task.kind == Task::Kind::none) continue;
    if (!chained || threadIdx.x < Shape::threads) {
      work_off<Shape, lane, chained>(work.matrix, task, work.negative);
    }
    __syncthreads();
    // Meanwhile the first warp waits for the next tile.
    constexpr unsigned speaker = chained ? Shape::threads : cuda::warp_lanes;
    if (threadIdx.x == speaker) work.done.announce(task);
  }
}

template <class Shape, Lane lane>
__global__ __launch_bounds__(Shape::threads,
                             Shape::blocks_a_multiprocessor) void run_rounds(Rounds<lane> work) {
  take_tiles<Shape, lane, false>(work);
}

/// With registers for three fragments a thread.
template <class Shape, Lane lane>
__global__ __launch_bounds__(Chain<Shape, lane>::threads,
                             most_blocks_beside_chain) void run_chained_rounds(Rounds<lane> work) {
  if (blockIdx.x == 0) {
    Chain<Shape, lane>(work.matrix, work.n_tiles, work.done, work.negative,
                       *cuda::dynamic_shared<ChainMemory<Shape>>())
        .run();
  } else {
    take_tiles<Shape, lane, true>(work);
  }
}

/// What is launched for rounds.
template <Lane lane>
struct Launch {
  void (*kernel)(Rounds<lane>);
  std::int64_t blocks;
  unsigned threads;
  std::size_t shared;
};

/// Beside a chain, or 0 where that is not worthwhile. It goes the faster the less its
/// multiprocessor has to do besides, and more blocks have enough to do if there are tiles for them.
int blocks_a_multiprocessor(int n_tiles) {
  if (n_tiles <= 2 || n_tiles > 34) return 0;
  return n_tiles <= 20 ? 1 : most_blocks_beside_chain;
}

template <class Shape, Lane lane>
Launch<lane> launch_for(int n_tiles, int batch, const cuda::Stream& stream) {
  // Fragments of 64-bit lanes are too large for a chain.
  if constexpr (!Shape::large && sizeof(LaneValue<lane>) <= 4) {
    const auto kernel = run_chained_rounds<Shape, lane>;
    constexpr unsigned threads = Chain<Shape, lane>::threads;
    const std::size_t shared = std::max(sizeof(RoundMemory<Shape>), sizeof(ChainMemory<Shape>));
    const std::int64_t wanted = cuda::multiprocessors(stream) * blocks_a_multiprocessor(n_tiles);
    if (batch >= n_tiles && wanted > 1 &&
        wanted <= cuda::resident_blocks(stream, kernel, threads, shared)) {
      return {kernel, wanted, threads, shared};
    }
  }
  const auto kernel = run_rounds<Shape, lane>;
  const std::int64_t useful = std::int64_t{n_tiles} * n_tiles;
  const std::int64_t resident = cuda::resident_blocks(stream, kernel, Shape::threads, 0);
  return {kernel, std::min(useful, resident), Shape::threads, 0};
}

/// Rounds a launch.
template <class Shape>
int rounds_for(std::int64_t side) {
  constexpr double steps_a_second = 12e12;  // of 32-bit integers; 64-bit lanes take up to 5 times
  const double steps = static_cast<double>(side) * static_cast<double>(side) * Shape::tile;
  return static_cast<int>(std::clamp(seconds_a_batch * steps_a_second / steps, 1.0, 0x1p20));
}

template <Lane lane, class Shape>
void run_in_tiles(LaneRectangle<lane> matrix, vertex_t* negative, RoundsAhead& ahead,
                  int rounds_a_launch, const cuda::Stream& stream) {
  const auto n_tiles = static_cast<int>(matrix.rows / Shape::tile);
  const std::size_t n_done = Done::size(n_tiles);
  const cuda::DeviceBuffer<unsigned> numbers(n_done + static_cast<std::size_t>(n_tiles), stream);
  cuda::fill_bytes(numbers.data(), 0, numbers.size(), stream);
  const int batch = rounds_a_launch > 0 ? rounds_a_launch : rounds_for<Shape>(matrix.rows);
  const Launch<lane> launch = launch_for<Shape, lane>(n_tiles, batch, stream);
  for (int first = 0; first < n_tiles; first += batch) {
    const int last = std::min(first + batch, n_tiles);
    const Order order(n_tiles, first);
    const Rounds<lane> work{matrix,
                            n_tiles,
                            order,
                            order.size(last),
                            Done(numbers.data(), n_tiles),
                            numbers.data() + n_done + first,
                            negative};
    cuda::launch_cooperative(stream, launch.blocks, launch.threads, launch.shared, launch.kernel,
                             work);
    ahead.put(last, n_tiles);
  }
}

}  // namespace

template <Lane lane>
void run_blocked_rounds(LaneRectangle<lane> matrix, vertex_t tile, bool negative_weights,
                        vertex_t* negative, RoundsAhead& ahead, const cuda::Stream& stream,
                        int rounds_a_launch) {
  const auto run = [&]<bool has_negative>() {
    const auto run_in = tile == 64
                            ? run_in_tiles<lane, TileShape<lane, 64, has_negative>>
                            : run_in_tiles<lane, TileShape<lane, largest_tile, has_negative>>;
    run_in(matrix, negative, ahead, rounds_a_launch, stream);
  };
  // Other lanes have nothing to gain.
  if constexpr (lane == Lane::float32) {
    if (!negative_weights) return run.template operator()<false>();
  }
  run.template operator()<DeviceLane<lane>::has_negative>();
}

#define WARPGRAPH_INSTANTIATE(lane)                                                      \
  template void run_blocked_rounds<lane>(LaneRectangle<lane>, vertex_t, bool, vertex_t*, \
                                         RoundsAhead&, const cuda::Stream&, int);
WARPGRAPH_FOR_EACH_LANE(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::apsp_steps
