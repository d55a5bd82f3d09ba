// How the threads of a block share out a square tile of a matrix. Not for use outside this folder.
//
// A thread keeps a fragment of the tile in registers: thread_rows x thread_words words. In the
// inner loop it reads a word for each of its rows and each of its columns from shared memory and
// makes thread_rows * thread_words steps of them. With 8 x 8 that is 4 loads of 16 bytes to 64
// steps, and since a multiprocessor makes 64 steps a clock and serves a load of a warp in up to 4,
// shared memory is busy half of the time that the arithmetic is.
//
// A fragment is not one piece: groups of 16 bytes' worth of neighbouring rows, or words, lie evenly
// over the tile, so that eight lanes side by side read 128 bytes side by side.
#pragma once

#include "algorithms/apsp/tiles/device_lanes.cuh"
#include "algorithms/apsp/tiles/device_tiles.hpp"
#include "core/cuda/meet.cuh"
#include "core/cuda/warp.cuh"

namespace warpgraph::apsp_steps {

/// 16 bytes of anything, for loads and stores of 128 bits.
template <class T>
struct alignas(16) [[gnu::may_alias]] Vector {
  static constexpr int size = 16 / sizeof(T);
  T items[size];
};

/// `negative`: distances may be.
template <Lane lane, int tile_, bool negative = DeviceLane<lane>::has_negative>
struct TileShape {
  using Value = LaneValue<lane>;
  using Word = typename DeviceLane<lane>::Word;
  static constexpr int tile = tile_;
  static constexpr int columns_a_word = DeviceLane<lane>::columns_a_word;
  static constexpr int words = tile / columns_a_word;  // a row
  static constexpr bool has_negative = negative;
  static constexpr bool takes_two_steps = lane == Lane::float32 && !negative;

  // Large tiles: registers for 64 words, or 32 of 64 bits, and the operands, twice 256 threads a
  // multiprocessor. Small ones are for matrices with few tiles, or for one tile that all others
  // wait for: rather more threads.
  static constexpr bool large = tile > 64;
  static constexpr int thread_rows = large || sizeof(Value) == 4 ? 8 : 4;
  static constexpr int thread_words = large && sizeof(Value) <= 4 ? 8 : 4;

  /// Columns of a, or rows of b, that are in shared memory at a time. Small tiles have less to do
  /// with each, and meet after each.
  static constexpr int slice_depth = large ? 8 : 16;

  static constexpr int group = Vector<Word>::size;  // rows or words that lie together
  static constexpr int row_groups = thread_rows / group;
  static constexpr int word_groups = thread_words / group;
  static constexpr int rows_apart = tile / row_groups;  // from a group of rows to the next
  static constexpr int words_apart = words / word_groups;

  static constexpr int threads_across = words / thread_words;
  static constexpr int threads_down = tile / thread_rows;
  static constexpr unsigned threads = threads_across * threads_down;
  /// As many as registers allow if a thread takes 128.
  static constexpr unsigned blocks_a_multiprocessor = 512 / threads;

  // A warp is 8 threads across and 4 down.
  static_assert(threads_across % 8 == 0 && threads_down % 4 == 0);
  static constexpr int warps_across = threads_across / 8;

  /// The threads that share the tile meet. Beside small tiles there may be other warps in the
  /// block; large ones have no registers to spare for a barrier that leaves some out.
  static __device__ __forceinline__ void meet() {
    if constexpr (large) {
      __syncthreads();
    } else {
      cuda::meet<1, threads>();
    }
  }

  /// The fragment of the calling thread.
  static __device__ int thread_x() {
    const int warp = static_cast<int>(threadIdx.x) / cuda::warp_lanes;
    return warp % warps_across * 8 + cuda::lane() % 8;
  }
  static __device__ int thread_y() {
    const int warp = static_cast<int>(threadIdx.x) / cuda::warp_lanes;
    return warp / warps_across * 4 + cuda::lane() / 8;
  }
  /// Where a group of the fragment begins.
  static __device__ int first_row(int of_group) {
    return of_group * rows_apart + thread_y() * group;
  }
  static __device__ int first_word(int of_group) {
    return of_group * words_apart + thread_x() * group;
  }

  using Fragment = Word[thread_rows][thread_words];
};

/// The rectangle that a tile of the shape covers when its corner is at `tile`. Guarded: the
/// rectangle may end within the tile, or lie at any address; what is beyond it is infinite and not
/// written.
template <class Shape, Lane lane, bool guarded>
__device__ void load_fragment(typename Shape::Fragment& c, LaneRectangle<lane> tile) {
  using Word = typename Shape::Word;
#pragma unroll
  for (int i = 0; i < Shape::thread_rows; ++i) {
    const int row = Shape::first_row(i / Shape::group) + i % Shape::group;
#pragma unroll
    for (int g = 0; g < Shape::word_groups; ++g) {
      const int column = Shape::first_word(g) * Shape::columns_a_word;
      Vector<Word> words;
      if constexpr (guarded) {
        Vector<LaneValue<lane>> values;
#pragma unroll
        for (int j = 0; j < values.size; ++j) {
          values.items[j] = row < tile.rows && column + j < tile.columns
                                ? tile.row(row)[column + j]
                                : ArithmeticOf<lane>::infinity;
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

template <class Shape, Lane lane, bool guarded>
__device__ void store_fragment(const typename Shape::Fragment& c, LaneRectangle<lane> tile) {
  using Word = typename Shape::Word;
#pragma unroll
  for (int i = 0; i < Shape::thread_rows; ++i) {
    const int row = Shape::first_row(i / Shape::group) + i % Shape::group;
#pragma unroll
    for (int g = 0; g < Shape::word_groups; ++g) {
      const int column = Shape::first_word(g) * Shape::columns_a_word;
      Vector<Word> words;
#pragma unroll
      for (int j = 0; j < Shape::group; ++j) words.items[j] = c[i][g * Shape::group + j];
      if constexpr (guarded) {
        const auto& values = reinterpret_cast<const Vector<LaneValue<lane>>&>(words);
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

}  // namespace warpgraph::apsp_steps
