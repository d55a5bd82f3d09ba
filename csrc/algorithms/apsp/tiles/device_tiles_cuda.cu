// The steps of the blocked method as launches of their own: a block a tile.
#include "algorithms/apsp/tiles/device_tiles.hpp"
#include "algorithms/apsp/tiles/tile_closure.cuh"
#include "algorithms/apsp/tiles/tile_product.cuh"
#include "core/cuda/launch.cuh"

#include <algorithm>

namespace warpgraph::apsp_steps {
namespace {

template <class Shape, Lane lane, bool guarded>
__global__ __launch_bounds__(Shape::threads, Shape::blocks_a_multiprocessor) void closure_kernel(
    LaneRectangle<lane> tile, vertex_t first, vertex_t* negative) {
  __shared__ ClosureMemory<Shape> memory;
  typename Shape::Fragment c;
  load_fragment<Shape, lane, guarded>(c, tile);
  Closure<Shape, lane>(c, memory).run(first, negative);
  store_fragment<Shape, lane, guarded>(c, tile);
}

/// Blocks take the tiles of c along its rows.
template <class Shape, Lane lane, bool guarded>
__global__ __launch_bounds__(Shape::threads, Shape::blocks_a_multiprocessor) void product_kernel(
    LaneRectangle<lane> c, LaneRectangle<lane> a, LaneRectangle<lane> b) {
  __shared__ ProductMemory<Shape> memory;
  // Shared so that the addresses of the tile need no registers meanwhile.
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
  load_fragment<Shape, lane, guarded>(fragment,
                                      c.part(row, column, c.rows - row, c.columns - column));
  multiply_tile<Shape, lane, guarded>(fragment, a.part(row, 0, a.rows - row, a.columns),
                                      b.part(0, column, b.rows, b.columns - column), memory);
  store_fragment<Shape, lane, guarded>(fragment,
                                       c.part(row, column, c.rows - row, c.columns - column));
}

/// Tiles of 64 give small rectangles more blocks; the bits are the same.
template <Lane lane, class Use>
void with_shape(bool small, Use&& use) {
  if (small) {
    use.template operator()<TileShape<lane, 64>>();
  } else {
    use.template operator()<TileShape<lane, largest_tile>>();
  }
}

template <class Shape, Lane lane, bool guarded>
void launch_product(LaneRectangle<lane> c, LaneRectangle<lane> a, LaneRectangle<lane> b,
                    const cuda::Stream& stream) {
  const auto tiles = [](std::int64_t n) { return (n + Shape::tile - 1) / Shape::tile; };
  cuda::launch(stream, tiles(c.rows) * tiles(c.columns), Shape::threads, 0,
               product_kernel<Shape, lane, guarded>, c, a, b);
}

/// What can be done in whole tiles and 16 bytes at a time is; the margins, if any, with care.
template <class Shape, Lane lane>
void multiply_in_tiles(LaneRectangle<lane> c, LaneRectangle<lane> a, LaneRectangle<lane> b,
                       const cuda::Stream& stream) {
  constexpr std::int64_t side = Shape::tile;
  const bool aligned =
      is_aligned(c) && is_aligned(a) && is_aligned(b) && a.columns % Shape::slice_depth == 0;
  const std::int64_t rows = aligned ? c.rows / side * side : 0;
  const std::int64_t columns = rows == 0 ? 0 : c.columns / side * side;
  const auto product = [&]<bool guarded>(std::int64_t row, std::int64_t column, std::int64_t n_rows,
                                         std::int64_t n_columns) {
    launch_product<Shape, lane, guarded>(c.part(row, column, n_rows, n_columns),
                                         a.part(row, 0, n_rows, a.columns),
                                         b.part(0, column, b.rows, n_columns), stream);
  };
  product.template operator()<false>(0, 0, rows, columns);
  product.template operator()<true>(0, columns, rows, c.columns - columns);
  product.template operator()<true>(rows, 0, c.rows - rows, c.columns);
}

template <Lane lane>
bool is_small(const LaneRectangle<lane>& c) {
  // Fewer tiles than a large device has multiprocessors, so that half of it would idle.
  return c.rows * c.columns < 128 * largest_tile * largest_tile;
}

}  // namespace

template <Lane lane>
void close_tile(LaneRectangle<lane> tile, vertex_t first, vertex_t* negative,
                const cuda::Stream& stream) {
  with_shape<lane>(tile.rows <= 64, [&]<class Shape>() {
    const bool whole = tile.rows == Shape::tile && is_aligned(tile);
    cuda::launch(stream, 1, Shape::threads, 0,
                 whole ? closure_kernel<Shape, lane, false> : closure_kernel<Shape, lane, true>,
                 tile, first, negative);
  });
}

// A panel lies in the place of a factor. A block has read all that its tile depends on before it
// writes, and no other block reads it, if the tile is as wide as the panel.

template <Lane lane>
void close_row_panel(LaneRectangle<lane> panel, LaneRectangle<lane> tile,
                     const cuda::Stream& stream) {
  with_shape<lane>(panel.rows <= 64, [&]<class Shape>() {
    multiply_in_tiles<Shape, lane>(panel, tile, panel, stream);
  });
}

template <Lane lane>
void close_column_panel(LaneRectangle<lane> panel, LaneRectangle<lane> tile,
                        const cuda::Stream& stream) {
  with_shape<lane>(panel.columns <= 64, [&]<class Shape>() {
    multiply_in_tiles<Shape, lane>(panel, panel, tile, stream);
  });
}

template <Lane lane>
void multiply_into(LaneRectangle<lane> c, LaneRectangle<lane> a, LaneRectangle<lane> b,
                   const cuda::Stream& stream) {
  if (a.columns == 0) return;
  with_shape<lane>(is_small<lane>(c),
                   [&]<class Shape>() { multiply_in_tiles<Shape, lane>(c, a, b, stream); });
}

#define WARPGRAPH_INSTANTIATE(lane)                                                                \
  template void close_tile<lane>(LaneRectangle<lane>, vertex_t, vertex_t*, const cuda::Stream&);   \
  template void close_row_panel<lane>(LaneRectangle<lane>, LaneRectangle<lane>,                    \
                                      const cuda::Stream&);                                        \
  template void close_column_panel<lane>(LaneRectangle<lane>, LaneRectangle<lane>,                 \
                                         const cuda::Stream&);                                     \
  template void multiply_into<lane>(LaneRectangle<lane>, LaneRectangle<lane>, LaneRectangle<lane>, \
                                    const cuda::Stream&);
WARPGRAPH_FOR_EACH_LANE(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::apsp_steps
