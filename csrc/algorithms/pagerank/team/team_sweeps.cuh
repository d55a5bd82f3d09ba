// Sweeps on a team of CUDA devices. In each round, every member sweeps over its rows and writes
// their contributions into the memory of all, in the same kernel; the totals follow, and after the
// barrier each computes the same next state, which the host reads after some rounds. Rounds after
// the last one that is needed do nothing.
//
// A round moves 8 bytes for each vertex from the device of its row to all that have it as a head.
// For 2^24 vertices and two devices that takes 0.2 ms over NVLink, while sums of 2^28 arcs take 2.
#pragma once

#include "algorithms/pagerank/team/member_sweeps.cuh"
#include "algorithms/pagerank/team/part_arrays.cuh"
#include "core/interrupt.hpp"
#include "runtime/bulk_synchronous/device_team.hpp"

#include <deque>

namespace warpgraph::pagerank {

/// The time of the rounds that the host puts on streams together, between two polls.
inline constexpr double seconds_together = 0.02;
inline constexpr int max_rounds_together = 64;

class TeamSweeps {
 public:
  TeamSweeps(const DividedGraph& graph, const PageRankVectors& vectors,
             const PageRankOptions& options, const SweptParts& parts, runtime::DeviceTeam& team)
      : transposed_(graph.transposed),
        options_(options),
        parts_(parts),
        team_(team),
        arrays_(team, arrays_for(transposed_.n_vertices, team.size(),
                                 [&](int i) { return parts[i].classes->view().n_segments; })) {
    const vertex_t n_candidates = parts.has_hubs_first() ? transposed_.n_vertices : 0;
    for (int i = 0; i < team.size(); ++i) {
      const cuda::Stream& stream = team.stream(i);
      cuda::fill_bytes(arrays_[i].all_totals, 0, arrays_[i].n_totals(), stream);
      members_.emplace_back(graph, vectors, options.alpha, parts[i], n_candidates,
                            arrays_[i].segment_sums, stream);
    }
  }

  /// Sweeps until convergence. Waits.
  Iteration run() {
    const runtime::TeamWait wait(team_);
    team_.end_step("vectors to the devices");
    start();
    team_.end_step("start");
    const Iteration last = run_together(options_, rounds_together(), [&](int first, int end) {
      for (int sweeps = first; sweeps < end; ++sweeps) sweep(sweeps);
      return cuda::read_back(&arrays_[0].state->iteration, team_.stream(0));
    });
    team_.end_step("sweeps");
    return last;
  }

  /// Writes the scores to the host. Waits.
  void write_scores(const Iteration& last, double* scores) {
    const runtime::TeamWait wait(team_);
    for (int i = 0; i < team_.size(); ++i) {
      PlacesInAll places = places_in_all(i, last.result + 1);
      places.needed = nullptr;
      if (!parts_.is_renumbered()) places.n_others = 0;
      members_[at(i)].write_scores(arrays_[i].after(last.result), places);
    }
    if (parts_.is_renumbered()) {
      team_.barrier();
      for (int i = 0; i < team_.size(); ++i) {
        members_[at(i)].gather_results(arrays_[i].after(last.result + 1),
                                       arrays_[i].after(last.result));
      }
    }
    team_.end_step("scores");
    const auto range_of = [&](int i) -> runtime::ItemRange {
      return {parts_.is_renumbered() ? 0 : parts_[i].first_result, at(parts_[i].n_results)};
    };
    const int sweeps = last.result + (parts_.is_renumbered() ? 0 : 1);
    const auto scores_of = [&](int i) { return arrays_[i].after(sweeps); };
    runtime::collect(team_, range_of, scores_of, scores);
    team_.end_step("copy to the host");
  }

 private:
  [[nodiscard]] PlacesInAll places_in_all(int part, int sweeps) const {
    PlacesInAll all{};
    all.places = parts_[part].places;
    all.own = arrays_[part].after(sweeps);
    all.needed = parts_[part].needed.data();
    all.n_words = words_of_rows(parts_[part].rows.n_vertices);
    for (int i = 0; team_.shares_memory() && i < team_.size(); ++i) {
      if (i != part) all.others[all.n_others++] = arrays_[i].after(sweeps);
    }
    return all;
  }

  void start() const {
    const PartState first{first_iteration(options_), 0};
    for (int i = 0; i < team_.size(); ++i) {
      cuda::copy(arrays_[i].state, &first, 1, team_.stream(i));
    }
    team_.barrier();  // the memory of all is there
    for (int i = 0; i < team_.size(); ++i) {
      members_[at(i)].start(places_in_all(i, 0), arrays_[i].totals(0, i));
    }
    end_round(0, true);
  }

  void sweep(int sweeps) const {
    for (int i = 0; i < team_.size(); ++i) {
      members_[at(i)].sweep(arrays_[i].after(sweeps), places_in_all(i, sweeps + 1),
                            arrays_[i].state, arrays_[i].totals(sweeps + 1, i));
    }
    end_round(sweeps + 1, false);
  }

  /// Gives members what they need of each other, and computes the state after `sweeps` sweeps.
  void end_round(int sweeps, bool is_start) const {
    if (!team_.shares_memory()) {  // then rows are those of the partition
      team_.all_gather(runtime::ranges_of(options_.parts->parts()),
                       [&](int i) { return arrays_[i].after(sweeps); });
      const auto totals_of = [](int i) {
        return runtime::ItemRange{std::int64_t{i} * total_copies, total_copies};
      };
      team_.all_gather(totals_of, [&](int i) { return arrays_[i].totals(sweeps); });
    }
    team_.barrier();
    for (int i = 0; i < team_.size(); ++i) {
      TotalsOfAll all{team_.size(), {}};
      for (int k = 0; k < team_.size(); ++k) {
        all.copies[k] = arrays_[team_.shares_memory() ? k : i].totals(sweeps, k);
      }
      cuda::launch(team_.stream(i), 1, cuda::warp_lanes, 0, end_sweep, arrays_[i].state, all,
                   options_.change_bound, is_start, arrays_[i].totals(sweeps + 2, i));
    }
  }

  [[nodiscard]] int rounds_together() const {
    const auto work = static_cast<double>(transposed_.n_arcs + transposed_.n_vertices);
    const double seconds = 1e-5 + work / team_.size() / arcs_per_second;
    return std::clamp(static_cast<int>(seconds_together / seconds), 1, max_rounds_together);
  }

  const CsrPattern transposed_;
  const PageRankOptions& options_;
  const SweptParts& parts_;
  runtime::DeviceTeam& team_;
  const runtime::TeamArrays<PartArrays> arrays_;
  std::deque<MemberSweeps> members_;
};

}  // namespace warpgraph::pagerank
