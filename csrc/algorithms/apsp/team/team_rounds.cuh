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

#include "algorithms/apsp/team/member.cuh"
#include "core/containers/at.hpp"
#include "core/cuda/copies/map_while_waiting.hpp"

#include <algorithm>
#include <deque>
#include <vector>

namespace warpgraph::apsp_detail {

class TeamRounds {
 public:
  /// Pieces of `rows_per_piece` rows are updated at a time; 0: chosen by their time.
  TeamRounds(const TeamMatrix& matrix, const std::vector<RowRange>& rows,
             std::deque<Member>& members, std::int64_t rows_per_piece)
      : matrix_(matrix),
        members_(members),
        rows_per_piece_(rows_per_piece),
        stages_(stages_of(rows, max_depth)) {}
  /// Waits: after an error, panels may be on their way to other members.
  ~TeamRounds() {
    for (const Member& member : members_) member.ahead.finish();
  }
  TeamRounds(const TeamRounds&) = delete;
  TeamRounds& operator=(const TeamRounds&) = delete;

  /// Turns the initial matrix, which the members' memory holds, into distances. Asynchronous.
  void run() {
    for (const Member& member : members_) member.stream.synchronize();
    close_panel(0);
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
      for (std::size_t i = 0; i < members_.size(); ++i) begin_stage(static_cast<int>(i), stage);
      while (!update_pieces(stage)) {
      }
      for (Member& member : members_) panels_in(member, stage).used.record(member.stream.get());
      // Progress is that of the complete stages.
      report_progress(stages_[stage].pivots.first * matrix_.n_vertices / matrix_.side,
                      matrix_.n_vertices);
    }
  }

 private:
  /// Returns a member's memory for the panels of a stage: two stages are under way at a time.
  static MemberPanels& panels_in(Member& member, std::size_t stage) {
    return member.panels[stage % 2];
  }
  [[nodiscard]] PivotPanels panels_of(Member& member, std::size_t stage) const {
    return member.panels_of(stages_[stage].pivots, panels_in(member, stage));
  }

  /// Makes the owner close the pivot rows of a stage and send them to all others.
  void close_panel(std::size_t stage) {
    Member& owner = members_[at(stages_[stage].owner)];
    const cuda::Stream& stream = owner.ahead;
    const cuda::DeviceGuard guard(stream.device());
    if (stage > 0) stream.wait_for(owner.updated.get());
    if (stage > 1) {
      for (Member& other : members_) stream.wait_for(panels_in(other, stage).used.get());
    }
    const PivotPanels panels = panels_of(owner, stage);
    owner.close_rows(panels);
    for (Member& other : members_) {
      if (&other == &owner) continue;
      cuda::copy(panels_in(other, stage).rows.data(),
                 static_cast<const std::byte*>(panels.rows.data),
                 matrix_.bytes(panels.depth() * matrix_.side), stream);
    }
    panels_in(owner, stage).ready.record(stream.get());
  }

  /// Makes a member close its columns of a stage, and update the rows of its pivots and of the
  /// next.
  void begin_stage(int index, std::size_t stage) {
    const auto [pivots, owner] = stages_[stage];
    Member& member = members_[at(index)];
    const cuda::Stream& stream = member.stream;
    const cuda::DeviceGuard guard(stream.device());
    stream.wait_for(panels_in(members_[at(owner)], stage).ready.get());
    const PivotPanels panels = panels_of(member, stage);
    // If another member is the owner, all rows are on one side.
    member.rest = around(member.rows, pivots);
    for (const RowRange rows : member.rest) member.close_columns(rows, panels);
    mask_rows(panels, stream);
    if (index == owner) member.update_own_pivots(panels);
    if (stage + 1 == stages_.size() || stages_[stage + 1].owner != index) return;
    const RowRange next = stages_[stage + 1].pivots;
    member.update_outer_rows(next, panels);
    member.updated.record(stream.get());
    close_panel(stage + 1);
    for (RowRange& rows : member.rest) {
      // The next pivots are the first rows of one range.
      if (rows.size() > 0 && rows.first == next.first) rows.first = next.end;
    }
  }

  /// Makes each member update a piece of the rest of its rows. The host runs ahead by one piece.
  /// Returns whether that was the last.
  bool update_pieces(std::size_t stage) {
    const double steps = seconds_per_batch * (matrix_.item < 8 ? 12e12 : 2.4e12);
    const double steps_per_row = static_cast<double>(matrix_.side * stages_[stage].pivots.size());
    const std::int64_t n_rows =
        rows_per_piece_ > 0 ? rows_per_piece_ : static_cast<std::int64_t>(steps / steps_per_row);
    bool is_last = true;
    for (Member& member : members_) {
      const cuda::DeviceGuard guard(member.stream.device());
      std::int64_t left = std::max(n_rows / matrix_.tile, std::int64_t{1}) * matrix_.tile;
      for (RowRange& rest : member.rest) {
        const RowRange rows{rest.first, std::min(rest.first + left, rest.end)};
        member.update_outer_rows(rows, panels_of(member, stage));
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

  const TeamMatrix& matrix_;
  std::deque<Member>& members_;
  const std::int64_t rows_per_piece_;
  const std::vector<Stage> stages_;
  std::size_t n_pieces_ = 0;
};

}  // namespace warpgraph::apsp_detail
