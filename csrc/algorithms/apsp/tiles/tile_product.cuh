// Phases 2 and 3 of a round of blocked Floyd-Warshall (apsp.hpp): a block computes its tile
// c = min(c, a (x) b), where (x) is the min-plus product, with c in registers and a and b passing
// through shared memory in slices. Not for use outside this folder.
//
// A slice has slice_depth columns of a and as many rows of b. Slices pass through a pipeline: while
// one is multiplied, asynchronous copies load the next ones without using registers. A
// multiprocessor makes 64 steps c = min(c, a + b) a clock. So a slice of depth 8 for a tile of side
// 128 takes 2000 clocks, much longer than the memory latency. A slice for a tile of side 64, where
// one block has the multiprocessor to itself, takes half of the memory latency, so more slices are
// loaded ahead. Each thread transposes the part of a that it has loaded itself (to k by rows, so
// that a thread's rows are contiguous) and, for packed 16-bit values, duplicates each into both
// halves of a word.
#pragma once

#include "algorithms/apsp/tiles/tile_shape.cuh"

#include <cuda_pipeline_primitives.h>

namespace warpgraph::apsp_detail {

/// Left factors are stored in shared memory by columns, each distance in all columns of its word.
/// Columns are 16 bytes longer than a tile: a warp that writes 16 rows of two columns that are 4
/// apart then has no bank conflicts.
template <class Shape>
using SharedColumn = typename Shape::Word[Shape::tile + Shape::group];
template <class Shape>
using SharedRow = typename Shape::Word[Shape::words];

template <class Shape>
struct ProductMemory {
  /// Slices of b in shared memory or being copied there: as many as fit 48 KiB. More than two make
  /// large tiles 2 % slower on an H200.
  static constexpr int pipeline_stages = sizeof(typename Shape::Value) == 8 || Shape::large ? 2 : 4;
  /// Slices of a as they are loaded. A slice is transposed one step before it is multiplied, and so
  /// stays here for a step less than in b; `a` has the slice that is multiplied and the next one.
  Vector<typename Shape::Value> staged_a[pipeline_stages - 1][Shape::slice_depth * Shape::tile *
                                                              sizeof(typename Shape::Value) / 16];
  alignas(16) SharedColumn<Shape> a[2][Shape::slice_depth];
  alignas(16) SharedRow<Shape> b[pipeline_stages][Shape::slice_depth];
};

/// Loads slices of a and b to shared memory, in order. If `guarded`, the factors may end within the
/// tile and may have any alignment; values beyond their ends are infinite.
template <class Shape, Accumulator acc, bool guarded>
class SliceLoader {
 public:
  __device__ SliceLoader(const DistanceView<acc>& a, const DistanceView<acc>& b,
                         ProductMemory<Shape>& memory)
      : memory_(memory), b_slice_stride_(Shape::slice_depth * b.stride) {
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
      const VectorPosition at(i);
      a_[i] = a.row(at.row) + at.k_of_a;
      b_[i] = b.row(at.k) + at.column;
    }
    if constexpr (guarded) bounds_ = {a.rows, b.columns, b.rows};
  }

  /// Starts to load the next slice if `exists`. Otherwise commits an empty group of copies, so that
  /// wait_and_transpose can count groups.
  __device__ void load_async(bool exists, int slice) {
#pragma unroll
    for (int i = 0; i < per_thread && exists; ++i) {
      const VectorPosition at(i);
      if (!at.is_valid()) break;
      load_b(at, b_[i], slice % pipeline_stages);
      load_a(at, a_[i], slice % (pipeline_stages - 1));
      a_[i] += Shape::slice_depth;
      b_[i] += b_slice_stride_;
    }
    if constexpr (guarded) bounds_.depth -= Shape::slice_depth;
    __pipeline_commit();
  }
  /// Waits for the oldest slice in flight, all but the last pipeline_stages - 2 that were started,
  /// and transposes its part of a. The block has to synchronize before it reads the slice.
  __device__ void wait_and_transpose(int slice) {
    __pipeline_wait_prior(pipeline_stages - 2);
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
      const VectorPosition at(i);
      if (!at.is_valid()) break;
      const Values values = memory_.staged_a[slice % (pipeline_stages - 1)][at.vector];
#pragma unroll
      for (int j = 0; j < Values::size; ++j) {
        memory_.a[slice % 2][at.k_of_a + j][at.row] =
            DeviceArithmetic<acc>::broadcast(values.items[j]);
      }
    }
  }

 private:
  using Value = AccumulatorValue<acc>;
  using Values = Vector<Value>;
  static constexpr int pipeline_stages = ProductMemory<Shape>::pipeline_stages;
  static constexpr int vectors_of_a = Shape::slice_depth / Values::size;  // in a row of a's slice
  static constexpr int vectors_of_b = Shape::tile / Values::size;         // in a row of b's slice
  static constexpr int vectors = Shape::slice_depth * vectors_of_b;       // in either slice
  static constexpr int per_thread = (vectors + Shape::threads - 1) / Shape::threads;
  static_assert(Shape::slice_depth % Values::size == 0);

  /// The position of the thread's i-th vector in both slices.
  struct VectorPosition {
    int vector, row, k_of_a, k, column;
    __device__ explicit VectorPosition(int i)
        : vector(static_cast<int>(threadIdx.x + i * Shape::threads)),
          row(vector / vectors_of_a),
          k_of_a(vector % vectors_of_a * Values::size),
          k(vector / vectors_of_b),
          column(vector % vectors_of_b * Values::size) {}
    /// Returns whether the vector exists: small slices have fewer vectors than the block has
    /// threads.
    [[nodiscard]] __device__ bool is_valid() const {
      return vectors % Shape::threads == 0 || vector < vectors;
    }
  };
  struct Bounds {
    std::int64_t rows, columns;
    std::int64_t depth;  // of the slices that are left
  };
  struct NoBounds {};

  __device__ void load_b(const VectorPosition& at, const Value* from, int stage) {
    auto* const to =
        reinterpret_cast<Values*>(&memory_.b[stage][at.k][at.column / Shape::columns_per_word]);
    if constexpr (guarded) {
      Values values;
#pragma unroll
      for (int j = 0; j < Values::size; ++j) {
        values.items[j] = at.k < bounds_.depth && at.column + j < bounds_.columns
                              ? from[j]
                              : ArithmeticOf<acc>::infinity;
      }
      *to = values;
    } else {
      __pipeline_memcpy_async(to, from, sizeof(Values));
    }
  }

  __device__ void load_a(const VectorPosition& at, const Value* from, int stage) {
    if constexpr (guarded) {
      Values values;
#pragma unroll
      for (int j = 0; j < Values::size; ++j) {
        values.items[j] = at.row < bounds_.rows && at.k_of_a + j < bounds_.depth
                              ? from[j]
                              : ArithmeticOf<acc>::infinity;
      }
      memory_.staged_a[stage][at.vector] = values;
    } else {
      __pipeline_memcpy_async(&memory_.staged_a[stage][at.vector], from, sizeof(Values));
    }
  }

  ProductMemory<Shape>& memory_;
  const std::int64_t b_slice_stride_;
  const Value* a_[per_thread];
  const Value* b_[per_thread];
  std::conditional_t<guarded, Bounds, NoBounds> bounds_;
};

/// Computes c = min(c, a (x) b) for a thread's parts of `steps` columns of a and rows of b.
template <class Shape, Accumulator acc, int steps>
__device__ __forceinline__ void relax_fragment(
    typename Shape::Fragment& c, const Vector<typename Shape::Word> (&a)[steps][Shape::row_groups],
    const Vector<typename Shape::Word> (&b)[steps][Shape::word_groups]) {
  constexpr int group = Shape::group;
  constexpr int steps_at_once = Shape::fuses_two_steps && steps % 2 == 0 ? 2 : 1;
#pragma unroll
  for (int step = 0; step < steps; step += steps_at_once) {
#pragma unroll
    for (int i = 0; i < Shape::thread_rows; ++i) {
#pragma unroll
      for (int j = 0; j < Shape::thread_words; ++j) {
        const auto left = [&](int k) { return a[k][i / group].items[i % group]; };
        const auto right = [&](int k) { return b[k][j / group].items[j % group]; };
        if constexpr (steps_at_once == 2) {
          c[i][j] = DeviceArithmetic<acc>::relax_twice(c[i][j], left(step), right(step),
                                                       left(step + 1), right(step + 1));
        } else {
          c[i][j] = DeviceArithmetic<acc>::relax(c[i][j], left(step), right(step));
        }
      }
    }
  }
}

/// Computes c = min(c, a (x) b) for a thread's parts of factors in shared memory.
template <class Shape, Accumulator acc, int depth>
__device__ __forceinline__ void relax_steps(typename Shape::Fragment& c,
                                            const SharedColumn<Shape>* columns,
                                            const SharedRow<Shape>* rows) {
  using Words = Vector<typename Shape::Word>;
  constexpr int steps_at_once = Shape::fuses_two_steps ? 2 : 1;
#pragma unroll
  for (int k = 0; k < depth; k += steps_at_once) {
    Words a[steps_at_once][Shape::row_groups];
    Words b[steps_at_once][Shape::word_groups];
#pragma unroll
    for (int step = 0; step < steps_at_once; ++step) {
#pragma unroll
      for (int g = 0; g < Shape::row_groups; ++g) {
        a[step][g] = *reinterpret_cast<const Words*>(&columns[k + step][Shape::first_row(g)]);
      }
#pragma unroll
      for (int g = 0; g < Shape::word_groups; ++g) {
        b[step][g] = *reinterpret_cast<const Words*>(&rows[k + step][Shape::first_word(g)]);
      }
    }
    relax_fragment<Shape, acc>(c, a, b);
  }
}

/// Computes c = min(c, a (x) b) for the tile of which c is the thread's fragment: a is tile x
/// depth, b is depth x tile. All threads of the shape call this. When one of them returns, none
/// reads a or b any more: c may be stored over them.
template <class Shape, Accumulator acc, bool guarded>
__device__ void multiply_tile(typename Shape::Fragment& c, const DistanceView<acc>& a,
                              const DistanceView<acc>& b, ProductMemory<Shape>& memory) {
  SliceLoader<Shape, acc, guarded> loader(a, b, memory);
  constexpr int pipeline_stages = ProductMemory<Shape>::pipeline_stages;
  const int n_slices = (static_cast<int>(b.rows) + Shape::slice_depth - 1) / Shape::slice_depth;
  Shape::sync();  // other threads may still use the memory
  for (int slice = 0; slice + 1 < pipeline_stages; ++slice) {
    loader.load_async(slice < n_slices, slice);
  }
  loader.wait_and_transpose(0);
  // Where all slices but the last have a loop of their own, without a branch for slices to load,
  // the hottest kernels need fewer registers. The others compile in two thirds of the time without.
  constexpr bool has_own_loop = !guarded && sizeof(typename Shape::Value) <= 4;
  int slice = 0;
  for (; has_own_loop && slice + pipeline_stages - 1 < n_slices; ++slice) {
    Shape::sync();
    loader.load_async(true, slice + pipeline_stages - 1);
    relax_steps<Shape, acc, Shape::slice_depth>(c, memory.a[slice % 2],
                                                memory.b[slice % pipeline_stages]);
    loader.wait_and_transpose(slice + 1);
  }
  for (; slice < n_slices; ++slice) {
    Shape::sync();
    const int next = slice + pipeline_stages - 1;
    loader.load_async(!has_own_loop && next < n_slices, next);
    relax_steps<Shape, acc, Shape::slice_depth>(c, memory.a[slice % 2],
                                                memory.b[slice % pipeline_stages]);
    if (slice + 1 < n_slices) loader.wait_and_transpose(slice + 1);
  }
}

}  // namespace warpgraph::apsp_detail
