// The blocked method in one launch for many rounds. All blocks run at once and meet twice a round:
// after the tiles of its row and column, and after all others. Meeting costs a microsecond, and
// two launches would cost eight, as long as a whole round of a matrix of a thousand rows takes.
//
// Nobody waits for a tile on the diagonal to be closed: while the others do the bulk of a round,
// one block takes the tile that is the next diagonal's first, closes it at once, and then helps
// with what is left.
//
// All tiles of a round but the diagonal's have the same work: c(i, j) = min(c(i, j),
// c(i, r) (x) c(r, j)). In row and column r the tile is a factor of its own product; it is stored
// when it has been read, and nobody else reads it before the blocks meet.
#include "algorithms/apsp/device_rounds.hpp"
#include "algorithms/apsp/tile_closure.cuh"
#include "algorithms/apsp/tile_product.cuh"
#include "core/cuda/launch.cuh"

#include <cooperative_groups.h>

#include <algorithm>

namespace warpgraph::apsp_steps {
namespace {

template <Lane lane>
struct Rounds {
  LaneRectangle<lane> matrix;  // of whole tiles
  int n_tiles;                 // in a row
  int first;
  int last;  // not any more
  vertex_t* negative;
  unsigned* taken;  // 2 a round, 0 at first: tiles that blocks have come back for in each half
};

/// The tiles of half a round: first those in row and column `round`, then the others.
class Half {
 public:
  __device__ Half(int number, int n_tiles)
      : round_(number / 2), panels_(number % 2 == 0), others_(n_tiles - 1) {}

  [[nodiscard]] __device__ unsigned size() const {
    return static_cast<unsigned>(panels_ ? 2 * others_ : others_ * others_);
  }
  [[nodiscard]] __device__ int round() const { return round_; }
  /// Whether the item is to be closed, being the diagonal of the next round. It comes first.
  [[nodiscard]] __device__ bool closes(unsigned item) const {
    return !panels_ && item == 0 && round_ < others_;
  }
  __device__ void find(unsigned item, int& row, int& column) const {
    const int i = static_cast<int>(item);
    if (panels_) {
      const int other = skip(i / 2);
      row = i % 2 == 0 ? round_ : other;
      column = i % 2 == 0 ? other : round_;
    } else {
      const int place = trade(i);
      row = skip(place / others_);
      column = skip(place % others_);
    }
  }

 private:
  [[nodiscard]] __device__ int skip(int i) const { return i < round_ ? i : i + 1; }
  /// Item 0 and the next diagonal change places.
  [[nodiscard]] __device__ int trade(int i) const {
    if (round_ == others_) return i;
    const int diagonal = round_ * (others_ + 1);
    return i == 0 ? diagonal : i == diagonal ? 0 : i;
  }

  int round_;
  bool panels_;
  int others_;
};

template <class Shape>
union RoundMemory {
  ProductMemory<Shape> product;
  ClosureMemory<Shape> closure;
};

/// Loads, multiplies, closes if there is a place for what is found then, and stores a tile.
///
/// A function of its own, not inlined, since what its caller keeps in registers, and what is the
/// same for every tile, would have to share them with the fragment. For the same reason what is
/// needed at the end waits in shared memory.
template <class Shape, Lane lane>
[[gnu::noinline]] __device__ void work_off_tile(LaneRectangle<lane> matrix, int row, int column,
                                                int round, vertex_t* negative_if_closed) {
  struct End {
    LaneValue<lane>* tile;
    std::int64_t stride;
    vertex_t first;
    vertex_t* negative_if_closed;
  };
  __shared__ RoundMemory<Shape> memory;
  __shared__ End end;
  constexpr std::int64_t side = Shape::tile;
  const auto tile = [&](int i, int j) { return matrix.part(i * side, j * side, side, side); };
  if (threadIdx.x == 0) {
    end = {tile(row, column).data, matrix.stride, static_cast<vertex_t>(row * side),
           negative_if_closed};
  }
  typename Shape::Fragment c;
  load_fragment<Shape, lane, false>(c, tile(row, column));
  multiply_tile<Shape, lane, false>(c, tile(row, round), tile(round, column), memory.product);
  if (end.negative_if_closed != nullptr) {
    Closure<Shape, lane>(c, memory.closure).run(end.first, end.negative_if_closed);
  }
  store_fragment<Shape, lane, false>(c, {end.tile, end.stride, side, side});
}

template <class Shape, Lane lane>
__global__ __launch_bounds__(Shape::threads,
                             Shape::blocks_a_multiprocessor) void run_rounds(Rounds<lane> work) {
  __shared__ unsigned item;
  for (int number = 2 * work.first; number < 2 * work.last; ++number) {
    const Half half(number, work.n_tiles);
    if (threadIdx.x == 0) item = blockIdx.x;
    __syncthreads();
    while (item < half.size()) {
      unsigned next = 0;
      if (threadIdx.x == 0) next = gridDim.x + atomicAdd(&work.taken[number], 1u);
      int row = 0;
      int column = 0;
      half.find(item, row, column);
      work_off_tile<Shape, lane>(work.matrix, row, column, half.round(),
                                 half.closes(item) ? work.negative : nullptr);
      if (threadIdx.x == 0) item = next;  // all have met since they looked at it
      __syncthreads();
    }
    cooperative_groups::this_grid().sync();
  }
}

template <Lane lane, class Shape>
void run_in_tiles(Rounds<lane> work, const cuda::Stream& stream) {
  const auto kernel = run_rounds<Shape, lane>;
  const std::int64_t others = work.n_tiles - 1;
  const std::int64_t useful = std::max<std::int64_t>({1, 2 * others, others * others});
  const std::int64_t blocks =
      std::min(useful, cuda::resident_blocks(stream, kernel, Shape::threads, 0));
  constexpr double steps_a_second = 12e12;  // of 32-bit integers; 64-bit lanes take up to 5 times
  const double steps =
      static_cast<double>(work.matrix.rows) * static_cast<double>(work.matrix.rows) * Shape::tile;
  const int batch =
      static_cast<int>(std::clamp(seconds_a_batch * steps_a_second / steps, 1.0, double{1 << 20}));
  close_tile<lane>(work.matrix.part(0, 0, Shape::tile, Shape::tile), 0, work.negative, stream);
  RoundsAhead ahead(work.negative, work.n_tiles, stream);
  for (int first = 0; first < work.n_tiles; first += batch) {
    work.first = first;
    work.last = std::min(first + batch, work.n_tiles);
    cuda::launch_cooperative(stream, blocks, Shape::threads, 0, kernel, work);
    ahead.put(work.last);
  }
  ahead.finish();
}

}  // namespace

template <Lane lane>
void run_blocked_rounds(LaneRectangle<lane> matrix, vertex_t tile, vertex_t* negative,
                        const cuda::Stream& stream) {
  const std::int64_t n_tiles = matrix.rows / tile;
  const cuda::DeviceBuffer<unsigned> taken(2 * static_cast<std::size_t>(n_tiles), stream);
  cuda::fill_bytes(taken.data(), 0, taken.size(), stream);
  const Rounds<lane> work{matrix, static_cast<int>(n_tiles), 0, 0, negative, taken.data()};
  if (tile == 64) {
    run_in_tiles<lane, TileShape<lane, 64>>(work, stream);
  } else {
    run_in_tiles<lane, TileShape<lane, largest_tile>>(work, stream);
  }
}

#define WARPGRAPH_INSTANTIATE(lane)                                                \
  template void run_blocked_rounds<lane>(LaneRectangle<lane>, vertex_t, vertex_t*, \
                                         const cuda::Stream&);
WARPGRAPH_FOR_EACH_LANE(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::apsp_steps
