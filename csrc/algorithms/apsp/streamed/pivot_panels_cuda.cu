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

/// Masks the diagonal block in both panels. `rows` keeps only the rounds after that of the column,
/// `columns` only those after that of the row.
template <Accumulator acc>
__global__ void mask_kernel(DistanceView<acc> rows, DistanceView<acc> columns, std::int64_t tile) {
  const std::int64_t i = cuda::global_index();
  const std::int64_t depth = rows.rows;
  if (i >= depth * depth) return;
  const std::int64_t row = i / depth;
  const std::int64_t column = i % depth;
  if (row / tile <= column / tile) rows.row(row)[column] = ArithmeticOf<acc>::infinity;
  if (column / tile <= row / tile) columns.row(row)[column] = ArithmeticOf<acc>::infinity;
}

}  // namespace

template <Accumulator acc>
void copy_submatrix(DistanceView<acc> from, DistanceView<acc> to, const cuda::Stream& stream) {
  cuda::launch_for(stream, to.rows * to.columns, copy_kernel<acc>, from, to);
}

template <Accumulator acc>
void close_diagonal_block(const PivotPanels<acc>& panels, vertex_t* negative,
                          const cuda::Stream& stream) {
  const DistanceView<acc>& diagonal = panels.diagonal;
  const std::int64_t depth = panels.depth();
  const std::int64_t tile = panels.tile;
  for (std::int64_t begin = 0; begin < depth; begin += tile) {
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
    const DistanceView<acc> saved_column =
        panels.columns.submatrix(panels.first, begin, depth, tile);
    copy_submatrix<acc>(row, saved_row, stream);
    copy_submatrix<acc>(column, saved_column, stream);
    // One product of the whole block is faster than four around the pivot row and column, which it
    // must not change.
    multiply_into<acc>(diagonal, saved_column, saved_row, stream);
    copy_submatrix<acc>(saved_row, row, stream);
    copy_submatrix<acc>(saved_column, column, stream);
  }
}

template <Accumulator acc>
void update_outer_panel(const PivotPanels<acc>& panels, OuterBlock where, std::int64_t round,
                        const cuda::Stream& stream) {
  const std::int64_t tile = panels.tile;
  const std::int64_t done = round * tile;  // pivots of the earlier rounds
  const bool is_before = where == OuterBlock::left || where == OuterBlock::above;
  const std::int64_t begin = is_before ? 0 : panels.end();
  const std::int64_t n = is_before ? panels.first : panels.rows.columns - panels.end();
  if (n == 0) return;
  const DistanceView<acc> pivot_tile = panels.rows.submatrix(done, panels.first + done, tile, tile);
  if (where == OuterBlock::left || where == OuterBlock::right) {
    const DistanceView<acc> panel = panels.rows.submatrix(done, begin, tile, n);
    multiply_into<acc>(panel, panels.columns.submatrix(panels.first + done, 0, tile, done),
                       panels.rows.submatrix(0, begin, done, n), stream);
    update_row_panel<acc>(panel, pivot_tile, stream);
  } else {
    const DistanceView<acc> panel = panels.columns.submatrix(begin, done, n, tile);
    multiply_into<acc>(panel, panels.columns.submatrix(begin, 0, n, done),
                       panels.rows.submatrix(0, panels.first + done, done, tile), stream);
    update_column_panel<acc>(panel, pivot_tile, stream);
  }
}

template <Accumulator acc>
void mask_diagonal_blocks(const PivotPanels<acc>& panels, const cuda::Stream& stream) {
  const std::int64_t depth = panels.depth();
  cuda::launch_for(stream, depth * depth, mask_kernel<acc>,
                   panels.rows.submatrix(0, panels.first, depth, depth),
                   panels.columns.submatrix(panels.first, 0, depth, depth), panels.tile);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_ACCUMULATOR(close_diagonal_block)
WARPGRAPH_INSTANTIATE_FOR_EACH_ACCUMULATOR(update_outer_panel)
WARPGRAPH_INSTANTIATE_FOR_EACH_ACCUMULATOR(mask_diagonal_blocks)
WARPGRAPH_INSTANTIATE_FOR_EACH_ACCUMULATOR(copy_submatrix)

}  // namespace warpgraph::apsp_detail
