// The pivot panels of a stage, in device memory, for the streamed method and the method for several
// devices. Not for use outside this folder.
//
// A stage is a run of rounds, with the `depth` pivot vertices from `first` on. In round t, the
// tiles of row t and of column t are closed, and all other tiles are updated with their products.
// Only the panels' values at that moment matter: later rounds of the stage change them again, but
// nothing reads those changes. So a panel tile is updated from the panels of earlier rounds only
// when its own round comes, and is then kept as it is for all tiles that are processed later.
//
//   diagonal  depth x depth, where rows and columns of the stage cross. Its rounds run first, as
//             in memory, and each round's row and column are saved to the panels. Afterwards it
//             holds the state after the stage.
//   rows      depth x side: the saved rows, tile under tile
//   crossing  depth x depth: the part of the saved columns in the stage's rows
//   columns   the saved columns, tile beside tile, of any rows of the matrix
//
// An outer block, a tile outside the stage's rows and columns, then needs only min(c, columns (x)
// rows). The stage's own rows and columns need the same, but only for the rounds after their own:
// mask_rows() and mask_crossing() set the other entries of the diagonal block in `rows` and of
// `crossing` to infinity, so that one product serves all.
#pragma once

#include "algorithms/apsp/streamed/distance_matrix.hpp"
#include "algorithms/apsp/streamed/row_range.hpp"

namespace warpgraph::apsp_detail {

struct PivotPanels {
  DistanceMatrix rows;
  DistanceMatrix crossing;
  DistanceMatrix diagonal;
  std::int64_t first = 0;  // a multiple of the tile, as is the depth
  std::int64_t tile = 0;

  [[nodiscard]] std::int64_t depth() const { return diagonal.rows; }
  [[nodiscard]] std::int64_t end() const { return first + depth(); }
  [[nodiscard]] RowRange pivots() const { return {first, end()}; }
  [[nodiscard]] std::int64_t n_rounds() const { return depth() / tile; }
};

/// Runs round `round` of the diagonal block, which must hold the state before the stage when the
/// first one begins. *negative as in close_tile().
void update_diagonal_block(const PivotPanels& panels, std::int64_t round, vertex_t* negative,
                           const cuda::Stream& stream);

/// Runs round `round` for the columns begin .. end - 1 of `rows`, outside the diagonal block.
void update_pivot_rows(const PivotPanels& panels, std::int64_t begin, std::int64_t end,
                       std::int64_t round, const cuda::Stream& stream);

/// Runs round `round` for the part of the columns in some rows, outside the diagonal block. Reads
/// that block in `rows`, before it is masked.
void update_pivot_columns(const PivotPanels& panels, const DistanceMatrix& columns,
                          std::int64_t round, const cuda::Stream& stream);

/// Replaces by infinity the entries of the diagonal block in `rows` that the stage's own columns
/// need no more.
void mask_rows(const PivotPanels& panels, const cuda::Stream& stream);

/// Replaces by infinity the entries of `crossing` that the stage's own rows need no more.
void mask_crossing(const PivotPanels& panels, const cuda::Stream& stream);

/// Copies `from` to `to`, which has the same shape.
void copy_submatrix(const DistanceMatrix& from, const DistanceMatrix& to,
                    const cuda::Stream& stream);

/// Computes c = min(c, a (x) b), as the template of device_tiles.hpp does.
void multiply_into(const DistanceMatrix& c, const DistanceMatrix& a, const DistanceMatrix& b,
                   const cuda::Stream& stream);

/// Writes infinity to the matrix and to the gaps between its rows.
void fill_unreachable(const DistanceMatrix& matrix, const cuda::Stream& stream);

}  // namespace warpgraph::apsp_detail
