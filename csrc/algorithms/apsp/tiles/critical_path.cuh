// The critical path of the rounds, from one pivot tile to the next, in one block. Not for use
// outside this folder.
//
// Where a matrix has few tiles, a round takes as long as the dependent chain from a closed pivot
// tile to the next: two panel tiles, their product, its closure. A block that does nothing else
// runs this chain without waiting for others: it keeps its results in shared memory, while other
// blocks would have to be signalled and to load them. A signal takes a microsecond, until all
// stores have reached memory: an extra warp sends the signals.
#pragma once

#include "algorithms/apsp/tiles/tile_closure.cuh"
#include "algorithms/apsp/tiles/tile_product.cuh"
#include "algorithms/apsp/tiles/tile_schedule.cuh"

namespace warpgraph::apsp_detail {

template <class Shape>
struct CriticalPathMemory {
  using Columns = SharedColumn<Shape>[Shape::tile];
  using Rows = SharedRow<Shape>[Shape::tile];
  alignas(16) Columns closed_columns;  // the pivot tile, as a left factor
  alignas(16) Rows closed_rows;        // and as a right one
  alignas(16) Columns left;
  alignas(16) Rows right;
  ClosureMemory<Shape> closure;
};

template <class Shape, Accumulator acc>
class CriticalPath {
 public:
  __device__ CriticalPath(DistanceView<acc> matrix, int n_tiles, const TileProgress& progress,
                          vertex_t* negative, CriticalPathMemory<Shape>& memory)
      : matrix_(matrix),
        n_tiles_(n_tiles),
        progress_(progress),
        negative_(negative),
        memory_(memory) {}

  static constexpr unsigned threads = Shape::threads + cuda::warp_lanes;

  /// Runs the tasks of all rounds for which is_on_critical_path() holds. All threads of the block
  /// call this.
  __device__ void run() {
    if (threadIdx.x < Shape::threads) {
      compute();
    } else {
      signal_stores();
    }
  }

 private:
  using Word = typename Shape::Word;
  using Words = Vector<Word>;
  using Fragment = typename Shape::Fragment;

  __device__ void compute() {
    Fragment first;
    load(first, 0, 0);
    close(first, 0);
    for (int round = 0; round + 1 < n_tiles_; ++round) step(round);
  }

  /// Signals the other threads' stores each time they synchronize with this warp.
  __device__ void signal_stores() const {
    const bool signals = threadIdx.x == Shape::threads;
    sync_all();
    if (signals) progress_.signal(TileTask{TileTask::Kind::closure, 0, 0, 0});
    for (int round = 0; round + 1 < n_tiles_; ++round) {
      const int next = round + 1;
      sync_all();
      if (signals) {
        progress_.signal(TileTask{TileTask::Kind::product, round, next, round},
                         TileTask{TileTask::Kind::product, round, round, next});
      }
      sync_all();
      if (signals) {
        progress_.signal(TileTask{TileTask::Kind::product_and_closure, round, next, next});
      }
    }
  }
  static __device__ __forceinline__ void sync_all() { cuda::named_barrier_sync<2, threads>(); }

  __device__ void step(int round) {
    const int next = round + 1;
    const auto rounds = static_cast<unsigned>(round);
    if (threadIdx.x == 0) progress_.wait(next, round, rounds);
    if (threadIdx.x == 1) progress_.wait(round, next, rounds);
    if (threadIdx.x == 2) progress_.wait(next, next, rounds);
    Shape::sync();
    Fragment left;
    Fragment right;
    Fragment tile;
    load(left, next, round);
    load(right, round, next);
    load(tile, next, next);
    write_columns(left, memory_.left);
    write_rows(right, memory_.right);
    Shape::sync();
    multiply(left, memory_.left, memory_.closed_rows);
    multiply(right, memory_.closed_columns, memory_.right);
    store(left, next, round);
    store(right, round, next);
    sync_all();
    write_columns(left, memory_.left);
    write_rows(right, memory_.right);
    Shape::sync();
    multiply(tile, memory_.left, memory_.right);
    close(tile, next);
  }

  /// Closes and stores a pivot tile, and keeps it in shared memory.
  __device__ void close(Fragment& tile, int index) {
    Closure<Shape, acc>(tile, memory_.closure)
        .run(static_cast<vertex_t>(index * Shape::tile), negative_);
    store(tile, index, index);
    write_columns(tile, memory_.closed_columns);
    write_rows(tile, memory_.closed_rows);
    sync_all();
  }
  [[nodiscard]] __device__ DistanceView<acc> at(int row, int column) const {
    constexpr std::int64_t side = Shape::tile;
    return matrix_.submatrix(row * side, column * side, side, side);
  }
  __device__ void load(Fragment& c, int row, int column) const {
    load_fragment<Shape, acc, false>(c, at(row, column));
  }
  __device__ void store(const Fragment& c, int row, int column) const {
    store_fragment<Shape, acc, false>(c, at(row, column));
  }

  static __device__ void multiply(Fragment& c, const typename CriticalPathMemory<Shape>::Columns& a,
                                  const typename CriticalPathMemory<Shape>::Rows& b) {
    constexpr int depth = 16;
#pragma unroll 1
    for (int k = 0; k < Shape::tile; k += depth) relax_steps<Shape, acc, depth>(c, a + k, b + k);
  }

  static __device__ void write_rows(const Fragment& c,
                                    typename CriticalPathMemory<Shape>::Rows& to) {
#pragma unroll
    for (int i = 0; i < Shape::thread_rows; ++i) {
      Word* const row = to[Shape::first_row(i / Shape::group) + i % Shape::group];
#pragma unroll
      for (int g = 0; g < Shape::word_groups; ++g) {
        Words words;
#pragma unroll
        for (int j = 0; j < Shape::group; ++j) words.items[j] = c[i][g * Shape::group + j];
        *reinterpret_cast<Words*>(&row[Shape::first_word(g)]) = words;
      }
    }
  }

  static __device__ void write_columns(const Fragment& c,
                                       typename CriticalPathMemory<Shape>::Columns& to) {
    constexpr int width = Shape::columns_per_word;
#pragma unroll
    for (int j = 0; j < Shape::thread_words; ++j) {
      const int word = Shape::first_word(j / Shape::group) + j % Shape::group;
#pragma unroll
      for (int i_column = 0; i_column < width; ++i_column) {
#pragma unroll
        for (int g = 0; g < Shape::row_groups; ++g) {
          Words words;
#pragma unroll
          for (int i = 0; i < Shape::group; ++i) {
            const Word from = c[g * Shape::group + i][j];
            words.items[i] =
                DeviceArithmetic<acc>::broadcast(DeviceArithmetic<acc>::extract(from, i_column));
          }
          *reinterpret_cast<Words*>(&to[word * width + i_column][Shape::first_row(g)]) = words;
        }
      }
    }
  }

  const DistanceView<acc> matrix_;
  const int n_tiles_;
  const TileProgress& progress_;
  vertex_t* const negative_;
  CriticalPathMemory<Shape>& memory_;
};

}  // namespace warpgraph::apsp_detail
