// Phase 1 of a round: Floyd's three loops in the pivot tile, in one block. Not for use outside this
// folder.
//
// All other work of a round waits for this, and its steps, one for each k, are sequential, so the
// overhead of a step counts. The tile stays in registers. The threads that hold row and column k
// publish them in shared memory, in a double buffer, and the block synchronizes once for 1 to 4
// steps: a thread that writes to a buffer has passed a barrier after all had read it. Rows and
// columns are published as they are before the first of the steps between two barriers. Each thread
// updates its part of the later ones itself, by the same sums in the same order.
#pragma once

#include "algorithms/apsp/tiles/tile_product.cuh"

namespace warpgraph::apsp_detail {

template <class Shape>
struct ClosureMemory {
  using Word = typename Shape::Word;
  /// Steps for each synchronization. In small tiles, whose threads have few words, the extra
  /// arithmetic on rows and columns takes longer than a barrier, unless a word has two columns or a
  /// thread makes two steps at a time. Large tiles have registers for two.
  static constexpr int steps_per_sync = Shape::columns_per_word == 2 && !Shape::large ? 4
                                        : Shape::large || Shape::fuses_two_steps      ? 2
                                                                                      : 1;
  alignas(16) Word row[2][steps_per_sync][Shape::words];
  /// The columns, each distance in all columns of its word.
  alignas(16) Word column[2][steps_per_sync][Shape::tile];
};

template <class Shape, Accumulator acc>
class Closure {
 public:
  __device__ Closure(typename Shape::Fragment& c, ClosureMemory<Shape>& memory)
      : c_(c), memory_(memory) {}

  /// Closes the tile, whose first vertex is `first`, as close_tile() (device_tiles.hpp) does: a
  /// vertex of a negative cycle goes to *negative. All threads of the shape call this.
  __device__ __forceinline__ void run(vertex_t first, vertex_t* negative) {
    Shape::sync();  // other threads may still use the memory
    int buffer = 0;
    publish(0, 0, buffer);
    int negative_step = -1;
    for (int begin = 0; begin < Shape::tile; begin += steps) {
#pragma unroll
      for (int i = 0; i < steps; i += steps_per_sync) {
        Shape::sync();
        relax(begin + i, buffer, negative_step);
        buffer ^= 1;
        if (i + steps_per_sync < steps) {
          publish(begin, i + steps_per_sync, buffer);
        } else if (begin + steps < Shape::tile) {
          publish(begin + steps, 0, buffer);
        }
      }
    }
    // Not atomic: closures of rounds follow each other by the dependences of the schedule.
    if (threadIdx.x == 0 && negative_step >= 0 && *negative == no_vertex) {
      *negative = first + negative_step;
    }
  }

 private:
  using Word = typename Shape::Word;
  using Words = Vector<Word>;
  static constexpr int steps_per_sync = ClosureMemory<Shape>::steps_per_sync;
  /// The columns of a word group of a thread (tile_shape.cuh), and so the steps after which column
  /// k is in other threads, at the same register indices. Row k is so after Shape::group steps,
  /// which are half as many with two columns a word.
  static constexpr int steps = Shape::group * Shape::columns_per_word;
  // Rows that are published together are in the same threads, and the rows of `steps` steps are in
  // row groups of the same index.
  static_assert(Shape::group % steps_per_sync == 0 && Shape::row_group_stride % steps == 0);

  /// The entries in both the rows and the columns k .. k + steps_per_sync - 1. After load_pivots(),
  /// [a][b] is the value of (k + a, k + b) before step k + min(a, b).
  using Pivots = Word[steps_per_sync][steps_per_sync];

  __device__ __forceinline__ void load_pivots(Pivots& pivots, int k, int buffer) const {
#pragma unroll
    for (int b = 0; b < steps_per_sync; ++b) {
#pragma unroll
      for (int a = 0; a < steps_per_sync; ++a) pivots[a][b] = memory_.column[buffer][b][k + a];
    }
#pragma unroll
    for (int step = 0; step < steps_per_sync; ++step) {
#pragma unroll
      for (int a = step + 1; a < steps_per_sync; ++a) {
#pragma unroll
        for (int b = step + 1; b < steps_per_sync; ++b) {
          pivots[a][b] =
              DeviceArithmetic<acc>::relax(pivots[a][b], pivots[a][step], pivots[step][b]);
        }
      }
    }
  }

  /// Computes c = min(c, column k + row k), and the same for the steps that follow up to the next
  /// synchronization.
  __device__ __forceinline__ void relax(int k, int buffer, int& negative_step) {
    Pivots pivots;
    load_pivots(pivots, k, buffer);
    Words rows[steps_per_sync][Shape::word_groups];
    Words columns[steps_per_sync][Shape::row_groups];
#pragma unroll
    for (int step = 0; step < steps_per_sync; ++step) {
      load(rows[step], columns[step], step, buffer);
#pragma unroll
      for (int before = 0; before < step; ++before) {
        relax_groups(rows[step], pivots[step][before], rows[before]);
        relax_groups(columns[step], columns[before], pivots[before][step]);
      }
      if constexpr (Shape::has_negative) {
        if (negative_step < 0 && pivots[step][step] < 0) negative_step = k + step;
      }
    }
    relax_fragment<Shape, acc>(c_, columns, rows);
  }

  __device__ __forceinline__ void load(Words (&rows)[Shape::word_groups],
                                       Words (&columns)[Shape::row_groups], int step,
                                       int buffer) const {
#pragma unroll
    for (int g = 0; g < Shape::word_groups; ++g) {
      rows[g] = *reinterpret_cast<const Words*>(&memory_.row[buffer][step][Shape::first_word(g)]);
    }
#pragma unroll
    for (int g = 0; g < Shape::row_groups; ++g) {
      columns[g] =
          *reinterpret_cast<const Words*>(&memory_.column[buffer][step][Shape::first_row(g)]);
    }
  }

  template <int groups>
  static __device__ __forceinline__ void relax_groups(Words (&c)[groups], Word a,
                                                      const Words (&b)[groups]) {
#pragma unroll
    for (int i = 0; i < groups * Shape::group; ++i) {
      Word& item = c[i / Shape::group].items[i % Shape::group];
      item = DeviceArithmetic<acc>::relax(item, a, b[i / Shape::group].items[i % Shape::group]);
    }
  }
  template <int groups>
  static __device__ __forceinline__ void relax_groups(Words (&c)[groups], const Words (&a)[groups],
                                                      Word b) {
#pragma unroll
    for (int i = 0; i < groups * Shape::group; ++i) {
      Word& item = c[i / Shape::group].items[i % Shape::group];
      item = DeviceArithmetic<acc>::relax(item, a[i / Shape::group].items[i % Shape::group], b);
    }
  }

  /// Writes rows and columns begin + i, .. to shared memory. `begin` is a multiple of `steps`; i is
  /// less than `steps` and constant once the loop is unrolled. So the registers that hold them are
  /// known at compile time except for the group. The few groups are selected by value, since
  /// registers cannot be indexed.
  __device__ __forceinline__ void publish(int begin, int i, int buffer) {
    // Not (begin + i) / group, for which nvcc 13.0 makes wrong code where it unrolls the loop.
    if (Shape::thread_y() == (begin / Shape::group + i / Shape::group) % Shape::threads_down) {
#pragma unroll
      for (int step = 0; step < steps_per_sync; ++step) {
        publish_row(begin / Shape::row_group_stride, (i + step) % Shape::group,
                    memory_.row[buffer][step]);
      }
    }
    if (Shape::thread_x() == begin / steps % Shape::threads_across) {
#pragma unroll
      for (int step = 0; step < steps_per_sync; ++step) {
        publish_column(begin / steps / Shape::threads_across, (i + step) / Shape::columns_per_word,
                       (i + step) % Shape::columns_per_word, memory_.column[buffer][step]);
      }
    }
  }

  __device__ __forceinline__ void publish_row(int row_group, int row, Word* to) {
#pragma unroll
    for (int g = 0; g < Shape::word_groups; ++g) {
      Words words;
#pragma unroll
      for (int j = 0; j < Shape::group; ++j) {
        const int word = g * Shape::group + j;
        words.items[j] = c_[row][word];
#pragma unroll
        for (int h = 1; h < Shape::row_groups; ++h) {
          words.items[j] = row_group == h ? c_[h * Shape::group + row][word] : words.items[j];
        }
      }
      *reinterpret_cast<Words*>(&to[Shape::first_word(g)]) = words;
    }
  }

  __device__ __forceinline__ void publish_column(int word_group, int word, int column_of_word,
                                                 Word* to) {
#pragma unroll
    for (int g = 0; g < Shape::row_groups; ++g) {
      Words words;
#pragma unroll
      for (int i = 0; i < Shape::group; ++i) {
        const auto& row = c_[g * Shape::group + i];
        Word chosen = row[word];
#pragma unroll
        for (int h = 1; h < Shape::word_groups; ++h) {
          chosen = word_group == h ? row[h * Shape::group + word] : chosen;
        }
        words.items[i] = DeviceArithmetic<acc>::broadcast(
            DeviceArithmetic<acc>::extract(chosen, column_of_word));
      }
      *reinterpret_cast<Words*>(&to[Shape::first_row(g)]) = words;
    }
  }

  typename Shape::Fragment& c_;
  ClosureMemory<Shape>& memory_;
};

}  // namespace warpgraph::apsp_detail
