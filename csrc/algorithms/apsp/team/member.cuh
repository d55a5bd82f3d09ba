// A member of a team for APSP: its rows of the matrix, its panels of pivots, and its work on them.
// Not for use outside this folder.
#pragma once

#include "algorithms/apsp/streamed/device_errors.cuh"
#include "algorithms/apsp/streamed/pivot_panels.hpp"
#include "algorithms/apsp/tiles/device_rounds.hpp"

#include <array>

namespace warpgraph::apsp_detail {

/// Pivots of a stage. Reading and writing the matrix once a stage then takes a twentieth of the
/// time of the products; a deeper panel would take longer to close, which only its owner does.
inline constexpr std::int64_t max_depth = 512;

/// The matrix that is divided among the members.
struct TeamMatrix {
  Accumulator acc;
  vertex_t n_vertices;
  std::int64_t item = bytes_per_value(acc);
  std::int64_t tile = tile_side(n_vertices);
  std::int64_t side = padded_side(n_vertices, ApspMethod::blocked);

  [[nodiscard]] std::size_t bytes(std::int64_t n_items) const {
    return static_cast<std::size_t>(n_items * item);
  }
};

/// A member's memory for the panels of a stage.
struct MemberPanels {
  cuda::DeviceBuffer<std::byte> rows;
  cuda::DeviceBuffer<std::byte> crossing;  // used by the owner, as is `diagonal`
  cuda::DeviceBuffer<std::byte> diagonal;
  cuda::Event ready;  // recorded by the owner when all have the rows
  cuda::Event used;   // recorded by each member after its last use of the rows

  MemberPanels(const TeamMatrix& whole, const cuda::Stream& stream)
      : rows(whole.bytes(max_depth * whole.side), stream),
        crossing(whole.bytes(max_depth * max_depth), stream),
        diagonal(whole.bytes(max_depth * max_depth), stream),
        ready(stream.device(), cudaEventDisableTiming),
        used(stream.device(), cudaEventDisableTiming) {}
};

/// All work is asynchronous, on the member's stream unless a function says otherwise.
struct Member {
  const TeamMatrix& whole;
  RowRange rows;
  const cuda::Stream& stream;
  cuda::Stream ahead;  // closes the panels of the next stage before the member's own updates go on
  cuda::DeviceBuffer<std::byte> matrix;
  cuda::DeviceBuffer<std::byte> columns;
  DeviceErrors errors;
  std::array<MemberPanels, 2> panels;
  cuda::Event updated;                // when the rows of the next pivots are
  std::array<RowRange, 2> rest;       // rows that are to be updated in this stage
  std::array<cuda::Event, 2> pieces;  // when the last two pieces of them are

  Member(const TeamMatrix& of, RowRange range, const cuda::Stream& on)
      : whole(of),
        rows(range),
        stream(on),
        ahead(on.device(), cuda::StreamPriority::high),
        matrix(of.bytes(range.size() * of.side), on),
        columns(of.bytes(range.size() * max_depth), on),
        errors(on),
        panels{MemberPanels(of, on), MemberPanels(of, on)},
        updated(on.device(), cudaEventDisableTiming),
        pieces{cuda::Event(on.device(), cudaEventDisableTiming),
               cuda::Event(on.device(), cudaEventDisableTiming)} {}

  /// Returns the bytes of a member with these rows.
  [[nodiscard]] static std::size_t bytes(const TeamMatrix& of, RowRange rows) {
    const std::int64_t of_panels = max_depth * (of.side + 2 * max_depth);
    return of.bytes(rows.size() * (of.side + max_depth) + 2 * of_panels);
  }

  /// Returns a view of some of the member's rows.
  [[nodiscard]] DistanceMatrix matrix_rows(RowRange some) const {
    return {whole.acc, matrix.data() + (some.first - rows.first) * whole.side * whole.item,
            whole.side, some.size(), whole.side};
  }
  [[nodiscard]] DistanceMatrix columns_of(RowRange some, std::int64_t depth) const {
    return {whole.acc, columns.data() + (some.first - rows.first) * max_depth * whole.item,
            max_depth, some.size(), depth};
  }
  [[nodiscard]] PivotPanels panels_of(RowRange pivots, const MemberPanels& memory) const {
    const std::int64_t depth = pivots.size();
    return {{whole.acc, memory.rows.data(), whole.side, depth, whole.side},
            {whole.acc, memory.crossing.data(), max_depth, depth, depth},
            {whole.acc, memory.diagonal.data(), max_depth, depth, depth},
            pivots.first,
            whole.tile};
  }

  /// Closes the rows of pivots that are the member's own, on the stream `ahead`.
  void close_rows(const PivotPanels& closed) const {
    const std::int64_t depth = closed.depth();
    copy_submatrix(matrix_rows(closed.pivots()), closed.rows, ahead);
    copy_submatrix(closed.rows.submatrix(0, closed.first, depth, depth), closed.diagonal, ahead);
    for (std::int64_t round = 0; round < closed.n_rounds(); ++round) {
      update_diagonal_block(closed, round, errors.negative(), ahead);
    }
    for (std::int64_t round = 0; round < closed.n_rounds(); ++round) {
      update_pivot_rows(closed, 0, closed.first, round, ahead);
      update_pivot_rows(closed, closed.end(), whole.side, round, ahead);
    }
  }

  /// Closes the columns of pivots in rows without pivots.
  void close_columns(RowRange some, const PivotPanels& closed) const {
    if (some.size() == 0) return;
    const std::int64_t depth = closed.depth();
    const DistanceMatrix of_rows = columns_of(some, depth);
    copy_submatrix(matrix_rows(some).submatrix(0, closed.first, some.size(), depth), of_rows,
                   stream);
    for (std::int64_t round = 0; round < closed.n_rounds(); ++round) {
      update_pivot_columns(closed, of_rows, round, stream);
    }
  }

  /// Updates rows without pivots, whose columns are closed.
  void update_outer_rows(RowRange some, const PivotPanels& closed) const {
    if (some.size() == 0) return;
    const std::int64_t depth = closed.depth();
    const DistanceMatrix updated_rows = matrix_rows(some);
    const DistanceMatrix of_rows = columns_of(some, depth);
    copy_submatrix(of_rows, updated_rows.submatrix(0, closed.first, some.size(), depth), stream);
    multiply_into(updated_rows, of_rows, closed.rows, stream);
  }

  /// Updates the rows of pivots that are the member's own.
  void update_own_pivots(const PivotPanels& closed) const {
    mask_crossing(closed, stream);
    const std::int64_t depth = closed.depth();
    const DistanceMatrix updated_rows = matrix_rows(closed.pivots());
    copy_submatrix(closed.rows, updated_rows, stream);
    multiply_into(updated_rows, closed.crossing, closed.rows, stream);
    copy_submatrix(closed.diagonal, updated_rows.submatrix(0, closed.first, depth, depth), stream);
  }
};

}  // namespace warpgraph::apsp_detail
