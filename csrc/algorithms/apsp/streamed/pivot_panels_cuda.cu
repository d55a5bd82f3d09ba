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

/// Keeps only the entries of rounds after that of the column (of `rows`), or of the row (of
/// `crossing`).
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

void mask_block(const DistanceMatrix& block, std::int64_t tile, bool is_of_rows,
                const cuda::Stream& stream) {
  with_accumulator(block.acc, [&]<Accumulator acc>() {
    cuda::launch_for(stream, block.rows * block.rows, mask_kernel<acc>, block.view<acc>(), tile,
                     is_of_rows);
  });
}

void close_tile(const DistanceMatrix& tile, std::int64_t first, vertex_t* negative,
                const cuda::Stream& stream) {
  with_accumulator(tile.acc, [&]<Accumulator acc>() {
    apsp_detail::close_tile<acc>(tile.view<acc>(), static_cast<vertex_t>(first), negative, stream);
  });
}

void update_row_panel(const DistanceMatrix& panel, const DistanceMatrix& tile,
                      const cuda::Stream& stream) {
  with_accumulator(tile.acc, [&]<Accumulator acc>() {
    apsp_detail::update_row_panel<acc>(panel.view<acc>(), tile.view<acc>(), stream);
  });
}

void update_column_panel(const DistanceMatrix& panel, const DistanceMatrix& tile,
                         const cuda::Stream& stream) {
  with_accumulator(tile.acc, [&]<Accumulator acc>() {
    apsp_detail::update_column_panel<acc>(panel.view<acc>(), tile.view<acc>(), stream);
  });
}

}  // namespace

void copy_submatrix(const DistanceMatrix& from, const DistanceMatrix& to,
                    const cuda::Stream& stream) {
  with_accumulator(to.acc, [&]<Accumulator acc>() {
    cuda::launch_for(stream, to.rows * to.columns, copy_kernel<acc>, from.view<acc>(),
                     to.view<acc>());
  });
}

void multiply_into(const DistanceMatrix& c, const DistanceMatrix& a, const DistanceMatrix& b,
                   const cuda::Stream& stream) {
  with_accumulator(c.acc, [&]<Accumulator acc>() {
    multiply_into<acc>(c.view<acc>(), a.view<acc>(), b.view<acc>(), stream);
  });
}

void fill_unreachable(const DistanceMatrix& matrix, const cuda::Stream& stream) {
  with_accumulator(matrix.acc, [&]<Accumulator acc>() {
    cuda::fill(matrix.view<acc>().data, ArithmeticOf<acc>::infinity, matrix.rows * matrix.stride,
               stream);
  });
}

void update_diagonal_block(const PivotPanels& panels, std::int64_t round, vertex_t* negative,
                           const cuda::Stream& stream) {
  const DistanceMatrix& diagonal = panels.diagonal;
  const std::int64_t depth = panels.depth();
  const std::int64_t tile = panels.tile;
  const std::int64_t begin = round * tile;
  const std::int64_t end = begin + tile;
  const DistanceMatrix pivot_tile = diagonal.submatrix(begin, begin, tile, tile);
  close_tile(pivot_tile, panels.first + begin, negative, stream);
  update_row_panel(diagonal.submatrix(begin, 0, tile, begin), pivot_tile, stream);
  update_row_panel(diagonal.submatrix(begin, end, tile, depth - end), pivot_tile, stream);
  update_column_panel(diagonal.submatrix(0, begin, begin, tile), pivot_tile, stream);
  update_column_panel(diagonal.submatrix(end, begin, depth - end, tile), pivot_tile, stream);
  const DistanceMatrix row = diagonal.submatrix(begin, 0, tile, depth);
  const DistanceMatrix column = diagonal.submatrix(0, begin, depth, tile);
  const DistanceMatrix saved_row = panels.rows.submatrix(begin, panels.first, tile, depth);
  const DistanceMatrix saved_column = panels.crossing.submatrix(0, begin, depth, tile);
  copy_submatrix(row, saved_row, stream);
  copy_submatrix(column, saved_column, stream);
  // One product of the whole block is faster than four around the pivot row and column, which it
  // must not change.
  multiply_into(diagonal, saved_column, saved_row, stream);
  copy_submatrix(saved_row, row, stream);
  copy_submatrix(saved_column, column, stream);
}

void update_pivot_rows(const PivotPanels& panels, std::int64_t begin, std::int64_t end,
                       std::int64_t round, const cuda::Stream& stream) {
  if (begin == end) return;
  const std::int64_t tile = panels.tile;
  const std::int64_t done = round * tile;  // pivots of the earlier rounds
  const DistanceMatrix row = panels.rows.submatrix(done, begin, tile, end - begin);
  multiply_into(row, panels.crossing.submatrix(done, 0, tile, done),
                panels.rows.submatrix(0, begin, done, end - begin), stream);
  update_row_panel(row, panels.rows.submatrix(done, panels.first + done, tile, tile), stream);
}

void update_pivot_columns(const PivotPanels& panels, const DistanceMatrix& columns,
                          std::int64_t round, const cuda::Stream& stream) {
  if (columns.rows == 0) return;
  const std::int64_t tile = panels.tile;
  const std::int64_t done = round * tile;
  const std::int64_t pivot = panels.first + done;
  const DistanceMatrix column = columns.submatrix(0, done, columns.rows, tile);
  multiply_into(column, columns.submatrix(0, 0, columns.rows, done),
                panels.rows.submatrix(0, pivot, done, tile), stream);
  update_column_panel(column, panels.rows.submatrix(done, pivot, tile, tile), stream);
}

void mask_rows(const PivotPanels& panels, const cuda::Stream& stream) {
  const std::int64_t depth = panels.depth();
  mask_block(panels.rows.submatrix(0, panels.first, depth, depth), panels.tile, true, stream);
}

void mask_crossing(const PivotPanels& panels, const cuda::Stream& stream) {
  mask_block(panels.crossing, panels.tile, false, stream);
}

}  // namespace warpgraph::apsp_detail
