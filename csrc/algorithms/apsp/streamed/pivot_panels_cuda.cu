#include "algorithms/apsp/streamed/pivot_panels.hpp"
#include "core/cuda/launch.cuh"

namespace warpgraph::apsp_detail {
namespace {

template <Accumulator acc>
__global__ void copy_kernel(DistanceView<acc> from, DistanceView<acc> to) {
  const std::int64_t i = cuda::global_index();
  if (i >= to.rows * to.columns) return;
  const std::int64_t row = i / to.columns;
  const std::int64_t column = i % to.columns;
  to.row(row)[column] = from.row(row)[column];
}

/// Keeps only the rounds after that of the column (of `rows`), or of the row (of `crossing`).
template <Accumulator acc>
__global__ void mask_kernel(DistanceView<acc> block, std::int64_t tile, bool is_of_rows) {
  const std::int64_t i = cuda::global_index();
  const std::int64_t depth = block.rows;
  if (i >= depth * depth) return;
  const std::int64_t row = i / depth / tile;
  const std::int64_t column = i % depth / tile;
  const bool is_later = is_of_rows ? row > column : column > row;
  if (!is_later) block.row(i / depth)[i % depth] = ArithmeticOf<acc>::infinity;
}

}  // namespace

template <Accumulator acc>
void copy_submatrix(DistanceView<acc> from, DistanceView<acc> to, const cuda::Stream& stream) {
  cuda::launch_for(stream, to.rows * to.columns, copy_kernel<acc>, from, to);
}

template <Accumulator acc>
void update_diagonal_block(const PivotPanels<acc>& panels, std::int64_t round, vertex_t* negative,
                           const cuda::Stream& stream) {
  const DistanceView<acc>& diagonal = panels.diagonal;
  const std::int64_t depth = panels.depth();
  const std::int64_t tile = panels.tile;
  const std::int64_t begin = round * tile;
  const std::int64_t end = begin + tile;
  const DistanceView<acc> pivot_tile = diagonal.submatrix(begin, begin, tile, tile);
  close_tile<acc>(pivot_tile, static_cast<vertex_t>(panels.first + begin), negative, stream);
  update_row_panel<acc>(diagonal.submatrix(begin, 0, tile, begin), pivot_tile, stream);
  update_row_panel<acc>(diagonal.submatrix(begin, end, tile, depth - end), pivot_tile, stream);
  update_column_panel<acc>(diagonal.submatrix(0, begin, begin, tile), pivot_tile, stream);
  update_column_panel<acc>(diagonal.submatrix(end, begin, depth - end, tile), pivot_tile, stream);
  const DistanceView<acc> row = diagonal.submatrix(begin, 0, tile, depth);
  const DistanceView<acc> column = diagonal.submatrix(0, begin, depth, tile);
  const DistanceView<acc> saved_row = panels.rows.submatrix(begin, panels.first, tile, depth);
  const DistanceView<acc> saved_column = panels.crossing.submatrix(0, begin, depth, tile);
  copy_submatrix<acc>(row, saved_row, stream);
  copy_submatrix<acc>(column, saved_column, stream);
  // One product of the whole block is faster than four around the pivot row and column, which it
  // must not change.
  multiply_into<acc>(diagonal, saved_column, saved_row, stream);
  copy_submatrix<acc>(saved_row, row, stream);
  copy_submatrix<acc>(saved_column, column, stream);
}

template <Accumulator acc>
void update_pivot_rows(const PivotPanels<acc>& panels, std::int64_t begin, std::int64_t end,
                       std::int64_t round, const cuda::Stream& stream) {
  if (begin == end) return;
  const std::int64_t tile = panels.tile;
  const std::int64_t done = round * tile;  // pivots of the earlier rounds
  const DistanceView<acc> row = panels.rows.submatrix(done, begin, tile, end - begin);
  multiply_into<acc>(row, panels.crossing.submatrix(done, 0, tile, done),
                     panels.rows.submatrix(0, begin, done, end - begin), stream);
  update_row_panel<acc>(row, panels.rows.submatrix(done, panels.first + done, tile, tile), stream);
}

template <Accumulator acc>
void update_pivot_columns(const PivotPanels<acc>& panels, DistanceView<acc> columns,
                          std::int64_t round, const cuda::Stream& stream) {
  if (columns.rows == 0) return;
  const std::int64_t tile = panels.tile;
  const std::int64_t done = round * tile;
  const std::int64_t pivot = panels.first + done;
  const DistanceView<acc> column = columns.submatrix(0, done, columns.rows, tile);
  multiply_into<acc>(column, columns.submatrix(0, 0, columns.rows, done),
                     panels.rows.submatrix(0, pivot, done, tile), stream);
  update_column_panel<acc>(column, panels.rows.submatrix(done, pivot, tile, tile), stream);
}

template <Accumulator acc>
void mask_rows(const PivotPanels<acc>& panels, const cuda::Stream& stream) {
  const std::int64_t depth = panels.depth();
  cuda::launch_for(stream, depth * depth, mask_kernel<acc>,
                   panels.rows.submatrix(0, panels.first, depth, depth), panels.tile, true);
}

template <Accumulator acc>
void mask_crossing(const PivotPanels<acc>& panels, const cuda::Stream& stream) {
  const std::int64_t depth = panels.depth();
  cuda::launch_for(stream, depth * depth, mask_kernel<acc>, panels.crossing, panels.tile, false);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_ACCUMULATOR(update_diagonal_block)
WARPGRAPH_INSTANTIATE_FOR_EACH_ACCUMULATOR(update_pivot_rows)
WARPGRAPH_INSTANTIATE_FOR_EACH_ACCUMULATOR(update_pivot_columns)
WARPGRAPH_INSTANTIATE_FOR_EACH_ACCUMULATOR(mask_rows)
WARPGRAPH_INSTANTIATE_FOR_EACH_ACCUMULATOR(mask_crossing)
WARPGRAPH_INSTANTIATE_FOR_EACH_ACCUMULATOR(copy_submatrix)

}  // namespace warpgraph::apsp_detail
