// Closing, panels and products of device_tiles.hpp: each launches kernels in which a block computes
// one tile. blocked_rounds.cuh has many rounds in one launch instead. Not for use outside this
// folder.
#pragma once

#include "algorithms/apsp/tiles/device_tiles.hpp"
#include "algorithms/apsp/tiles/tile_closure.cuh"
#include "algorithms/apsp/tiles/tile_product.cuh"
#include "core/cuda/launch.cuh"

#include <algorithm>

namespace warpgraph::apsp_detail {
namespace {

/// Runs Floyd's three loops in a tile, in one block. If `guarded`, here and below, matrices may end
/// within a tile and may have any alignment.
template <class Shape, Accumulator acc, bool guarded>
__global__ __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) void closure_kernel(
    DistanceView<acc> tile, vertex_t first, vertex_t* negative) {
  __shared__ ClosureMemory<Shape> memory;
  typename Shape::Fragment c;
  load_fragment<Shape, acc, guarded>(c, tile);
  Closure<Shape, acc>(c, memory).run(first, negative);
  store_fragment<Shape, acc, guarded>(c, tile);
}

/// Computes c = min(c, a (x) b), where (x) is the min-plus product. Each block computes one tile of
/// c; tiles are numbered row by row.
template <class Shape, Accumulator acc, bool guarded>
__global__ __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) void product_kernel(
    DistanceView<acc> c, DistanceView<acc> a, DistanceView<acc> b) {
  __shared__ ProductMemory<Shape> memory;
  // Shared, so that the tile's position takes no registers during the product.
  __shared__ std::int64_t row;
  __shared__ std::int64_t column;
  constexpr int side = Shape::tile;
  if (threadIdx.x == 0) {
    const std::int64_t across = (c.columns + side - 1) / side;
    row = blockIdx.x / across * side;
    column = blockIdx.x % across * side;
  }
  __syncthreads();
  typename Shape::Fragment fragment;
  load_fragment<Shape, acc, guarded>(fragment,
                                     c.submatrix(row, column, c.rows - row, c.columns - column));
  multiply_tile<Shape, acc, guarded>(fragment, a.submatrix(row, 0, a.rows - row, a.columns),
                                     b.submatrix(0, column, b.rows, b.columns - column), memory);
  store_fragment<Shape, acc, guarded>(fragment,
                                      c.submatrix(row, column, c.rows - row, c.columns - column));
}

/// Calls `use` with a shape of tiles: of side 64 if `small`, so that a small matrix has more of
/// them, otherwise of the largest side. The results are bit-identical.
template <Accumulator acc, class Use>
void with_shape(bool small, Use&& use) {
  if (small) {
    use.template operator()<TileShape<acc, 64>>();
  } else {
    use.template operator()<TileShape<acc, max_tile_side>>();
  }
}

template <class Shape, Accumulator acc, bool guarded>
void launch_product(DistanceView<acc> c, DistanceView<acc> a, DistanceView<acc> b,
                    const cuda::Stream& stream) {
  const auto tiles = [](std::int64_t n) { return (n + Shape::tile - 1) / Shape::tile; };
  cuda::launch(stream, tiles(c.rows) * tiles(c.columns), Shape::threads, 0,
               product_kernel<Shape, acc, guarded>, c, a, b);
}

/// Multiplies with unguarded accesses of 16 bytes in whole tiles, and with guarded ones in the
/// margins to the right and below, if any. All tiles are guarded if an operand is not aligned, if
/// the depth is no multiple of slice_depth, or if c has fewer rows or columns than a tile.
template <class Shape, Accumulator acc>
void multiply_in_tiles(DistanceView<acc> c, DistanceView<acc> a, DistanceView<acc> b,
                       const cuda::Stream& stream) {
  constexpr std::int64_t side = Shape::tile;
  const bool aligned =
      is_aligned(c) && is_aligned(a) && is_aligned(b) && a.columns % Shape::slice_depth == 0;
  const std::int64_t rows = aligned ? c.rows / side * side : 0;
  const std::int64_t columns = rows == 0 ? 0 : c.columns / side * side;
  const auto product = [&]<bool guarded>(std::int64_t row, std::int64_t column, std::int64_t n_rows,
                                         std::int64_t n_columns) {
    launch_product<Shape, acc, guarded>(c.submatrix(row, column, n_rows, n_columns),
                                        a.submatrix(row, 0, n_rows, a.columns),
                                        b.submatrix(0, column, b.rows, n_columns), stream);
  };
  product.template operator()<false>(0, 0, rows, columns);
  product.template operator()<true>(0, columns, rows, c.columns - columns);
  product.template operator()<true>(rows, 0, c.rows - rows, c.columns);
}

template <Accumulator acc>
bool is_small(const DistanceView<acc>& c) {
  // A large device has about 128 multiprocessors. Each has room for two blocks of large tiles of
  // 32-bit values, four of 16 bits and one of 64. Fewer tiles than multiprocessors would leave a
  // part of this room empty: more than half with 32 bits.
  return c.rows * c.columns < 128 * max_tile_side * max_tile_side;
}

}  // namespace

template <Accumulator acc>
void close_tile(DistanceView<acc> tile, vertex_t first, vertex_t* negative,
                const cuda::Stream& stream) {
  with_shape<acc>(tile.rows <= 64, [&]<class Shape>() {
    const bool whole = tile.rows == Shape::tile && is_aligned(tile);
    cuda::launch(stream, 1, Shape::threads, 0,
                 whole ? closure_kernel<Shape, acc, false> : closure_kernel<Shape, acc, true>, tile,
                 first, negative);
  });
}

// A panel is updated in place, though it is a factor of its own product. This is safe where a block
// computes the whole depth of the panel: it then reads no other part of the panel than the one it
// writes, reads all of it before it writes, and no other block reads it.

template <Accumulator acc>
void update_row_panel(DistanceView<acc> panel, DistanceView<acc> tile, const cuda::Stream& stream) {
  with_shape<acc>(panel.rows <= 64, [&]<class Shape>() {
    multiply_in_tiles<Shape, acc>(panel, tile, panel, stream);
  });
}

template <Accumulator acc>
void update_column_panel(DistanceView<acc> panel, DistanceView<acc> tile,
                         const cuda::Stream& stream) {
  with_shape<acc>(panel.columns <= 64, [&]<class Shape>() {
    multiply_in_tiles<Shape, acc>(panel, panel, tile, stream);
  });
}

template <Accumulator acc>
void multiply_into(DistanceView<acc> c, DistanceView<acc> a, DistanceView<acc> b,
                   const cuda::Stream& stream) {
  if (a.columns == 0) return;
  with_shape<acc>(is_small<acc>(c),
                  [&]<class Shape>() { multiply_in_tiles<Shape, acc>(c, a, b, stream); });
}

}  // namespace warpgraph::apsp_detail
