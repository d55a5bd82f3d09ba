// All pairs on CUDA devices, in pieces: the steps of the blocked method on rectangles of matrices
// that lie in the memory of a device. Not for use outside this folder.
//
// All work is put on the stream and nothing waits for it. Rectangles of any shape and place are
// right; those whose `data` lies at a multiple of 16 bytes and whose stride is one too are fast,
// best of all where rows and columns are multiples of 128 and the depth is one of 16.
#pragma once

#include "algorithms/apsp/apsp.hpp"
#include "algorithms/apsp/arithmetic.hpp"

// clang-format off
// The lanes, and the types of results that each may be chosen for.
#define WARPGRAPH_FOR_EACH_LANE(X) \
  X(Lane::uint16) X(Lane::int32) X(Lane::int64) X(Lane::wide) X(Lane::float32) X(Lane::float64)
#define WARPGRAPH_FOR_EACH_LANE_AND_RESULT(X)                                              \
  X(Lane::uint16, std::int32_t) X(Lane::int32, std::int32_t) X(Lane::int64, std::int32_t)  \
  X(Lane::uint16, std::int64_t) X(Lane::int32, std::int64_t) X(Lane::int64, std::int64_t)  \
  X(Lane::wide, std::int64_t)                                                              \
  X(Lane::uint16, float) X(Lane::float32, float)                                           \
  X(Lane::uint16, double) X(Lane::int32, double) X(Lane::float64, double)
// clang-format on

namespace warpgraph::apsp_steps {

/// Borrowed memory; row i begins at data + i * stride.
template <class T>
struct Rectangle {
  T* data = nullptr;
  std::int64_t stride = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  [[nodiscard]] WARPGRAPH_HOST_DEVICE T* row(std::int64_t i) const { return data + i * stride; }
  [[nodiscard]] WARPGRAPH_HOST_DEVICE Rectangle part(std::int64_t first_row,
                                                     std::int64_t first_column, std::int64_t n_rows,
                                                     std::int64_t n_columns) const {
    return {data + first_row * stride + first_column, stride, n_rows, n_columns};
  }
};

/// Whether a rectangle can be read and written 16 bytes at a time, tile by tile.
template <class T>
WARPGRAPH_HOST_DEVICE bool is_aligned(const Rectangle<T>& rectangle) {
  return reinterpret_cast<std::uintptr_t>(rectangle.data) % 16 == 0 &&
         rectangle.stride * static_cast<std::int64_t>(sizeof(T)) % 16 == 0;
}

template <Lane lane>
using LaneRectangle = Rectangle<LaneValue<lane>>;

/// The longest side of a tile that is closed, and the depth of a panel that is closed.
inline constexpr std::int64_t largest_tile = 128;

/// Floyd's three loops in a square of at most largest_tile rows, the tile whose first vertex is
/// `first`. If no earlier tile found a negative cycle, so that *negative is no_vertex, and this one
/// does, *negative becomes the vertex. What the tile holds is then of no use.
template <Lane lane>
void close_tile(LaneRectangle<lane> tile, vertex_t first, vertex_t* negative,
                const cuda::Stream& stream);

/// panel = min(panel, tile (x) panel), for the panel of rows right and left of a closed tile.
template <Lane lane>
void close_row_panel(LaneRectangle<lane> panel, LaneRectangle<lane> tile,
                     const cuda::Stream& stream);

/// panel = min(panel, panel (x) tile), for the panel of columns above and below a closed tile.
template <Lane lane>
void close_column_panel(LaneRectangle<lane> panel, LaneRectangle<lane> tile,
                        const cuda::Stream& stream);

/// c = min(c, a (x) b): c is rows x columns, a is rows x depth, b is depth x columns, for any
/// depth. c must not overlap a or b.
template <Lane lane>
void multiply_into(LaneRectangle<lane> c, LaneRectangle<lane> a, LaneRectangle<lane> b,
                   const cuda::Stream& stream);

/// What a graph's arcs say of the distances from the vertices first_row, first_row + 1, .. to
/// first_column, ..: 0 from a vertex to itself, or its loop's weight if that is negative; else the
/// least weight of the arcs between the two, or infinity. Rows and columns beyond the last vertex
/// are infinite. `graph` lies on the device.
template <Lane lane, class R>
void write_arcs(const CsrView<R>& graph, std::int64_t first_row, std::int64_t first_column,
                LaneRectangle<lane> rectangle, const cuda::Stream& stream);

/// The position of the distance from row to column, as below.
[[nodiscard]] WARPGRAPH_HOST_DEVICE constexpr std::int64_t position_of(std::int64_t row,
                                                                       std::int64_t column) {
  return row << 32 | column;
}

/// to = from, as the result says it; both have the same shape, and the corner is the distance from
/// first_row to first_column. If distances do not fit R, *too_far, which infinity<int64>() must
/// have been put into, falls to the position of the first of them.
template <Lane lane, class R>
void write_result(LaneRectangle<lane> from, Rectangle<R> to, std::int64_t first_row,
                  std::int64_t first_column, std::int64_t* too_far, const cuda::Stream& stream);

}  // namespace warpgraph::apsp_steps
