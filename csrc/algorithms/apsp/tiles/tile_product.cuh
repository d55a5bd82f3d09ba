// Phases 2 and 3 of a round: a block's tile c = min(c, a (x) b), c in registers, a and b passing
// through shared memory in slices. Not for use outside this folder.
//
// While one slice is worked off, the next ones are on their way, by copies that pass no register.
// At 64 steps a clock a slice of 128 x 128 lasts 2000 clocks, long beside the way to memory, but
// one of 64 x 64, where a block has a multiprocessor for itself, lasts half as long as that way. Of
// a, each thread then turns round what it has fetched itself (k by rows, so that a thread's rows
// lie together) and, for the packed lane, doubles it into both halves of a word.
#pragma once

#include "algorithms/apsp/tiles/tile_shape.cuh"

#include <cuda_pipeline_primitives.h>

namespace warpgraph::apsp_steps {

/// Left factors lie in shared memory by columns, each distance in all columns of its word. Columns
/// are 16 bytes longer than a tile, so that a warp that writes 16 rows of two of them that are 4
/// apart meets no bank twice.
template <class Shape>
using Column = typename Shape::Word[Shape::tile + Shape::group];
template <class Shape>
using Row = typename Shape::Word[Shape::words];

template <class Shape>
struct ProductMemory {
  /// Slices that are in shared memory or on their way there: what fits 48 KiB. More than two cost
  /// large tiles 2 % on an H200.
  static constexpr int stages = sizeof(typename Shape::Value) == 8 || Shape::large ? 2 : 4;
  Vector<typename Shape::Value>
      fetched[stages - 1][Shape::slice_depth * Shape::tile * sizeof(typename Shape::Value) / 16];
  alignas(16) Column<Shape> a[2][Shape::slice_depth];
  alignas(16) Row<Shape> b[stages][Shape::slice_depth];
};

/// Brings slices of a and b to shared memory, one after the other. Guarded: as in load_fragment.
template <class Shape, Lane lane, bool guarded>
class Slices {
 public:
  __device__ Slices(const LaneRectangle<lane>& a, const LaneRectangle<lane>& b,
                    ProductMemory<Shape>& memory)
      : memory_(memory), step_of_b_(Shape::slice_depth * b.stride) {
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
      const Place place(i);
      a_[i] = a.row(place.row) + place.k_of_a;
      b_[i] = b.row(place.k) + place.column;
    }
    if constexpr (guarded) ends_ = {a.rows, b.columns, b.rows};
  }

  /// Begins to fetch the next slice, if there is one.
  __device__ void fetch(bool exists, int slice) {
#pragma unroll
    for (int i = 0; i < per_thread && exists; ++i) {
      const Place place(i);
      if (!place.is_one()) break;
      fetch_b(place, b_[i], slice % stages);
      fetch_a(place, a_[i], slice % (stages - 1));
      a_[i] += Shape::slice_depth;
      b_[i] += step_of_b_;
    }
    if constexpr (guarded) ends_.depth -= Shape::slice_depth;
    __pipeline_commit();
  }
  /// Waits for the slice before which stages - 1 were begun since, and turns its a round; the block
  /// has to meet before the slice is read.
  __device__ void put(int slice) {
    __pipeline_wait_prior(stages - 2);
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
      const Place place(i);
      if (!place.is_one()) break;
      const Values values = memory_.fetched[slice % (stages - 1)][place.vector];
#pragma unroll
      for (int j = 0; j < Values::size; ++j) {
        memory_.a[slice % 2][place.k_of_a + j][place.row] =
            DeviceLane<lane>::spread(values.items[j]);
      }
    }
  }

 private:
  using Value = LaneValue<lane>;
  using Values = Vector<Value>;
  static constexpr int stages = ProductMemory<Shape>::stages;
  static constexpr int vectors_of_a = Shape::slice_depth / Values::size;  // a row of a's slice
  static constexpr int vectors_of_b = Shape::tile / Values::size;         // a row of b's
  static constexpr int vectors = Shape::slice_depth * vectors_of_b;       // of either slice
  static constexpr int per_thread = (vectors + Shape::threads - 1) / Shape::threads;
  static_assert(Shape::slice_depth % Values::size == 0);

  /// Where in the slices the thread's i-th vectors are.
  struct Place {
    int vector, row, k_of_a, k, column;
    __device__ explicit Place(int i)
        : vector(static_cast<int>(threadIdx.x + i * Shape::threads)),
          row(vector / vectors_of_a),
          k_of_a(vector % vectors_of_a * Values::size),
          k(vector / vectors_of_b),
          column(vector % vectors_of_b * Values::size) {}
    /// Small slices have fewer vectors than the block has threads.
    [[nodiscard]] __device__ bool is_one() const {
      return vectors % Shape::threads == 0 || vector < vectors;
    }
  };
  struct Ends {
    std::int64_t rows, columns;
    std::int64_t depth;  // of what is left
  };
  struct Nothing {};

  __device__ void fetch_b(const Place& place, const Value* from, int stage) {
    auto* const to =
        reinterpret_cast<Values*>(&memory_.b[stage][place.k][place.column / Shape::columns_a_word]);
    if constexpr (guarded) {
      Values values;
#pragma unroll
      for (int j = 0; j < Values::size; ++j) {
        values.items[j] = place.k < ends_.depth && place.column + j < ends_.columns
                              ? from[j]
                              : ArithmeticOf<lane>::infinity;
      }
      *to = values;
    } else {
      __pipeline_memcpy_async(to, from, sizeof(Values));
    }
  }

  __device__ void fetch_a(const Place& place, const Value* from, int stage) {
    if constexpr (guarded) {
      Values values;
#pragma unroll
      for (int j = 0; j < Values::size; ++j) {
        values.items[j] = place.row < ends_.rows && place.k_of_a + j < ends_.depth
                              ? from[j]
                              : ArithmeticOf<lane>::infinity;
      }
      memory_.fetched[stage][place.vector] = values;
    } else {
      __pipeline_memcpy_async(&memory_.fetched[stage][place.vector], from, sizeof(Values));
    }
  }

  ProductMemory<Shape>& memory_;
  const std::int64_t step_of_b_;
  const Value* a_[per_thread];
  const Value* b_[per_thread];
  std::conditional_t<guarded, Ends, Nothing> ends_;
};

/// c = min(c, a (x) b) for so many columns of a and rows of b: a thread's parts of them.
template <class Shape, Lane lane, int steps>
__device__ __forceinline__ void relax_fragment(
    typename Shape::Fragment& c, const Vector<typename Shape::Word> (&a)[steps][Shape::row_groups],
    const Vector<typename Shape::Word> (&b)[steps][Shape::word_groups]) {
  constexpr int group = Shape::group;
  constexpr int together = Shape::takes_two_steps && steps % 2 == 0 ? 2 : 1;
#pragma unroll
  for (int step = 0; step < steps; step += together) {
#pragma unroll
    for (int i = 0; i < Shape::thread_rows; ++i) {
#pragma unroll
      for (int j = 0; j < Shape::thread_words; ++j) {
        const auto from = [&](int k) { return a[k][i / group].items[i % group]; };
        const auto to = [&](int k) { return b[k][j / group].items[j % group]; };
        if constexpr (together == 2) {
          c[i][j] = DeviceLane<lane>::relax_twice(c[i][j], from(step), to(step), from(step + 1),
                                                  to(step + 1));
        } else {
          c[i][j] = DeviceLane<lane>::relax(c[i][j], from(step), to(step));
        }
      }
    }
  }
}

/// The same for factors that lie in shared memory.
template <class Shape, Lane lane, int depth>
__device__ __forceinline__ void relax_steps(typename Shape::Fragment& c,
                                            const Column<Shape>* columns, const Row<Shape>* rows) {
  using Words = Vector<typename Shape::Word>;
  constexpr int together = Shape::takes_two_steps ? 2 : 1;
#pragma unroll
  for (int k = 0; k < depth; k += together) {
    Words a[together][Shape::row_groups];
    Words b[together][Shape::word_groups];
#pragma unroll
    for (int step = 0; step < together; ++step) {
#pragma unroll
      for (int g = 0; g < Shape::row_groups; ++g) {
        a[step][g] = *reinterpret_cast<const Words*>(&columns[k + step][Shape::first_row(g)]);
      }
#pragma unroll
      for (int g = 0; g < Shape::word_groups; ++g) {
        b[step][g] = *reinterpret_cast<const Words*>(&rows[k + step][Shape::first_word(g)]);
      }
    }
    relax_fragment<Shape, lane>(c, a, b);
  }
}

/// c = min(c, a (x) b) for the tile whose fragments are c: a is tile x depth, b is depth x tile.
/// All threads of the shape call this, and when one returns, none of them reads a or b any more: c
/// may be stored in their place.
template <class Shape, Lane lane, bool guarded>
__device__ void multiply_tile(typename Shape::Fragment& c, const LaneRectangle<lane>& a,
                              const LaneRectangle<lane>& b, ProductMemory<Shape>& memory) {
  Slices<Shape, lane, guarded> slices(a, b, memory);
  constexpr int stages = ProductMemory<Shape>::stages;
  const int n_slices = (static_cast<int>(b.rows) + Shape::slice_depth - 1) / Shape::slice_depth;
  Shape::meet();  // others may be at the end of what was done with the memory before
  for (int slice = 0; slice + 1 < stages; ++slice) slices.fetch(slice < n_slices, slice);
  slices.put(0);
  int slice = 0;
  for (; slice + stages - 1 < n_slices; ++slice) {
    Shape::meet();
    slices.fetch(true, slice + stages - 1);
    relax_steps<Shape, lane, Shape::slice_depth>(c, memory.a[slice % 2], memory.b[slice % stages]);
    slices.put(slice + 1);
  }
  for (; slice < n_slices; ++slice) {
    Shape::meet();
    slices.fetch(false, 0);
    relax_steps<Shape, lane, Shape::slice_depth>(c, memory.a[slice % 2], memory.b[slice % stages]);
    if (slice + 1 < n_slices) slices.put(slice + 1);
  }
}

}  // namespace warpgraph::apsp_steps
