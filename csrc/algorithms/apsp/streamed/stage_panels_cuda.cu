#include "algorithms/apsp/streamed/stage_panels.hpp"
#include "core/cuda/launch.cuh"

namespace warpgraph::apsp_steps {
namespace {

template <Lane lane>
__global__ void copy_kernel(LaneRectangle<lane> from, LaneRectangle<lane> to) {
  const std::int64_t i = cuda::global_index();
  if (i >= to.rows * to.columns) return;
  const std::int64_t row = i / to.columns;
  const std::int64_t column = i % to.columns;
  to.row(row)[column] = from.row(row)[column];
}

/// Of the corner of `rows` only rounds after that of the column remain, of the corner of `columns`
/// only rounds after that of the row.
template <Lane lane>
__global__ void mask_kernel(LaneRectangle<lane> rows, LaneRectangle<lane> columns,
                            std::int64_t tile) {
  const std::int64_t i = cuda::global_index();
  const std::int64_t depth = rows.rows;
  if (i >= depth * depth) return;
  const std::int64_t row = i / depth;
  const std::int64_t column = i % depth;
  if (row / tile <= column / tile) rows.row(row)[column] = ArithmeticOf<lane>::infinity;
  if (column / tile <= row / tile) columns.row(row)[column] = ArithmeticOf<lane>::infinity;
}

}  // namespace

template <Lane lane>
void copy_rectangle(LaneRectangle<lane> from, LaneRectangle<lane> to, const cuda::Stream& stream) {
  cuda::launch_for(stream, to.rows * to.columns, copy_kernel<lane>, from, to);
}

template <Lane lane>
void close_corner(const StagePanels<lane>& panels, vertex_t* negative, const cuda::Stream& stream) {
  const LaneRectangle<lane>& corner = panels.corner;
  const std::int64_t depth = panels.depth();
  const std::int64_t tile = panels.tile;
  for (std::int64_t begin = 0; begin < depth; begin += tile) {
    const std::int64_t end = begin + tile;
    const LaneRectangle<lane> diagonal = corner.part(begin, begin, tile, tile);
    close_tile<lane>(diagonal, static_cast<vertex_t>(panels.first + begin), negative, stream);
    close_row_panel<lane>(corner.part(begin, 0, tile, begin), diagonal, stream);
    close_row_panel<lane>(corner.part(begin, end, tile, depth - end), diagonal, stream);
    close_column_panel<lane>(corner.part(0, begin, begin, tile), diagonal, stream);
    close_column_panel<lane>(corner.part(end, begin, depth - end, tile), diagonal, stream);
    const LaneRectangle<lane> row = corner.part(begin, 0, tile, depth);
    const LaneRectangle<lane> column = corner.part(0, begin, depth, tile);
    const LaneRectangle<lane> kept_row = panels.rows.part(begin, panels.first, tile, depth);
    const LaneRectangle<lane> kept_column = panels.columns.part(panels.first, begin, depth, tile);
    copy_rectangle<lane>(row, kept_row, stream);
    copy_rectangle<lane>(column, kept_column, stream);
    // One product of the whole corner is sooner done than four around the row and the column, which
    // are not part of it.
    multiply_into<lane>(corner, kept_column, kept_row, stream);
    copy_rectangle<lane>(kept_row, row, stream);
    copy_rectangle<lane>(kept_column, column, stream);
  }
}

template <Lane lane>
void close_beyond(const StagePanels<lane>& panels, Beyond where, std::int64_t round,
                  const cuda::Stream& stream) {
  const std::int64_t tile = panels.tile;
  const std::int64_t done = round * tile;  // of the depth, in the rounds before
  const bool is_before = where == Beyond::left || where == Beyond::above;
  const std::int64_t begin = is_before ? 0 : panels.end();
  const std::int64_t n = is_before ? panels.first : panels.rows.columns - panels.end();
  if (n == 0) return;
  const LaneRectangle<lane> closed = panels.rows.part(done, panels.first + done, tile, tile);
  if (where == Beyond::left || where == Beyond::right) {
    const LaneRectangle<lane> panel = panels.rows.part(done, begin, tile, n);
    multiply_into<lane>(panel, panels.columns.part(panels.first + done, 0, tile, done),
                        panels.rows.part(0, begin, done, n), stream);
    close_row_panel<lane>(panel, closed, stream);
  } else {
    const LaneRectangle<lane> panel = panels.columns.part(begin, done, n, tile);
    multiply_into<lane>(panel, panels.columns.part(begin, 0, n, done),
                        panels.rows.part(0, panels.first + done, done, tile), stream);
    close_column_panel<lane>(panel, closed, stream);
  }
}

template <Lane lane>
void mask_corners(const StagePanels<lane>& panels, const cuda::Stream& stream) {
  const std::int64_t depth = panels.depth();
  cuda::launch_for(stream, depth * depth, mask_kernel<lane>,
                   panels.rows.part(0, panels.first, depth, depth),
                   panels.columns.part(panels.first, 0, depth, depth), panels.tile);
}

#define WARPGRAPH_INSTANTIATE(lane)                                                           \
  template void close_corner<lane>(const StagePanels<lane>&, vertex_t*, const cuda::Stream&); \
  template void close_beyond<lane>(const StagePanels<lane>&, Beyond, std::int64_t,            \
                                   const cuda::Stream&);                                      \
  template void mask_corners<lane>(const StagePanels<lane>&, const cuda::Stream&);            \
  template void copy_rectangle<lane>(LaneRectangle<lane>, LaneRectangle<lane>, const cuda::Stream&);
WARPGRAPH_FOR_EACH_LANE(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::apsp_steps
