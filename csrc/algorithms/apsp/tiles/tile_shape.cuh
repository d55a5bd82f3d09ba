// The division of a square tile among the threads of a block. Not for use outside this folder.
//
// A thread keeps a fragment of the tile in registers: thread_rows x thread_words words. In each
// step, for one k, it reads a word for each of its rows and columns from shared memory and relaxes
// all words of the fragment. With 8 x 8 that is 4 loads of 16 bytes for 64 relaxations. A
// multiprocessor makes 64 relaxations a clock and serves a warp's load in up to 4 clocks, so shared
// memory is busy half as long as the arithmetic.
//
// A fragment is not contiguous: groups of 16 bytes of neighbouring rows, or words, are spread
// evenly over the tile, so that eight consecutive lanes read 128 consecutive bytes.
#pragma once

#include "algorithms/apsp/tiles/device_arithmetic.cuh"
#include "algorithms/apsp/tiles/device_tiles.hpp"
#include "core/cuda/named_barrier.cuh"
#include "core/cuda/warp.cuh"

namespace warpgraph::apsp_detail {

/// 16 bytes of T, for 128-bit loads and stores.
template <class T>
struct alignas(16) [[gnu::may_alias]] Vector {
  static constexpr int size = 16 / sizeof(T);
  T items[size];
};

/// A shape of square tiles; `negative` tells whether distances may be negative.
template <Accumulator acc, int tile_, bool negative = DeviceArithmetic<acc>::has_negative>
struct TileShape {
  using Value = AccumulatorValue<acc>;
  using Word = typename DeviceArithmetic<acc>::Word;
  static constexpr int tile = tile_;
  static constexpr int columns_per_word = DeviceArithmetic<acc>::columns_per_word;
  static constexpr int words = tile / columns_per_word;  // in a row
  static constexpr bool has_negative = negative;
  // A thread makes two steps at a time, whose minima share an instruction (device_arithmetic.cuh).
  static constexpr bool fuses_two_steps = acc == Accumulator::float32 && !negative;

  // Large tiles: registers for 64 words, or 32 of 64 bits, and the operands, with 512 threads a
  // multiprocessor: blocks of 128 for 16 bits, 256 for 32, 512 for 64. Small tiles are for matrices
  // with few tiles, or for a tile that all others wait for: threads have less of the same work.
  static constexpr bool large = tile > 64;
  static constexpr int thread_rows = large || sizeof(Value) == 4 ? 8 : 4;
  static constexpr int thread_words = large && sizeof(Value) <= 4 ? 8 : 4;

  /// Columns of a, or rows of b, in one slice in shared memory. Small tiles have less work for
  /// each, and synchronize after each slice.
  static constexpr int slice_depth = large ? 8 : 16;

  static constexpr int group = Vector<Word>::size;  // contiguous rows or words
  static constexpr int row_groups = thread_rows / group;
  static constexpr int word_groups = thread_words / group;
  static constexpr int row_group_stride = tile / row_groups;  // from a group of rows to the next
  static constexpr int word_group_stride = words / word_groups;

  static constexpr int threads_across = words / thread_words;
  static constexpr int threads_down = tile / thread_rows;
  static constexpr unsigned threads = threads_across * threads_down;
  /// The most blocks that registers allow with 128 for each thread.
  static constexpr unsigned blocks_per_multiprocessor = 512 / threads;

  // A warp is 8 threads across and 4 down.
  static_assert(threads_across % 8 == 0 && threads_down % 4 == 0);
  static constexpr int warps_across = threads_across / 8;

  /// Synchronizes the threads that share the tile. A block of small tiles may have other warps as
  /// well; large tiles have no registers to spare for a barrier of some warps only.
  static __device__ __forceinline__ void sync() {
    if constexpr (large) {
      __syncthreads();
    } else {
      cuda::named_barrier_sync<1, threads>();
    }
  }

  /// Returns the position of the calling thread's fragment across, or down, in threads.
  static __device__ int thread_x() {
    const int warp = static_cast<int>(threadIdx.x) / cuda::warp_lanes;
    return warp % warps_across * 8 + cuda::lane() % 8;
  }
  static __device__ int thread_y() {
    const int warp = static_cast<int>(threadIdx.x) / cuda::warp_lanes;
    return warp / warps_across * 4 + cuda::lane() / 8;
  }
  /// Returns the first row, or word, of a group of the fragment.
  static __device__ int first_row(int index) {
    return index * row_group_stride + thread_y() * group;
  }
  static __device__ int first_word(int index) {
    return index * word_group_stride + thread_x() * group;
  }

  using Fragment = Word[thread_rows][thread_words];
};

/// Loads a tile of the shape from the matrix whose first entry is the tile's. If `guarded`, the
/// matrix may end within the tile and may have any alignment; entries beyond its end read as
/// infinite and are not written.
template <class Shape, Accumulator acc, bool guarded>
__device__ void load_fragment(typename Shape::Fragment& c, DistanceView<acc> tile) {
  using Word = typename Shape::Word;
#pragma unroll
  for (int i = 0; i < Shape::thread_rows; ++i) {
    const int row = Shape::first_row(i / Shape::group) + i % Shape::group;
#pragma unroll
    for (int g = 0; g < Shape::word_groups; ++g) {
      const int column = Shape::first_word(g) * Shape::columns_per_word;
      Vector<Word> words;
      if constexpr (guarded) {
        Vector<AccumulatorValue<acc>> values;
#pragma unroll
        for (int j = 0; j < values.size; ++j) {
          values.items[j] = row < tile.rows && column + j < tile.columns
                                ? tile.row(row)[column + j]
                                : ArithmeticOf<acc>::infinity;
        }
        words = reinterpret_cast<const Vector<Word>&>(values);
      } else {
        words = *reinterpret_cast<const Vector<Word>*>(tile.row(row) + column);
      }
#pragma unroll
      for (int j = 0; j < Shape::group; ++j) c[i][g * Shape::group + j] = words.items[j];
    }
  }
}

template <class Shape, Accumulator acc, bool guarded>
__device__ void store_fragment(const typename Shape::Fragment& c, DistanceView<acc> tile) {
  using Word = typename Shape::Word;
#pragma unroll
  for (int i = 0; i < Shape::thread_rows; ++i) {
    const int row = Shape::first_row(i / Shape::group) + i % Shape::group;
#pragma unroll
    for (int g = 0; g < Shape::word_groups; ++g) {
      const int column = Shape::first_word(g) * Shape::columns_per_word;
      Vector<Word> words;
#pragma unroll
      for (int j = 0; j < Shape::group; ++j) words.items[j] = c[i][g * Shape::group + j];
      if constexpr (guarded) {
        const auto& values = reinterpret_cast<const Vector<AccumulatorValue<acc>>&>(words);
#pragma unroll
        for (int j = 0; j < values.size; ++j) {
          if (row < tile.rows && column + j < tile.columns) {
            tile.row(row)[column + j] = values.items[j];
          }
        }
      } else {
        *reinterpret_cast<Vector<Word>*>(tile.row(row) + column) = words;
      }
    }
  }
}

}  // namespace warpgraph::apsp_detail
