// The pivot panels of a stage of the streamed method, in device memory. Not for use outside this
// folder.
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
//   columns   side x depth: the saved columns, tile beside tile
//
// An outer block, a tile outside the stage's rows and columns, then needs only min(c, columns (x)
// rows). The stage's own rows and columns need the same, but only for the rounds after their own:
// mask_diagonal_blocks() sets the other entries of the diagonal block in `columns` and `rows` to
// infinity, so that one product serves all.
#pragma once

#include "algorithms/apsp/tiles/device_tiles.hpp"

namespace warpgraph::apsp_detail {

template <Accumulator acc>
struct PivotPanels {
  DistanceView<acc> rows;
  DistanceView<acc> columns;
  DistanceView<acc> diagonal;
  std::int64_t first = 0;  // a multiple of the tile, as is the depth
  std::int64_t tile = 0;

  [[nodiscard]] std::int64_t depth() const { return diagonal.rows; }
  [[nodiscard]] std::int64_t end() const { return first + depth(); }
  [[nodiscard]] std::int64_t n_rounds() const { return depth() / tile; }
};

/// The four independent parts of the panels outside the diagonal block: of `rows` to the left and
/// right of it, of `columns` above and below.
enum class OuterBlock { left, right, above, below };

/// Runs all rounds of the diagonal block, which must hold the state before the stage. *negative as
/// in close_tile().
template <Accumulator acc>
void close_diagonal_block(const PivotPanels<acc>& panels, vertex_t* negative,
                          const cuda::Stream& stream);

/// Runs round `round` for one of the four outer parts of the panels.
template <Accumulator acc>
void update_outer_panel(const PivotPanels<acc>& panels, OuterBlock where, std::int64_t round,
                        const cuda::Stream& stream);

/// Masks the diagonal block in `rows` and `columns`, leaving what the stage's own rows and columns
/// still need.
template <Accumulator acc>
void mask_diagonal_blocks(const PivotPanels<acc>& panels, const cuda::Stream& stream);

/// to = from, of the same shape.
template <Accumulator acc>
void copy_submatrix(DistanceView<acc> from, DistanceView<acc> to, const cuda::Stream& stream);

}  // namespace warpgraph::apsp_detail
