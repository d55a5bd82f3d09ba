// Phase 1 of a round: Floyd's three loops in the tile on the diagonal, in one block. Not for use
// outside this folder.
//
// All other work of a round waits for this, and its steps cannot be done side by side, so what a
// step costs beside the arithmetic counts: the tile stays in registers, the threads that have row
// and column k show them in shared memory, in one of two places by turns, and the block meets once.
#pragma once

#include "algorithms/apsp/tile_shape.cuh"

namespace warpgraph::apsp_steps {

template <class Shape>
struct ClosureMemory {
  using Word = typename Shape::Word;
  alignas(16) Word row[2][Shape::words];
  alignas(16) Word column[2][Shape::tile];  // each distance in all columns of its word
};

template <class Shape, Lane lane>
class Closure {
 public:
  __device__ Closure(typename Shape::Fragment& c, ClosureMemory<Shape>& memory)
      : c_(c), memory_(memory) {}

  /// As close_tile() says. All threads of the block call this.
  __device__ __forceinline__ void run(vertex_t first, vertex_t* negative) {
    __syncthreads();  // others may be at the end of what the block did with the memory before
    show(0, 0);
    int found = -1;
    for (int begin = 0; begin < Shape::tile; begin += steps) {
#pragma unroll
      for (int i = 0; i < steps; ++i) {
        const int k = begin + i;
        __syncthreads();
        const Word pivot = memory_.column[i % 2][k];
        relax(i % 2);
        if (i + 1 < steps) {
          show(begin, i + 1);
        } else if (k + 1 < Shape::tile) {
          show(begin + steps, 0);
        }
        if constexpr (DeviceLane<lane>::has_negative) {
          if (found < 0 && pivot < 0) found = k;
        }
      }
    }
    if (threadIdx.x == 0 && found >= 0 && *negative == no_vertex) *negative = first + found;
  }

 private:
  using Word = typename Shape::Word;
  using Words = Vector<Word>;
  /// After so many steps the turn comes to the same registers of other threads.
  static constexpr int steps = Shape::group * Shape::columns_a_word;
  static_assert(steps % 2 == 0 && Shape::rows_apart % steps == 0);

  /// c = min(c, column k + row k).
  __device__ __forceinline__ void relax(int place) {
    Words rows[Shape::word_groups];
    Words columns[Shape::row_groups];
#pragma unroll
    for (int g = 0; g < Shape::word_groups; ++g) {
      rows[g] = *reinterpret_cast<const Words*>(&memory_.row[place][Shape::first_word(g)]);
    }
#pragma unroll
    for (int g = 0; g < Shape::row_groups; ++g) {
      columns[g] = *reinterpret_cast<const Words*>(&memory_.column[place][Shape::first_row(g)]);
    }
#pragma unroll
    for (int i = 0; i < Shape::thread_rows; ++i) {
#pragma unroll
      for (int j = 0; j < Shape::thread_words; ++j) {
        c_[i][j] =
            DeviceLane<lane>::relax(c_[i][j], columns[i / Shape::group].items[i % Shape::group],
                                    rows[j / Shape::group].items[j % Shape::group]);
      }
    }
  }

  /// Writes row and column begin + i for the block to read; `begin` is a multiple of `steps`, and
  /// i, which is less, a constant once the loop is unrolled. So the registers that hold them are
  /// known, but for the group, of which there are few: those are chosen by value, since registers
  /// cannot be indexed.
  __device__ __forceinline__ void show(int begin, int i) {
    constexpr int threads_down = Shape::rows_apart / Shape::group;
    constexpr int threads_across = Shape::words_apart / Shape::group;
    // Not (begin + i) / group: nvcc 13.0 forgets that division where it unrolls the loop.
    if (Shape::thread_y() == (begin / Shape::group + i / Shape::group) % threads_down) {
      show_row(begin / Shape::rows_apart, i % Shape::group, i % 2);
    }
    if (Shape::thread_x() == begin / steps % threads_across) {
      show_column(begin / steps / threads_across, i / Shape::columns_a_word,
                  i % Shape::columns_a_word, i % 2);
    }
  }

  __device__ __forceinline__ void show_row(int of_group, int row, int place) {
#pragma unroll
    for (int g = 0; g < Shape::word_groups; ++g) {
      Words words;
#pragma unroll
      for (int j = 0; j < Shape::group; ++j) {
        const int word = g * Shape::group + j;
        words.items[j] = c_[row][word];
#pragma unroll
        for (int h = 1; h < Shape::row_groups; ++h) {
          words.items[j] = of_group == h ? c_[h * Shape::group + row][word] : words.items[j];
        }
      }
      *reinterpret_cast<Words*>(&memory_.row[place][Shape::first_word(g)]) = words;
    }
  }

  __device__ __forceinline__ void show_column(int of_group, int word, int of_word, int place) {
#pragma unroll
    for (int g = 0; g < Shape::row_groups; ++g) {
      Words words;
#pragma unroll
      for (int i = 0; i < Shape::group; ++i) {
        const auto& row = c_[g * Shape::group + i];
        Word chosen = row[word];
#pragma unroll
        for (int h = 1; h < Shape::word_groups; ++h) {
          chosen = of_group == h ? row[h * Shape::group + word] : chosen;
        }
        words.items[i] = DeviceLane<lane>::spread(DeviceLane<lane>::column(chosen, of_word));
      }
      *reinterpret_cast<Words*>(&memory_.column[place][Shape::first_row(g)]) = words;
    }
  }

  typename Shape::Fragment& c_;
  ClosureMemory<Shape>& memory_;
};

}  // namespace warpgraph::apsp_steps
