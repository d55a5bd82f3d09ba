// The host's part of near-far search by a team of devices: see team_rounds.cuh. For
// near_far_cuda.cu.
#pragma once

#include "algorithms/sssp/near_far/halo.cuh"
#include "algorithms/sssp/near_far/near_far_search.cuh"
#include "algorithms/sssp/near_far/team_rounds.cuh"
#include "algorithms/sssp/part_rows.cuh"
#include "core/containers/at.hpp"

#include <deque>
#include <vector>

namespace warpgraph::shortest_paths {

/// Rounds that the host puts on all streams before it asks whether the search has ended. Rounds
/// after its end do nothing but look for distances to send.
inline constexpr int rounds_together = 8;

template <class W>
class TeamNearFar {
 public:
  TeamNearFar(const CsrView<W>& graph, const SsspOptions<W>& options, runtime::DeviceTeam& team)
      : graph_(graph),
        options_(options),
        parts_(options.parts->parts()),
        team_(team),
        members_(team, arrays_for(graph, parts_)) {
    const double mean = trimmed_mean_weight(graph);
    tuning_.width = static_cast<double>(width_of(mean, graph, 0));  // once for all members
    for (int i = 0; i < team.size(); ++i) {
      const PartRows<W>& rows = rows_.emplace_back(*options.parts, i, graph);
      halos_.push_back(
          derived_from_part<Halo>(*options.parts, i, options.parts->pattern(i), graph.n_vertices));
      searches_.emplace_back(team.stream(i), rows.among_all(), graph, options, tuning_, nullptr,
                             members_[i].own.distances);
      searches_[at(i)].set_in_rounds();
    }
    for (int i = 0; i < team.size(); ++i) connect(i);
  }

  /// Searches and fills the host's distances. Returns whether no sum of integers can have
  /// overflowed. Waits.
  bool run(vertex_t source, W* distances) {
    const runtime::TeamWait wait(team_);
    team_.for_each([&](int i, const cuda::Stream& stream) { start(i, source, stream); });
    team_.barrier();  // the arrays of all members are there before others write to them
    team_.end_step("start");
    for (NearFarState<W> state{}; !state.is_done;) {
      for (int i = 0; i < rounds_together; ++i) search_round();
      state = cuda::read_back(members_[0].own.state, team_.stream(0));
      report_progress(std::min<std::int64_t>(state.n_relaxed, graph_.n_vertices),
                      graph_.n_vertices);
    }
    team_.end_step("rounds");
    const auto distances_of = [&](int i) { return members_[i].own.distances; };
    return copy_distances(team_, *options_.parts, graph_, distances_of, distances);
  }

  /// Returns the bytes on the device of a member, beside its rows.
  [[nodiscard]] static std::size_t bytes(const CsrView<W>& graph, const PartitionView& parts,
                                         int member) {
    return Members::bytes(member, arrays_for(graph, parts)) + near_far_bytes<W>(graph) +
           SpreadOffsets::bytes_needed(graph.n_vertices) + at(graph.n_vertices) / 8 + 4;
  }

 private:
  using Members = runtime::TeamArrays<TeamRoundView<W>>;

  /// Returns a function that allocates the arrays of a member; of view.own, only the distances.
  static auto arrays_for(const CsrView<W>& graph, const PartitionView& parts) {
    return [&](int member, cuda::BumpAllocator& memory) {
      TeamRoundView<W> view{};
      view.parts = parts;
      view.member = member;
      view.own.distances = memory.take<W>(at(graph.n_vertices));
      view.sent = memory.take<W>(at(graph.n_vertices));
      view.n_mailed = memory.take<unsigned long long>(at(parts.n_parts));
      view.reports = memory.take<RoundReport<W>>(at(parts.n_parts));
      for (int i = 0; i < parts.n_parts; ++i) {
        if (i == member) continue;
        view.mail_from[i].vertices = memory.take<vertex_t>(at(parts.size(member)));
        view.mail_from[i].distances = memory.take<W>(at(parts.size(member)));
      }
      return view;
    };
  }

  /// Completes the view of a member by its search and by the arrays of the others.
  void connect(int member) {
    TeamRoundView<W>& view = members_[member];
    view.own = searches_[at(member)].view();
    view.halo = halos_[at(member)]->data();
    for (int i = 0; i < team_.size(); ++i) {
      view.mail_to[i] = members_[i].mail_from[member];
      view.n_mailed_by[i] = members_[i].n_mailed;
      view.reports_at[i] = members_[i].reports;
    }
  }

  void start(int member, vertex_t source, const cuda::Stream& stream) {
    const TeamRoundView<W>& view = members_[member];
    cuda::fill(view.own.distances, infinity<W>(), graph_.n_vertices, stream);
    cuda::fill(view.sent, infinity<W>(), graph_.n_vertices, stream);
    cuda::fill(view.own.distances + source, W{0}, 1, stream);
    cuda::fill_bytes(view.n_mailed, 0, at(parts_.n_parts), stream);
    searches_[at(member)].start({source});
  }

  /// Enqueues a round: members search and send the distances that they have lowered, take their
  /// mail and report, and agree on what follows.
  void search_round() {
    team_.for_each([&](int i, const cuda::Stream& stream) {
      searches_[at(i)].launch();
      cuda::launch(stream, blocks(stream), cuda::threads_per_block, 0, send_lowered<W>,
                   members_[i]);
    });
    team_.barrier();
    team_.for_each([&](int i, const cuda::Stream& stream) {
      cuda::launch(stream, blocks(stream), cuda::threads_per_block, 0, take_mail<W>, members_[i]);
      cuda::launch(stream, 1, max_parts, 0, report<W>, members_[i]);
    });
    team_.barrier();
    team_.for_each([&](int i, const cuda::Stream& stream) {
      cuda::launch(stream, 1, max_parts, 0, agree<W>, members_[i]);
    });
  }

  /// Returns the number of blocks that the device runs at a time, or fewer if vertices are few.
  [[nodiscard]] std::int64_t blocks(const cuda::Stream& stream) const {
    const std::int64_t useful =
        (std::int64_t{graph_.n_vertices} + cuda::threads_per_block - 1) / cuda::threads_per_block;
    return std::min(useful, blocks_per_multiprocessor * cuda::multiprocessors(stream));
  }
  static constexpr std::int64_t blocks_per_multiprocessor = 8;

  const CsrView<W>& graph_;
  const SsspOptions<W>& options_;
  const PartitionView& parts_;
  runtime::DeviceTeam& team_;
  NearFarTuning tuning_;
  Members members_;
  std::deque<PartRows<W>> rows_;
  std::vector<std::shared_ptr<const Halo>> halos_;
  std::deque<NearFarSearch<W>> searches_;
};

}  // namespace warpgraph::shortest_paths
