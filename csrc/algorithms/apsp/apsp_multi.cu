// APSP on several CUDA devices: each member of a team has a range of the matrix's rows.
//
// Sums are made of the same numbers as on one device: results are bit-identical.
#include "algorithms/apsp/accumulator_choice.hpp"
#include "algorithms/apsp/streamed/streamed.hpp"
#include "algorithms/apsp/team/result_chunks.cuh"
#include "algorithms/apsp/team/team_rounds.cuh"
#include "core/cuda/copies/map_while_waiting.hpp"
#include "runtime/bulk_synchronous/device_team.hpp"

namespace warpgraph {
namespace {

using namespace apsp_detail;

template <class R>
class TeamApsp {
 public:
  TeamApsp(Accumulator acc, const std::vector<CsrView<R>>& graphs, const CsrView<R>& host,
           const ApspOptions& options, ApspResult<R> result, runtime::DeviceTeam& team)
      : matrix_{acc, host.n_vertices},
        graphs_(graphs),
        host_(host),
        options_(options),
        result_(result),
        team_(team),
        rows_(rows_of_members(matrix_.side, matrix_.tile, at(team.size()))),
        chunks_(matrix_, std::ranges::max_element(rows_, {}, &RowRange::size)->size()) {}

  /// Returns whether each device has the memory for its members.
  [[nodiscard]] bool fits() const {
    for (int i = 0; i < team_.size(); ++i) {
      std::size_t needed = 0;
      for (int j = 0; j < team_.size(); ++j) {
        if (team_.stream(j).device() != team_.stream(i).device()) continue;
        needed += Member::bytes(matrix_, rows_[at(j)]) + chunks_.bytes();
      }
      if (!options_.budget.on(team_.stream(i).device()).has(needed)) return false;
    }
    return true;
  }

  void run() {
    const cuda::MapWhileWaiting pages(result_.distances_to_map(host_.n_vertices));
    std::deque<Member> members;
    const runtime::TeamWait wait(team_);
    team_.end_step("begin");
    team_.for_each([&](int i, const cuda::Stream& stream) {
      write_rows(members.emplace_back(matrix_, rows_[at(i)], stream), graphs_[at(i)]);
    });
    team_.end_step("write rows");
    TeamRounds rounds(matrix_, rows_, members, options_.rows_per_piece);
    rounds.run();
    team_.end_step("rounds");
    for (const Member& member : members) member.errors.refuse_negative_cycle();
    chunks_.copy(members, result_);
    team_.end_step("copy to the host");
    check_range(members);
    report_progress(host_.n_vertices, host_.n_vertices);
  }

 private:
  /// Writes a member's rows of the initial matrix.
  void write_rows(const Member& member, const CsrView<R>& graph) const {
    const cuda::DeviceGuard guard(member.stream.device());
    dispatch_accumulator<R>(matrix_.acc, [&]<Accumulator acc>() {
      write_adjacency<acc, R>(graph, member.rows.first, 0,
                              member.matrix_rows(member.rows).view<acc>(), member.stream);
    });
  }

  /// Throws std::overflow_error if a distance saturated or does not fit the result.
  void check_range(const std::deque<Member>& members) const {
    if (matrix_.acc == Accumulator::saturating_int64) {
      for (std::int64_t i = 0; i < host_.n_vertices; ++i) {
        check_saturation(host_, result_.distances + i * result_.row_stride);
        poll();
      }
    }
    for (const Member& member : members) {
      member.errors.refuse_overflow<R>(matrix_.acc, [&](vertex_t from, vertex_t to) {
        return member.matrix_rows({from, from + 1}).view<Accumulator::int64>().data + to;
      });
    }
  }

  const TeamMatrix matrix_;
  const std::vector<CsrView<R>>& graphs_;
  const CsrView<R>& host_;
  const ApspOptions& options_;
  const ApspResult<R> result_;
  runtime::DeviceTeam& team_;
  const std::vector<RowRange> rows_;  // of the members
  const ResultChunks<R> chunks_;
};

template <class R>
std::vector<MemberGraph<R>> members_of(const runtime::DeviceTeam& team,
                                       const std::vector<CsrView<R>>& graphs) {
  std::vector<MemberGraph<R>> members;
  team.for_each([&](int i, const cuda::Stream& stream) {
    members.push_back({&graphs[at(i)], &stream});
  });
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
