// APSP on several CUDA devices: each member of a team has a range of the matrix's rows.
//
// Sums are made of the same numbers as on one device: results are bit-identical.
#include "algorithms/apsp/accumulator_choice.hpp"
#include "algorithms/apsp/streamed/streamed.hpp"
#include "algorithms/apsp/team/team_rounds.cuh"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/copies/map_while_waiting.hpp"

#include <algorithm>
#include <array>
#include <deque>

namespace warpgraph {
namespace {

using namespace apsp_detail;

/// Values of the result that a device converts and copies at a time: waking the threads that copy
/// them takes a tenth of a millisecond or two, and four devices send 32 million values of 4 bytes
/// each in 4 milliseconds.
constexpr std::int64_t values_per_chunk = 32 << 20;

template <class R>
class TeamApsp {
 public:
  TeamApsp(Accumulator acc, const std::vector<CsrView<R>>& graphs, const CsrView<R>& host,
           const ApspOptions& options, ApspResult<R> result, runtime::DeviceTeam& team)
      : acc_(acc),
        graphs_(graphs),
        host_(host),
        options_(options),
        result_(result),
        team_(team),
        rounds_(acc, host.n_vertices, options.rows_per_piece, team),
        rows_per_chunk_(
            std::clamp<std::int64_t>(values_per_chunk / n_vertices(), 1, rounds_.max_rows())) {}

  /// Returns whether each device has the memory for its members.
  [[nodiscard]] bool fits() const {
    for (int i = 0; i < team_.size(); ++i) {
      std::size_t needed = 0;
      for (int j = 0; j < team_.size(); ++j) {
        if (team_.stream(j).device() == team_.stream(i).device()) needed += bytes_of(j);
      }
      if (!options_.budget.on(team_.stream(i).device()).has(needed)) return false;
    }
    return true;
  }

  void run() {
    const runtime::TeamWait wait(team_);
    const cuda::MapWhileWaiting pages(result_.distances_to_map(n_vertices()));
    team_.end_step("begin");
    for (const CsrView<R>& graph :
         std::span<const CsrView<R>>(graphs_).first(static_cast<std::size_t>(team_.size())))
      write_rows(graph);
    team_.end_step("write rows");
    rounds_.run();
    team_.end_step("rounds");
    rounds_.refuse_negative_cycles();
    copy_to_host();
    team_.end_step("copy to the host");
    check_range();
    report_progress(n_vertices(), n_vertices());
  }

 private:
  [[nodiscard]] std::int64_t n_vertices() const { return host_.n_vertices; }
  [[nodiscard]] const std::deque<Member>& members() const { return rounds_.members(); }
  [[nodiscard]] std::size_t bytes_of(int member) const {
    return rounds_.bytes_of(member) +
           2 * static_cast<std::size_t>(rows_per_chunk_ * n_vertices()) * sizeof(R);
  }

  /// Adds the next member and writes its rows of the initial matrix.
  void write_rows(const CsrView<R>& graph) {
    const Member& member = rounds_.add_member();
    const cuda::DeviceGuard guard(member.stream.device());
    const DistanceMatrix rows = rounds_.matrix_rows(member, member.rows);
    dispatch_accumulator<R>(acc_, [&]<Accumulator acc>() {
      write_adjacency<acc, R>(graph, member.rows.first, 0, rows.view<acc>(), member.stream);
    });
  }

  /// Copies the result chunk by chunk, those of all members at the same time. Devices convert one
  /// chunk while threads copy the one before.
  void copy_to_host() {
    std::array<std::deque<cuda::DeviceBuffer<R>>, 2> chunks;  // of the members
    std::array<cuda::CopyOut, 2> copies;
    for (const Member& member : members()) {
      for (auto& of_members : chunks) {
        of_members.emplace_back(static_cast<std::size_t>(rows_per_chunk_ * n_vertices()),
                                member.stream);
      }
    }
    std::size_t turn = 0;
    for (std::int64_t done = 0; done < rounds_.max_rows(); done += rows_per_chunk_, turn ^= 1) {
      for (std::size_t i = 0; i < members().size(); ++i) {
        begin_chunk(members()[i], done, chunks[turn][i].data(), copies[turn]);
      }
      copies[turn ^ 1].finish();
    }
    copies[turn ^ 1].finish();
  }

  /// Begins to convert and copy a chunk of a member's rows from `done` on, if any are left.
  void begin_chunk(const Member& member, std::int64_t done, R* chunk, cuda::CopyOut& copies) const {
    const std::int64_t first = member.rows.first + done;
    const std::int64_t n =
        std::min(rows_per_chunk_, std::min(member.rows.end, n_vertices()) - first);
    if (n <= 0) return;
    const cuda::DeviceGuard guard(member.stream.device());
    write_chunk(member, first, {chunk, n_vertices(), n, n_vertices()});
    copies.copy_rows(result_.distances + first * result_.row_stride, result_.row_stride, chunk, n,
                     n_vertices(), member.stream);
  }

  /// Writes rows of the result from `first` on to device memory.
  void write_chunk(const Member& member, std::int64_t first, const MatrixView<R>& to) const {
    const DistanceMatrix from =
        rounds_.matrix_rows(member, {first, first + to.rows}).submatrix(0, 0, to.rows, to.columns);
    dispatch_accumulator<R>(acc_, [&]<Accumulator acc>() {
      write_result<acc, R>(from.view<acc>(), to, first, 0, &member.errors.data()->overflow_position,
                           member.stream);
    });
  }

  /// Throws std::overflow_error if a distance saturated or does not fit the result.
  void check_range() const {
    if (acc_ == Accumulator::saturating_int64) {
      for (std::int64_t i = 0; i < n_vertices(); ++i) {
        check_saturation(host_, result_.distances + i * result_.row_stride);
        poll();
      }
    }
    if (acc_ == Accumulator::int64 && std::is_same_v<R, std::int32_t>) {
      for (const Member& member : members()) {
        const std::int64_t position =
            cuda::read_back(&member.errors.data()->overflow_position, member.stream);
        if (position == infinity<std::int64_t>()) continue;
        const auto from = static_cast<vertex_t>(position >> 32);
        const auto to = static_cast<vertex_t>(position & 0x7fffffff);
        const auto row = rounds_.matrix_rows(member, {from, from + 1}).view<Accumulator::int64>();
        throw_distance_overflow(from, to, cuda::read_back(row.data + to, member.stream));
      }
    }
  }

  const Accumulator acc_;
  const std::vector<CsrView<R>>& graphs_;
  const CsrView<R>& host_;
  const ApspOptions& options_;
  const ApspResult<R> result_;
  runtime::DeviceTeam& team_;
  TeamRounds rounds_;
  const std::int64_t rows_per_chunk_;
};

template <class R>
std::vector<MemberGraph<R>> members_of(const runtime::DeviceTeam& team,
                                       const std::vector<CsrView<R>>& graphs) {
  std::vector<MemberGraph<R>> members;
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
  runtime::DeviceTeam team({devices.begin(), devices.begin() + n_members});
  const Accumulator chosen =
      choose_accumulator_on_device(graphs[0], host, affordable_rounds(host), team.stream(0));
  TeamApsp<R> apsp(chosen, graphs, host, options, result, team);
  if (apsp.fits()) return apsp.run();
  run_streamed_within<R>(chosen, members_of(team, graphs), host, options.budget, result);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(apsp_multi)

}  // namespace warpgraph
