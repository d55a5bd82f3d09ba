// The rounds of APSP on several devices, for all accumulators. Not for use outside this folder.
//
// Rounds are grouped into stages, as in the streamed method (streamed/pivot_panels.hpp), whose
// pivots lie in the rows of one member, their owner. It closes the panel of pivot rows and sends it
// to all others. Each member closes its part of the pivot columns, and updates its rows with the
// product of both. The owner of the next stage updates the rows of its pivots first; then it closes
// and sends the next panel on a stream of its own, while all update the rest. So a panel is there
// before it is needed, if a stage takes longer than closing and sending: with n = 32768 and 4
// devices a stage takes 10 ms, closing 1 ms, and sending 64 MB over NVLink 0.2 ms. With n = 180000
// and 2 devices it should take 600 ms. So the rest of the rows is updated in pieces, of which two
// are under way at a time, and Ctrl-C is handled in between.
#pragma once

#include "algorithms/apsp/streamed/pivot_panels.hpp"
#include "algorithms/apsp/tiles/device_rounds.hpp"
#include "core/containers/at.hpp"
#include "core/cuda/copies/map_while_waiting.hpp"
#include "core/cuda/launch.cuh"
#include "runtime/bulk_synchronous/device_team.hpp"

#include <algorithm>
#include <array>
#include <deque>

namespace warpgraph::apsp_detail {
namespace {

/// Pivots of a stage. Reading and writing the matrix once a stage then takes a twentieth of the
/// time of the products; a deeper panel would take longer to close, which only its owner does.
constexpr std::int64_t max_depth = 512;

struct Stage {
  RowRange pivots;
  int owner;
};

/// Returns which of two places the panels of a stage are in: two stages are under way at a time.
int place_of(std::size_t stage) { return static_cast<int>(stage % 2); }

std::vector<Stage> stages_of(const std::vector<RowRange>& rows) {
  std::vector<Stage> stages;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::int64_t first = rows[i].first; first < rows[i].end; first += max_depth) {
      stages.push_back({{first, std::min(first + max_depth, rows[i].end)}, static_cast<int>(i)});
    }
  }
  return stages;
}

struct MemberErrors {
  std::int64_t overflow_position;  // as in write_result()
  vertex_t negative;               // as in close_tile()
};

/// A member's memory for the panels of a stage.
struct MemberPanels {
  cuda::DeviceBuffer<std::byte> rows;
  cuda::DeviceBuffer<std::byte> crossing;  // used by the owner, as is `diagonal`
  cuda::DeviceBuffer<std::byte> diagonal;
  cuda::Event ready;  // recorded by the owner when all have the rows
  cuda::Event used;   // recorded by each member after its last use of the rows

  MemberPanels(std::int64_t side, std::int64_t item, const cuda::Stream& stream)
      : rows(static_cast<std::size_t>(max_depth * side * item), stream),
        crossing(static_cast<std::size_t>(max_depth * max_depth * item), stream),
        diagonal(static_cast<std::size_t>(max_depth * max_depth * item), stream),
        ready(stream.device(), cudaEventDisableTiming),
        used(stream.device(), cudaEventDisableTiming) {}

  [[nodiscard]] static std::int64_t items(std::int64_t side) {
    return max_depth * (side + 2 * max_depth);
  }
};

struct Member {
  RowRange rows;
  const cuda::Stream& stream;
  cuda::Stream ahead;  // closes the panels of the next stage before its own updates go on
  cuda::DeviceBuffer<std::byte> matrix;
  cuda::DeviceBuffer<std::byte> columns;
  cuda::DeviceBuffer<MemberErrors> errors;
  std::array<MemberPanels, 2> panels;
  cuda::Event updated;                // when the rows of the next pivots are
  std::array<RowRange, 2> rest;       // rows that are to be updated in this stage
  std::array<cuda::Event, 2> pieces;  // when the last two pieces of them are

  Member(RowRange range, std::int64_t side, std::int64_t item, const cuda::Stream& on)
      : rows(range),
        stream(on),
        ahead(on.device(), cuda::StreamPriority::high),
        matrix(static_cast<std::size_t>(range.size() * side * item), on),
        columns(static_cast<std::size_t>(range.size() * max_depth * item), on),
        errors(1, on),
        panels{MemberPanels(side, item, on), MemberPanels(side, item, on)},
        updated(on.device(), cudaEventDisableTiming),
        pieces{cuda::Event(on.device(), cudaEventDisableTiming),
               cuda::Event(on.device(), cudaEventDisableTiming)} {
    cuda::fill(errors.data(), MemberErrors{infinity<std::int64_t>(), no_vertex}, 1, on);
  }

  [[nodiscard]] static std::int64_t items(std::int64_t n_rows, std::int64_t side) {
    return n_rows * (side + max_depth) + 2 * MemberPanels::items(side);
  }
};

class TeamRounds {
 public:
  TeamRounds(Accumulator acc, vertex_t n_vertices, std::int64_t rows_per_piece,
             const runtime::DeviceTeam& team)
      : acc_(acc),
        item_(bytes_per_value(acc)),
        n_vertices_(n_vertices),
        rows_per_piece_(rows_per_piece),
        team_(team),
        tile_(tile_side(n_vertices)),
        side_(padded_side(n_vertices, ApspMethod::blocked)),
        rows_(rows_of_members(side_, tile_, static_cast<std::size_t>(team.size()))),
        stages_(stages_of(rows_)) {}

  /// Waits: after an error, panels may be on their way to other members.
  ~TeamRounds() {
    for (const Member& member : members_) member.ahead.finish();
  }
  TeamRounds(const TeamRounds&) = delete;
  TeamRounds& operator=(const TeamRounds&) = delete;

  [[nodiscard]] std::int64_t side() const { return side_; }
  [[nodiscard]] const std::deque<Member>& members() const { return members_; }
  [[nodiscard]] std::size_t bytes_of(int member) const {
    return static_cast<std::size_t>(Member::items(rows_[at(member)].size(), side_) * item_);
  }
  /// Returns the number of rows of the member that has most.
  [[nodiscard]] std::int64_t max_rows() const {
    return std::ranges::max_element(rows_, {}, &RowRange::size)->size();
  }
  /// Returns a view of some of a member's rows.
  [[nodiscard]] DistanceMatrix matrix_rows(const Member& member, RowRange rows) const {
    return {acc_, member.matrix.data() + (rows.first - member.rows.first) * side_ * item_, side_,
            rows.size(), side_};
  }

  /// Allocates a member's memory.
  const Member& add_member() {
    const int index = static_cast<int>(members_.size());
    return members_.emplace_back(rows_[at(index)], side_, item_, team_.stream(index));
  }

  /// Turns the initial matrix, which the members' memory holds, into distances. Asynchronous.
  void run() {
    for (const Member& member : members_) member.stream.synchronize();
    close_panel(0);
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
      for (std::size_t i = 0; i < members_.size(); ++i) begin_stage(static_cast<int>(i), stage);
      while (!update_pieces(stage)) {
      }
      for (const Member& member : members_) {
        member.panels[at(place_of(stage))].used.record(member.stream.get());
      }
      // Progress is that of the complete stages.
      report_progress(stages_[stage].pivots.first * n_vertices_ / side_, n_vertices_);
    }
  }

  void refuse_negative_cycles() const {
    for (const Member& member : members_) {
      const vertex_t negative = cuda::read_back(&member.errors.data()->negative, member.stream);
      if (negative != no_vertex) throw NegativeCycle(negative);
    }
  }

 private:
  /// Returns the relaxations of a piece of a member's rows.
  [[nodiscard]] double steps_per_piece() const {
    return seconds_per_batch * (item_ < 8 ? 12e12 : 2.4e12);
  }

  [[nodiscard]] DistanceMatrix columns_of(const Member& member, RowRange rows,
                                          std::int64_t depth) const {
    return {acc_, member.columns.data() + (rows.first - member.rows.first) * max_depth * item_,
            max_depth, rows.size(), depth};
  }
  [[nodiscard]] PivotPanels panels_of(const Member& member, std::size_t stage) const {
    const RowRange pivots = stages_[stage].pivots;
    const std::int64_t depth = pivots.size();
    const MemberPanels& panels = member.panels[at(place_of(stage))];
    return {{acc_, panels.rows.data(), side_, depth, side_},
            {acc_, panels.crossing.data(), max_depth, depth, depth},
            {acc_, panels.diagonal.data(), max_depth, depth, depth},
            pivots.first,
            tile_};
  }

  /// Makes the owner close the pivot rows of a stage and send them to all others.
  void close_panel(std::size_t stage) {
    const auto [pivots, owner] = stages_[stage];
    Member& member = members_[at(owner)];
    const cuda::Stream& stream = member.ahead;
    const cuda::DeviceGuard guard(stream.device());
    const int place = place_of(stage);
    if (stage > 0) stream.wait_for(member.updated.get());
    if (stage > 1) {
      for (const Member& other : members_) stream.wait_for(other.panels[at(place)].used.get());
    }
    const PivotPanels panels = panels_of(member, stage);
    const std::int64_t depth = panels.depth();
    copy_submatrix(matrix_rows(member, pivots), panels.rows, stream);
    copy_submatrix(panels.rows.submatrix(0, pivots.first, depth, depth), panels.diagonal, stream);
    for (std::int64_t round = 0; round < panels.n_rounds(); ++round) {
      update_diagonal_block(panels, round, &member.errors.data()->negative, stream);
    }
    for (std::int64_t round = 0; round < panels.n_rounds(); ++round) {
      update_pivot_rows(panels, 0, pivots.first, round, stream);
      update_pivot_rows(panels, pivots.end, side_, round, stream);
    }
    for (Member& other : members_) {
      if (&other == &member) continue;
      cuda::copy(other.panels[at(place)].rows.data(),
                 static_cast<const std::byte*>(panels.rows.data),
                 static_cast<std::size_t>(depth * side_ * item_), stream);
    }
    member.panels[at(place)].ready.record(stream.get());
  }

  /// Makes a member close its columns of a stage, and update the rows of its pivots and of the
  /// next.
  void begin_stage(int index, std::size_t stage) {
    const auto [pivots, owner] = stages_[stage];
    Member& member = members_[at(index)];
    const cuda::Stream& stream = member.stream;
    const cuda::DeviceGuard guard(stream.device());
    stream.wait_for(members_[at(owner)].panels[at(place_of(stage))].ready.get());
    const PivotPanels panels = panels_of(member, stage);
    // If another member is the owner, all rows are on one side.
    std::array<RowRange, 2> outer = around(member.rows, pivots);
    for (const RowRange rows : outer) close_columns(member, rows, panels);
    mask_rows(panels, stream);
    if (index == owner) {
      mask_crossing(panels, stream);
      update_own_pivots(member, panels);
    }
    RowRange next{0, 0};
    if (stage + 1 < stages_.size() && stages_[stage + 1].owner == index) {
      next = stages_[stage + 1].pivots;
      update_outer_rows(member, next, panels);
      member.updated.record(stream.get());
      close_panel(stage + 1);
    }
    for (RowRange& rows : outer) {
      // The next pivots are the first rows of one range.
      if (next.size() > 0 && rows.size() > 0 && rows.first == next.first) rows.first = next.end;
    }
    member.rest = outer;
  }

  void close_columns(Member& member, RowRange rows, const PivotPanels& panels) const {
    if (rows.size() == 0) return;
    const std::int64_t depth = panels.depth();
    const DistanceMatrix columns = columns_of(member, rows, depth);
    copy_submatrix(matrix_rows(member, rows).submatrix(0, panels.first, rows.size(), depth),
                   columns, member.stream);
    for (std::int64_t round = 0; round < panels.n_rounds(); ++round) {
      update_pivot_columns(panels, columns, round, member.stream);
    }
  }

  /// Updates rows without pivots of the stage.
  void update_outer_rows(Member& member, RowRange rows, const PivotPanels& panels) const {
    if (rows.size() == 0) return;
    const std::int64_t depth = panels.depth();
    const DistanceMatrix updated = matrix_rows(member, rows);
    const DistanceMatrix columns = columns_of(member, rows, depth);
    copy_submatrix(columns, updated.submatrix(0, panels.first, rows.size(), depth), member.stream);
    multiply_into(updated, columns, panels.rows, member.stream);
  }

  void update_own_pivots(Member& member, const PivotPanels& panels) const {
    const std::int64_t depth = panels.depth();
    const DistanceMatrix updated = matrix_rows(member, {panels.first, panels.end()});
    copy_submatrix(panels.rows, updated, member.stream);
    multiply_into(updated, panels.crossing, panels.rows, member.stream);
    copy_submatrix(panels.diagonal, updated.submatrix(0, panels.first, depth, depth),
                   member.stream);
  }

  /// Makes each member update a piece of the rest of its rows. The host runs ahead by one piece.
  /// Returns whether that was the last.
  bool update_pieces(std::size_t stage) {
    const double steps_per_row = static_cast<double>(side_ * stages_[stage].pivots.size());
    const std::int64_t n_rows = rows_per_piece_ > 0
                                    ? rows_per_piece_
                                    : static_cast<std::int64_t>(steps_per_piece() / steps_per_row);
    bool is_last = true;
    for (Member& member : members_) {
      const cuda::DeviceGuard guard(member.stream.device());
      std::int64_t left = std::max(n_rows / tile_, std::int64_t{1}) * tile_;
      for (RowRange& rest : member.rest) {
        const RowRange rows{rest.first, std::min(rest.first + left, rest.end)};
        update_outer_rows(member, rows, panels_of(member, stage));
        rest.first = rows.end;
        left -= rows.size();
        is_last = is_last && rest.size() == 0;
      }
      member.pieces[n_pieces_ % 2].record(member.stream.get());
    }
    ++n_pieces_;
    for (const Member& member : members_) {
      const cuda::Event& piece = member.pieces[n_pieces_ % 2];
      cuda::MapWhileWaiting::map_until([&] { return piece.has_occurred(); });
      piece.synchronize();
    }
    poll();
    return is_last;
  }

  const Accumulator acc_;
  const std::int64_t item_;  // bytes
  const std::int64_t n_vertices_;
  const std::int64_t rows_per_piece_;
  const runtime::DeviceTeam& team_;
  const std::int64_t tile_;
  const std::int64_t side_;
  const std::vector<RowRange> rows_;
  const std::vector<Stage> stages_;
  std::deque<Member> members_;
  std::size_t n_pieces_ = 0;
};

}  // namespace
}  // namespace warpgraph::apsp_detail
