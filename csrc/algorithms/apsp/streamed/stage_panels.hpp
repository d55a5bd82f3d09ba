// What a stage of the streamed method works on, in the memory of a device. Not for use outside
// this folder.
//
// A stage is a run of rounds, those of `depth` vertices from `first` on. In round t the panels, row
// t and column t of tiles, are closed, and all other tiles are multiplied by them. What the panels
// hold at that moment is what counts: in later rounds of the stage they change again, but nothing
// reads that. So a panel is brought to its round only when it is its turn, from the panels of the
// rounds before, and what it then holds stays as it is, recorded for all tiles that come by later.
//
//   corner   depth x depth, where rows and columns of the stage meet. Its rounds are done first, as
//            in memory, and each round's row and column are recorded; then it holds what the stage
//            leaves of it.
//   rows     depth x side: the recorded rows, tile under tile
//   columns  side x depth: the recorded columns, tile beside tile
//
// A tile beyond the stage then misses min(c, columns (x) rows) and nothing else. The stage's own
// rows and columns miss the same, but only of the rounds after their own: mask() puts infinity for
// the others into the corners of `columns` and `rows`, so that one product serves all.
#pragma once

#include "algorithms/apsp/tiles/device_tiles.hpp"

namespace warpgraph::apsp_steps {

template <Lane lane>
struct StagePanels {
  LaneRectangle<lane> rows;
  LaneRectangle<lane> columns;
  LaneRectangle<lane> corner;
  std::int64_t first = 0;  // a multiple of the tile, as the depth is
  std::int64_t tile = 0;

  [[nodiscard]] std::int64_t depth() const { return corner.rows; }
  [[nodiscard]] std::int64_t end() const { return first + depth(); }
  [[nodiscard]] std::int64_t n_rounds() const { return depth() / tile; }
};

/// Four runs of rows or columns beyond the stage, which do not wait for each other.
enum class Beyond { left, right, above, below };

/// All rounds of the corner, which must hold what the stage begins with. *negative as in
/// close_tile().
template <Lane lane>
void close_corner(const StagePanels<lane>& panels, vertex_t* negative, const cuda::Stream& stream);

/// Round `round` of the panels beyond the corner, of one of the four runs.
template <Lane lane>
void close_beyond(const StagePanels<lane>& panels, Beyond where, std::int64_t round,
                  const cuda::Stream& stream);

/// Makes the corners of `rows` and `columns` what the stage's own rows and columns still miss.
template <Lane lane>
void mask_corners(const StagePanels<lane>& panels, const cuda::Stream& stream);

/// to = from, of the same shape.
template <Lane lane>
void copy_rectangle(LaneRectangle<lane> from, LaneRectangle<lane> to, const cuda::Stream& stream);

}  // namespace warpgraph::apsp_steps
