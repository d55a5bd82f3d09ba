// From one tile of the diagonal to the next, in one block. Not for use outside this folder.
//
// Where a matrix has few tiles, a round takes as long as the way from a closed tile of the diagonal
// to the next: two tiles of its row and column, the product of these, the closure. One block that
// does nothing else goes it without waiting: it keeps what it has made in shared memory, while
// others would have to be told of it, and fetch it. To tell them takes a microsecond, until all
// stores have reached memory: a warp more does that.
#pragma once

#include "algorithms/apsp/tiles/round_order.cuh"
#include "algorithms/apsp/tiles/tile_closure.cuh"
#include "algorithms/apsp/tiles/tile_product.cuh"

namespace warpgraph::apsp_steps {

template <class Shape>
struct ChainMemory {
  using Columns = Column<Shape>[Shape::tile];
  using Rows = Row<Shape>[Shape::tile];
  alignas(16) Columns closed_columns;  // the tile of the diagonal, as a left factor
  alignas(16) Rows closed_rows;        // and as a right one
  alignas(16) Columns left;
  alignas(16) Rows right;
  ClosureMemory<Shape> closure;
};

template <class Shape, Lane lane>
class Chain {
 public:
  __device__ Chain(LaneRectangle<lane> matrix, int n_tiles, const Done& done, vertex_t* negative,
                   ChainMemory<Shape>& memory)
      : matrix_(matrix), n_tiles_(n_tiles), done_(done), negative_(negative), memory_(memory) {}

  static constexpr unsigned threads = Shape::threads + cuda::warp_lanes;

  /// Does the tasks of all rounds for which is_on_chain() holds. All threads of the block call
  /// this.
  __device__ void run() {
    if (threadIdx.x < Shape::threads) {
      work();
    } else {
      announce();
    }
  }

 private:
  using Word = typename Shape::Word;
  using Words = Vector<Word>;
  using Fragment = typename Shape::Fragment;

  __device__ void work() {
    Fragment first;
    load(first, 0, 0);
    close(first, 0);
    for (int round = 0; round + 1 < n_tiles_; ++round) step(round);
  }

  /// Says what the others have stored, each time they meet with this warp.
  __device__ void announce() const {
    const bool speaks = threadIdx.x == Shape::threads;
    meet_all();
    if (speaks) done_.announce(Task{Task::Kind::closure, 0, 0, 0});
    for (int round = 0; round + 1 < n_tiles_; ++round) {
      const int next = round + 1;
      meet_all();
      if (speaks) {
        done_.announce(Task{Task::Kind::product, round, next, round},
                       Task{Task::Kind::product, round, round, next});
      }
      meet_all();
      if (speaks) done_.announce(Task{Task::Kind::product_and_closure, round, next, next});
    }
  }
  static __device__ __forceinline__ void meet_all() { cuda::meet<2, threads>(); }

  __device__ void step(int round) {
    const int next = round + 1;
    const auto rounds = static_cast<unsigned>(round);
    if (threadIdx.x == 0) done_.wait(next, round, rounds);
    if (threadIdx.x == 1) done_.wait(round, next, rounds);
    if (threadIdx.x == 2) done_.wait(next, next, rounds);
    Shape::meet();
    Fragment left;
    Fragment right;
    Fragment tile;
    load(left, next, round);
    load(right, round, next);
    load(tile, next, next);
    put_columns(left, memory_.left);
    put_rows(right, memory_.right);
    Shape::meet();
    multiply(left, memory_.left, memory_.closed_rows);
    multiply(right, memory_.closed_columns, memory_.right);
    store(left, next, round);
    store(right, round, next);
    meet_all();
    put_columns(left, memory_.left);
    put_rows(right, memory_.right);
    Shape::meet();
    multiply(tile, memory_.left, memory_.right);
    close(tile, next);
  }

  /// Closes, stores and keeps a tile of the diagonal.
  __device__ void close(Fragment& tile, int place) {
    Closure<Shape, lane>(tile, memory_.closure)
        .run(static_cast<vertex_t>(place * Shape::tile), negative_);
    store(tile, place, place);
    put_columns(tile, memory_.closed_columns);
    put_rows(tile, memory_.closed_rows);
    meet_all();
  }
  [[nodiscard]] __device__ LaneRectangle<lane> at(int row, int column) const {
    constexpr std::int64_t side = Shape::tile;
    return matrix_.part(row * side, column * side, side, side);
  }
  __device__ void load(Fragment& c, int row, int column) const {
    load_fragment<Shape, lane, false>(c, at(row, column));
  }
  __device__ void store(const Fragment& c, int row, int column) const {
    store_fragment<Shape, lane, false>(c, at(row, column));
  }

  static __device__ void multiply(Fragment& c, const typename ChainMemory<Shape>::Columns& a,
                                  const typename ChainMemory<Shape>::Rows& b) {
    constexpr int depth = 16;
#pragma unroll 1
    for (int k = 0; k < Shape::tile; k += depth) relax_steps<Shape, lane, depth>(c, a + k, b + k);
  }

  static __device__ void put_rows(const Fragment& c, typename ChainMemory<Shape>::Rows& to) {
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

  static __device__ void put_columns(const Fragment& c, typename ChainMemory<Shape>::Columns& to) {
    constexpr int width = Shape::columns_a_word;
#pragma unroll
    for (int j = 0; j < Shape::thread_words; ++j) {
      const int word = Shape::first_word(j / Shape::group) + j % Shape::group;
#pragma unroll
      for (int of_word = 0; of_word < width; ++of_word) {
#pragma unroll
        for (int g = 0; g < Shape::row_groups; ++g) {
          Words words;
#pragma unroll
          for (int i = 0; i < Shape::group; ++i) {
            const Word from = c[g * Shape::group + i][j];
            words.items[i] = DeviceLane<lane>::spread(DeviceLane<lane>::column(from, of_word));
          }
          *reinterpret_cast<Words*>(&to[word * width + of_word][Shape::first_row(g)]) = words;
        }
      }
    }
  }

  const LaneRectangle<lane> matrix_;
  const int n_tiles_;
  const Done& done_;
  vertex_t* const negative_;
  ChainMemory<Shape>& memory_;
};

}  // namespace warpgraph::apsp_steps
