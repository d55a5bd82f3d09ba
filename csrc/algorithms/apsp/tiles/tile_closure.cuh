// Phase 1 of a round: Floyd's three loops in the tile on the diagonal, in one block. Not for use
// outside this folder.
//
// All other work of a round waits for this, and its steps cannot be done side by side, so what a
// step costs beside the arithmetic counts: the tile stays in registers, the threads that have row
// and column k show them in shared memory, in one of two places by turns, and the block meets once
// for a few steps. It sees all their rows and columns as they are before the first of them; each
// thread makes of its part of the later ones what they will be when their turn comes, by the same
// sums in the same order.
#pragma once

#include "algorithms/apsp/tiles/tile_product.cuh"

namespace warpgraph::apsp_steps {

template <class Shape>
struct ClosureMemory {
  using Word = typename Shape::Word;
  /// Steps that the block meets once for. Small tiles have too few threads to make more of rows and
  /// columns in the time that meeting takes, but where a word has two columns, or a thread takes
  /// two steps at a time; large ones have registers for two.
  static constexpr int together = Shape::columns_a_word == 2 && !Shape::large ? 4
                                  : Shape::large || Shape::takes_two_steps    ? 2
                                                                              : 1;
  alignas(16) Word row[2][together][Shape::words];
  alignas(16) Word column[2][together][Shape::tile];  // each distance in all columns of its word
};

template <class Shape, Lane lane>
class Closure {
 public:
  __device__ Closure(typename Shape::Fragment& c, ClosureMemory<Shape>& memory)
      : c_(c), memory_(memory) {}

  /// As close_tile() says. All threads of the shape call this.
  __device__ __forceinline__ void run(vertex_t first, vertex_t* negative) {
    Shape::meet();  // others may be at the end of what was done with the memory before
    int place = 0;
    show(0, 0, place);
    int found = -1;
    for (int begin = 0; begin < Shape::tile; begin += steps) {
#pragma unroll
      for (int i = 0; i < steps; i += together) {
        Shape::meet();
        relax(begin + i, place, found);
        place ^= 1;
        if (i + together < steps) {
          show(begin, i + together, place);
        } else if (begin + steps < Shape::tile) {
          show(begin + steps, 0, place);
        }
      }
    }
    if (threadIdx.x == 0 && found >= 0 && *negative == no_vertex) *negative = first + found;
  }

 private:
  using Word = typename Shape::Word;
  using Words = Vector<Word>;
  static constexpr int together = ClosureMemory<Shape>::together;
  /// After so many steps the turn comes to the same registers of other threads.
  static constexpr int steps = Shape::group * Shape::columns_a_word;
  static_assert(Shape::group % together == 0 && Shape::rows_apart % steps == 0);

  /// What rows and columns k, k + 1, .. have in common; [a][b] is what it is before step a or b,
  /// whichever comes first.
  using Pivots = Word[together][together];

  __device__ __forceinline__ void load_pivots(Pivots& pivots, int k, int place) const {
#pragma unroll
    for (int b = 0; b < together; ++b) {
#pragma unroll
      for (int a = 0; a < together; ++a) pivots[a][b] = memory_.column[place][b][k + a];
    }
#pragma unroll
    for (int step = 0; step < together; ++step) {
#pragma unroll
      for (int a = step + 1; a < together; ++a) {
#pragma unroll
        for (int b = step + 1; b < together; ++b) {
          pivots[a][b] = DeviceLane<lane>::relax(pivots[a][b], pivots[a][step], pivots[step][b]);
        }
      }
    }
  }

  /// c = min(c, column k + row k), and the same for the steps that follow.
  __device__ __forceinline__ void relax(int k, int place, int& found) {
    Pivots pivots;
    load_pivots(pivots, k, place);
    Words rows[together][Shape::word_groups];
    Words columns[together][Shape::row_groups];
#pragma unroll
    for (int step = 0; step < together; ++step) {
      load(rows[step], columns[step], step, place);
#pragma unroll
      for (int before = 0; before < step; ++before) {
        relax_groups(rows[step], pivots[step][before], rows[before]);
        relax_groups(columns[step], columns[before], pivots[before][step]);
      }
      if constexpr (Shape::has_negative) {
        if (found < 0 && pivots[step][step] < 0) found = k + step;
      }
    }
    relax_fragment<Shape, lane>(c_, columns, rows);
  }

  __device__ __forceinline__ void load(Words (&rows)[Shape::word_groups],
                                       Words (&columns)[Shape::row_groups], int step,
                                       int place) const {
#pragma unroll
    for (int g = 0; g < Shape::word_groups; ++g) {
      rows[g] = *reinterpret_cast<const Words*>(&memory_.row[place][step][Shape::first_word(g)]);
    }
#pragma unroll
    for (int g = 0; g < Shape::row_groups; ++g) {
      columns[g] =
          *reinterpret_cast<const Words*>(&memory_.column[place][step][Shape::first_row(g)]);
    }
  }

  template <int groups>
  static __device__ __forceinline__ void relax_groups(Words (&c)[groups], Word a,
                                                      const Words (&b)[groups]) {
#pragma unroll
    for (int i = 0; i < groups * Shape::group; ++i) {
      Word& item = c[i / Shape::group].items[i % Shape::group];
      item = DeviceLane<lane>::relax(item, a, b[i / Shape::group].items[i % Shape::group]);
    }
  }
  template <int groups>
  static __device__ __forceinline__ void relax_groups(Words (&c)[groups], const Words (&a)[groups],
                                                      Word b) {
#pragma unroll
    for (int i = 0; i < groups * Shape::group; ++i) {
      Word& item = c[i / Shape::group].items[i % Shape::group];
      item = DeviceLane<lane>::relax(item, a[i / Shape::group].items[i % Shape::group], b);
    }
  }

  /// Writes rows and columns begin + i, .. for the block to read; `begin` is a multiple of `steps`,
  /// and i, which is less, a constant once the loop is unrolled. So the registers that hold them
  /// are known, but for the group, of which there are few: those are chosen by value, since
  /// registers cannot be indexed.
  __device__ __forceinline__ void show(int begin, int i, int place) {
    constexpr int threads_down = Shape::rows_apart / Shape::group;
    constexpr int threads_across = Shape::words_apart / Shape::group;
    // Not (begin + i) / group: nvcc 13.0 forgets that division where it unrolls the loop.
    if (Shape::thread_y() == (begin / Shape::group + i / Shape::group) % threads_down) {
#pragma unroll
      for (int step = 0; step < together; ++step) {
        show_row(begin / Shape::rows_apart, (i + step) % Shape::group, memory_.row[place][step]);
      }
    }
    if (Shape::thread_x() == begin / steps % threads_across) {
#pragma unroll
      for (int step = 0; step < together; ++step) {
        show_column(begin / steps / threads_across, (i + step) / Shape::columns_a_word,
                    (i + step) % Shape::columns_a_word, memory_.column[place][step]);
      }
    }
  }

  __device__ __forceinline__ void show_row(int of_group, int row, Word* to) {
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
      *reinterpret_cast<Words*>(&to[Shape::first_word(g)]) = words;
    }
  }

  __device__ __forceinline__ void show_column(int of_group, int word, int of_word, Word* to) {
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
      *reinterpret_cast<Words*>(&to[Shape::first_row(g)]) = words;
    }
  }

  typename Shape::Fragment& c_;
  ClosureMemory<Shape>& memory_;
};

}  // namespace warpgraph::apsp_steps
