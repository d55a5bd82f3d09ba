// APSP on several CUDA devices: each member of a team has a range of the matrix's rows.
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
//
// Sums are made of the same numbers as on one device: results are bit-identical.
#include "algorithms/apsp/accumulator_choice.hpp"
#include "algorithms/apsp/streamed/pivot_panels.hpp"
#include "algorithms/apsp/streamed/streamed.hpp"
#include "algorithms/apsp/tiles/device_rounds.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/staging.hpp"
#include "core/memory/host_pages.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "runtime/bulk_synchronous/device_team.hpp"

#include <algorithm>
#include <array>
#include <deque>

namespace warpgraph {
namespace {

using namespace apsp_detail;

/// Pivots of a stage. Reading and writing the matrix once a stage then takes a twentieth of the
/// time of the products; a deeper panel would take longer to close, which only its owner does.
constexpr std::int64_t max_depth = 512;
/// Values of the result that a device converts and copies at a time.
constexpr std::int64_t values_per_chunk = 8 << 20;

struct Stage {
  RowRange pivots;
  int owner;
};

/// Two stages are under way at a time: their panels are in one of two places.
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

/// What a member has of the panels of a stage.
template <class Value>
struct MemberPanels {
  cuda::DeviceBuffer<Value> rows;
  cuda::DeviceBuffer<Value> crossing;  // used by the owner, as is `diagonal`
  cuda::DeviceBuffer<Value> diagonal;
  cuda::Event ready;  // recorded by the owner when all have the rows
  cuda::Event used;   // recorded by each member after its last use of the rows

  MemberPanels(std::int64_t side, const cuda::Stream& stream)
      : rows(static_cast<std::size_t>(max_depth * side), stream),
        crossing(static_cast<std::size_t>(max_depth * max_depth), stream),
        diagonal(static_cast<std::size_t>(max_depth * max_depth), stream),
        ready(stream.device(), cudaEventDisableTiming),
        used(stream.device(), cudaEventDisableTiming) {}

  [[nodiscard]] static std::size_t bytes(std::int64_t side) {
    return static_cast<std::size_t>(max_depth * (side + 2 * max_depth)) * sizeof(Value);
  }
};

template <Accumulator acc>
struct Member {
  using Value = AccumulatorValue<acc>;

  RowRange rows;
  const cuda::Stream& stream;
  cuda::BorrowedStream ahead;  // closes the panels of the next stage
  cuda::DeviceBuffer<Value> matrix;
  cuda::DeviceBuffer<Value> columns;
  cuda::DeviceBuffer<MemberErrors> errors;
  std::array<MemberPanels<Value>, 2> panels;
  cuda::Event updated;                // when the rows of the next pivots are
  std::array<RowRange, 2> rest;       // rows that are to be updated in this stage
  std::array<cuda::Event, 2> pieces;  // when the last two pieces of them are

  Member(RowRange range, std::int64_t side, const cuda::Stream& on)
      : rows(range),
        stream(on),
        ahead(on.device()),
        matrix(static_cast<std::size_t>(range.size() * side), on),
        columns(static_cast<std::size_t>(range.size() * max_depth), on),
        errors(1, on),
        panels{MemberPanels<Value>(side, on), MemberPanels<Value>(side, on)},
        updated(on.device(), cudaEventDisableTiming),
        pieces{cuda::Event(on.device(), cudaEventDisableTiming),
               cuda::Event(on.device(), cudaEventDisableTiming)} {
    cuda::fill(errors.data(), MemberErrors{infinity<std::int64_t>(), no_vertex}, 1, on);
  }

  [[nodiscard]] static std::size_t bytes(std::int64_t n_rows, std::int64_t side) {
    return static_cast<std::size_t>(n_rows * (side + max_depth)) * sizeof(Value) +
           2 * MemberPanels<Value>::bytes(side);
  }
};

template <Accumulator acc, class R>
class TeamApsp {
 public:
  TeamApsp(const std::vector<CsrView<R>>& graphs, const CsrView<R>& host,
           const ApspOptions& options, ApspResult<R> result, const runtime::DeviceTeam& team)
      : graphs_(graphs),
        host_(host),
        options_(options),
        result_(result),
        team_(team),
        tile_(tile_side(host.n_vertices)),
        side_(padded_side(host.n_vertices, ApspMethod::blocked)),
        rows_(rows_of_members(side_, tile_, static_cast<std::size_t>(team.size()))),
        stages_(stages_of(rows_)),
        rows_per_chunk_(
            std::clamp<std::int64_t>(values_per_chunk / n_vertices(), 1, n_vertices())) {}

  /// After an error, panels may be on their way to other members.
  ~TeamApsp() {
    for (const Member<acc>& member : members_) cudaStreamSynchronize((*member.ahead).get());
  }
  TeamApsp(const TeamApsp&) = delete;
  TeamApsp& operator=(const TeamApsp&) = delete;

  /// Whether each device has the memory for its members.
  [[nodiscard]] bool fits() const {
    for (int i = 0; i < team_.size(); ++i) {
      std::size_t needed = 0;
      for (int j = 0; j < team_.size(); ++j) {
        if (team_.stream(j).device() == team_.stream(i).device()) needed += bytes_of(j);
      }
      if (!MemoryBudget(team_.stream(i).device(), options_.memory_limit).has(needed)) return false;
    }
    return true;
  }

  void run() {
    const runtime::TeamWait wait(team_);
    for (int i = 0; i < team_.size(); ++i) {
      members_.emplace_back(rows_[static_cast<std::size_t>(i)], side_, team_.stream(i));
      Member<acc>& member = members_.back();
      const cuda::DeviceGuard guard(member.stream.device());
      write_adjacency<acc, R>(graphs_[static_cast<std::size_t>(i)], member.rows.first, 0,
                              matrix_rows(member, member.rows), member.stream);
    }
    for (const Member<acc>& member : members_) member.stream.synchronize();
    close_panel(0);
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
      for (std::size_t i = 0; i < members_.size(); ++i) begin_stage(static_cast<int>(i), stage);
      while (!update_pieces(stage)) {
      }
      for (const Member<acc>& member : members_) {
        member.panels[at(place_of(stage))].used.record(member.stream.get());
      }
      // Of the stages that are complete.
      report_progress(stages_[stage].pivots.first * n_vertices() / side_, n_vertices());
    }
    with_spinning_pool([&] {
      if (result_.is_fresh) {
        const auto n = static_cast<std::size_t>(n_vertices());
        map_pages(result_.distances, n * n * sizeof(R));
      }
      refuse_negative_cycles();
      copy_to_host();
    });
    report_progress(n_vertices(), n_vertices());
  }

 private:
  using Value = AccumulatorValue<acc>;
  /// Relaxations of a piece of a member's rows.
  static constexpr double steps_per_piece =
      seconds_per_batch * (sizeof(Value) < 8 ? 12e12 : 2.4e12);

  [[nodiscard]] std::int64_t n_vertices() const { return host_.n_vertices; }
  [[nodiscard]] std::size_t bytes_of(int member) const {
    return Member<acc>::bytes(rows_[static_cast<std::size_t>(member)].size(), side_) +
           static_cast<std::size_t>(rows_per_chunk_ * n_vertices()) * sizeof(R);
  }

  [[nodiscard]] DistanceView<acc> matrix_rows(const Member<acc>& member, RowRange rows) const {
    return {member.matrix.data() + (rows.first - member.rows.first) * side_, side_, rows.size(),
            side_};
  }
  [[nodiscard]] DistanceView<acc> columns_of(const Member<acc>& member, RowRange rows,
                                             std::int64_t depth) const {
    return {member.columns.data() + (rows.first - member.rows.first) * max_depth, max_depth,
            rows.size(), depth};
  }
  [[nodiscard]] PivotPanels<acc> panels_of(const Member<acc>& member, std::size_t stage) const {
    const RowRange pivots = stages_[stage].pivots;
    const std::int64_t depth = pivots.size();
    const MemberPanels<Value>& panels = member.panels[at(place_of(stage))];
    return {{panels.rows.data(), side_, depth, side_},
            {panels.crossing.data(), max_depth, depth, depth},
            {panels.diagonal.data(), max_depth, depth, depth},
            pivots.first,
            tile_};
  }
  [[nodiscard]] static std::size_t at(int index) { return static_cast<std::size_t>(index); }

  /// The owner closes the pivot rows of a stage, and sends them to all others.
  void close_panel(std::size_t stage) {
    const auto [pivots, owner] = stages_[stage];
    Member<acc>& member = members_[at(owner)];
    const cuda::Stream& stream = *member.ahead;
    const cuda::DeviceGuard guard(stream.device());
    const int place = place_of(stage);
    if (stage > 0) stream.wait_for(member.updated.get());
    if (stage > 1) {
      for (const Member<acc>& other : members_) stream.wait_for(other.panels[at(place)].used.get());
    }
    const PivotPanels<acc> panels = panels_of(member, stage);
    const std::int64_t depth = panels.depth();
    copy_submatrix<acc>(matrix_rows(member, pivots), panels.rows, stream);
    copy_submatrix<acc>(panels.rows.submatrix(0, pivots.first, depth, depth), panels.diagonal,
                        stream);
    for (std::int64_t round = 0; round < panels.n_rounds(); ++round) {
      update_diagonal_block<acc>(panels, round, &member.errors.data()->negative, stream);
    }
    for (std::int64_t round = 0; round < panels.n_rounds(); ++round) {
      update_pivot_rows<acc>(panels, 0, pivots.first, round, stream);
      update_pivot_rows<acc>(panels, pivots.end, side_, round, stream);
    }
    for (Member<acc>& other : members_) {
      if (&other == &member) continue;
      cuda::copy(other.panels[at(place)].rows.data(), static_cast<const Value*>(panels.rows.data),
                 static_cast<std::size_t>(depth * side_), stream);
    }
    member.panels[at(place)].ready.record(stream.get());
  }

  /// A member closes its columns of a stage, and updates the rows of its pivots and of the next.
  void begin_stage(int index, std::size_t stage) {
    const auto [pivots, owner] = stages_[stage];
    Member<acc>& member = members_[at(index)];
    const cuda::Stream& stream = member.stream;
    const cuda::DeviceGuard guard(stream.device());
    stream.wait_for(members_[at(owner)].panels[at(place_of(stage))].ready.get());
    const PivotPanels<acc> panels = panels_of(member, stage);
    // With another owner, all are on one side.
    std::array<RowRange, 2> outer = around(member.rows, pivots);
    for (const RowRange rows : outer) close_columns(member, rows, panels);
    mask_rows<acc>(panels, stream);
    if (index == owner) {
      mask_crossing<acc>(panels, stream);
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
      // The next pivots are the first rows of one of them.
      if (next.size() > 0 && rows.size() > 0 && rows.first == next.first) rows.first = next.end;
    }
    member.rest = outer;
  }

  void close_columns(Member<acc>& member, RowRange rows, const PivotPanels<acc>& panels) const {
    if (rows.size() == 0) return;
    const std::int64_t depth = panels.depth();
    const DistanceView<acc> columns = columns_of(member, rows, depth);
    copy_submatrix<acc>(matrix_rows(member, rows).submatrix(0, panels.first, rows.size(), depth),
                        columns, member.stream);
    for (std::int64_t round = 0; round < panels.n_rounds(); ++round) {
      update_pivot_columns<acc>(panels, columns, round, member.stream);
    }
  }

  /// Rows without pivots of the stage.
  void update_outer_rows(Member<acc>& member, RowRange rows, const PivotPanels<acc>& panels) const {
    if (rows.size() == 0) return;
    const std::int64_t depth = panels.depth();
    const DistanceView<acc> updated = matrix_rows(member, rows);
    const DistanceView<acc> columns = columns_of(member, rows, depth);
    copy_submatrix<acc>(columns, updated.submatrix(0, panels.first, rows.size(), depth),
                        member.stream);
    multiply_into<acc>(updated, columns, panels.rows, member.stream);
  }

  void update_own_pivots(Member<acc>& member, const PivotPanels<acc>& panels) const {
    const std::int64_t depth = panels.depth();
    const DistanceView<acc> updated = matrix_rows(member, {panels.first, panels.end()});
    copy_submatrix<acc>(panels.rows, updated, member.stream);
    multiply_into<acc>(updated, panels.crossing, panels.rows, member.stream);
    copy_submatrix<acc>(panels.diagonal, updated.submatrix(0, panels.first, depth, depth),
                        member.stream);
  }

  /// Each member updates a piece of the rest of its rows. The host runs ahead by one. Returns
  /// whether that was the last.
  bool update_pieces(std::size_t stage) {
    const double steps_per_row = static_cast<double>(side_ * stages_[stage].pivots.size());
    const std::int64_t n_rows = options_.rows_per_piece > 0
                                    ? options_.rows_per_piece
                                    : static_cast<std::int64_t>(steps_per_piece / steps_per_row);
    bool is_last = true;
    for (Member<acc>& member : members_) {
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
    for (const Member<acc>& member : members_) member.pieces[n_pieces_ % 2].synchronize();
    poll();
    return is_last;
  }

  void refuse_negative_cycles() const {
    for (const Member<acc>& member : members_) {
      const vertex_t negative = cuda::read_back(&member.errors.data()->negative, member.stream);
      if (negative != no_vertex) throw NegativeCycle(negative);
    }
  }

  /// Chunk after chunk, those of all members at the same time.
  void copy_to_host() {
    std::deque<cuda::DeviceBuffer<R>> chunks;
    std::deque<cuda::Staging> stagings;
    for (const Member<acc>& member : members_) {
      chunks.emplace_back(static_cast<std::size_t>(rows_per_chunk_ * n_vertices()), member.stream);
      stagings.emplace_back(member.stream.device());
    }
    for (std::int64_t done = 0; done < side_; done += rows_per_chunk_) {
      for (std::size_t i = 0; i < members_.size(); ++i) {
        const Member<acc>& member = members_[i];
        const std::int64_t first = member.rows.first + done;
        const std::int64_t n =
            std::min(rows_per_chunk_, std::min(member.rows.end, n_vertices()) - first);
        if (n <= 0) continue;
        const cuda::DeviceGuard guard(member.stream.device());
        write_result<acc, R>(
            matrix_rows(member, {first, first + n}).submatrix(0, 0, n, n_vertices()),
            {chunks[i].data(), n_vertices(), n, n_vertices()}, first, 0,
            &member.errors.data()->overflow_position, member.stream);
        const auto row_of = [result = result_, first](std::int64_t row) {
          return result.distances + (first + row) * result.row_stride;
        };
        stagings[i].copy(static_cast<const R*>(chunks[i].data()), n, n_vertices(), row_of,
                         member.stream);
      }
    }
    for (cuda::Staging& staging : stagings) staging.finish();
    check_range();
  }

  /// As on one device.
  void check_range() const {
    if constexpr (acc == Accumulator::saturating_int64) {
      for (std::int64_t i = 0; i < n_vertices(); ++i) {
        check_saturation(host_, result_.distances + i * result_.row_stride);
        poll();
      }
    }
    if constexpr (acc == Accumulator::int64 && std::is_same_v<R, std::int32_t>) {
      for (const Member<acc>& member : members_) {
        const std::int64_t position =
            cuda::read_back(&member.errors.data()->overflow_position, member.stream);
        if (position == infinity<std::int64_t>()) continue;
        const auto from = static_cast<vertex_t>(position >> 32);
        const auto to = static_cast<vertex_t>(position & 0x7fffffff);
        const DistanceView<acc> row = matrix_rows(member, {from, from + 1});
        throw_distance_overflow(from, to, cuda::read_back(row.data + to, member.stream));
      }
    }
  }

  const std::vector<CsrView<R>>& graphs_;
  const CsrView<R>& host_;
  const ApspOptions& options_;
  const ApspResult<R> result_;
  const runtime::DeviceTeam& team_;
  const std::int64_t tile_;
  const std::int64_t side_;
  const std::vector<RowRange> rows_;
  const std::vector<Stage> stages_;
  const std::int64_t rows_per_chunk_;
  std::deque<Member<acc>> members_;
  std::size_t n_pieces_ = 0;
};

template <class R>
std::vector<StreamSource<R>> members_of(const runtime::DeviceTeam& team,
                                        const std::vector<CsrView<R>>& graphs) {
  std::vector<StreamSource<R>> members;
  for (int i = 0; i < team.size(); ++i) {
    members.push_back({&graphs[static_cast<std::size_t>(i)], &team.stream(i)});
  }
  return members;
}

}  // namespace

template <class R>
void apsp_multi(const std::vector<CsrView<R>>& graphs, const CsrView<R>& host,
                const ApspOptions& options, ApspResult<R> result,
                const std::vector<Device>& devices) {
  if (host.n_vertices == 0) return;
  const std::int64_t n_tiles =
      padded_side(host.n_vertices, ApspMethod::blocked) / tile_side(host.n_vertices);
  const auto n_members = std::min(static_cast<std::int64_t>(devices.size()), n_tiles);
  const runtime::DeviceTeam team({devices.begin(), devices.begin() + n_members});
  const Accumulator chosen =
      choose_accumulator_on_device(graphs[0], host, affordable_rounds(host), team.stream(0));
  dispatch_accumulator<R>(chosen, [&]<Accumulator acc>() {
    TeamApsp<acc, R> apsp(graphs, host, options, result, team);
    if (apsp.fits()) {
      apsp.run();
    } else {
      run_streamed_within<acc, R>(members_of(team, graphs), host, options.memory_limit, result);
    }
  });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(apsp_multi)

}  // namespace warpgraph
