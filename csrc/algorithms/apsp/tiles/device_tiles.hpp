// The building blocks of blocked APSP on CUDA devices: steps on submatrices in device memory. Not
// for use outside this folder.
//
// All work is asynchronous, in the stream's order. Any shape and alignment is correct. Submatrices
// whose `data` and row stride are multiples of 16 bytes are fast, fastest where rows and columns
// are multiples of 128 and the depth is a multiple of 16.
#pragma once

#include "algorithms/apsp/accumulator.hpp"
#include "algorithms/apsp/apsp.hpp"
#include "algorithms/apsp/tiles/matrix_view.hpp"

namespace warpgraph::apsp_detail {

/// Returns whether tiles of the matrix can be read and written 16 bytes at a time.
template <class T>
WARPGRAPH_HOST_DEVICE bool is_aligned(const MatrixView<T>& view) {
  return reinterpret_cast<std::uintptr_t>(view.data) % 16 == 0 &&
         view.stride * static_cast<std::int64_t>(sizeof(T)) % 16 == 0;
}

template <Accumulator acc>
using DistanceView = MatrixView<AccumulatorValue<acc>>;

/// The largest side of a tile that can be closed, and the largest depth of a panel.
inline constexpr std::int64_t max_tile_side = 128;

/// Runs Floyd's three loops in a square tile of at most max_tile_side rows, whose first vertex is
/// `first`. If this tile has a negative cycle and no earlier one had, so that *negative is
/// no_vertex, *negative becomes a vertex of the cycle. The tile's entries are then meaningless.
template <Accumulator acc>
void close_tile(DistanceView<acc> tile, vertex_t first, vertex_t* negative,
                const cuda::Stream& stream);

/// Computes panel = min(panel, tile (x) panel) for the row panel to the left and right of a closed
/// tile.
template <Accumulator acc>
void update_row_panel(DistanceView<acc> panel, DistanceView<acc> tile, const cuda::Stream& stream);

/// Computes panel = min(panel, panel (x) tile) for the column panel above and below a closed tile.
template <Accumulator acc>
void update_column_panel(DistanceView<acc> panel, DistanceView<acc> tile,
                         const cuda::Stream& stream);

/// Computes c = min(c, a (x) b): c is rows x columns, a is rows x depth, b is depth x columns, for
/// any depth. c must not overlap a or b.
template <Accumulator acc>
void multiply_into(DistanceView<acc> c, DistanceView<acc> a, DistanceView<acc> b,
                   const cuda::Stream& stream);

// Instantiated in the sources of instances/.
WARPGRAPH_DECLARE_FOR_EACH_ACCUMULATOR(close_tile)
WARPGRAPH_DECLARE_FOR_EACH_ACCUMULATOR(update_row_panel)
WARPGRAPH_DECLARE_FOR_EACH_ACCUMULATOR(update_column_panel)
WARPGRAPH_DECLARE_FOR_EACH_ACCUMULATOR(multiply_into)

/// Writes the part of the initial matrix for the sources first_row, first_row + 1, .. and the
/// targets first_column, ..: 0 from a vertex to itself, or its loop's weight if that is negative;
/// otherwise the least weight of the arcs between the two, or infinity. Padding beyond the last
/// vertex is infinite. `graph` lies on the device.
template <Accumulator acc, class R>
void write_adjacency(const CsrView<R>& graph, std::int64_t first_row, std::int64_t first_column,
                     DistanceView<acc> view, const cuda::Stream& stream);

/// Packs a row and a column for the atomic minimum below.
[[nodiscard]] WARPGRAPH_HOST_DEVICE constexpr std::int64_t pack_position(std::int64_t row,
                                                                         std::int64_t column) {
  return row << 32 | column;
}

/// Converts `from` to the result's type and writes it to `to`. Both have the same shape; their
/// first entry is the distance from first_row to first_column. *overflow_position must be
/// initialized to infinity<int64>(). If distances do not fit R, it is lowered to the position of
/// the first of them.
template <Accumulator acc, class R>
void write_result(DistanceView<acc> from, MatrixView<R> to, std::int64_t first_row,
                  std::int64_t first_column, std::int64_t* overflow_position,
                  const cuda::Stream& stream);

}  // namespace warpgraph::apsp_detail
