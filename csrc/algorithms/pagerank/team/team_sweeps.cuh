// Sweeps on a team of CUDA devices. In each round, every member sweeps over its rows and writes
// their contributions into the memory of all, in the same kernel; the totals follow, and after the
// barrier each member computes the same next state. The host reads the state of one of them only
// after some rounds; rounds after the last one that is needed do nothing.
//
// A round moves 8 bytes for each vertex from the device of its row to each other one that has it as
// a head: on meshes a few, else up to all of them. For 2^24 vertices and two devices 67 MB each
// way, 0.2 ms over NVLink, while sweeping over a half of their 2^29 arcs takes 2 ms. The stores are
// under way while rows are summed.
#pragma once

#include "algorithms/pagerank/team/part_arrays.cuh"
#include "algorithms/pagerank/team/part_kernels.cuh"
#include "algorithms/pagerank/team/swept_parts.cuh"
#include "core/interrupt.hpp"
#include "runtime/bulk_synchronous/device_team.hpp"

namespace warpgraph::pagerank {

/// The time of the rounds that the host puts on streams together, between two polls.
inline constexpr double seconds_together = 0.02;
inline constexpr int max_rounds_together = 64;

struct PartKernels {
  using Kernel = void (*)(SweepParameters, const double*, PlacesInAll, const PartState*, Totals*);
  template <class W>
  static std::array<Kernel, 3> of() {
    return {sweep_part<W, Kept::nothing>, sweep_part<W, Kept::hubs>, sweep_part<W, Kept::octets>};
  }
};
using DividedGraph = SweptGraph<PartKernels>;

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
    const vertex_t n = transposed_.n_vertices;
    for (int i = 0; i < team.size(); ++i) {
      const cuda::Stream& stream = team.stream(i);
      cuda::fill_bytes(arrays_[i].all_totals, 0, arrays_[i].n_totals(), stream);
      given_.emplace_back(vectors, n,
                          [&](auto items) { return SweptParts::of_rows(items, parts[i], stream); });
      parameters_.push_back(parameters(i));
      launches_.push_back(
          plan_launch(graph.kernels, parameters_.back(), parts.has_hubs_first() ? n : 0, stream));
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
    team_.for_each([&](int i, const cuda::Stream& stream) {
      PlacesInAll places = places_in_all(i, last.result + 1);
      places.needed = nullptr;
      if (!parts_.is_renumbered()) places.n_others = 0;
      cuda::for_each(stream, parts_[i].rows.n_vertices,
                     WriteScore{{weight_sums(i), arrays_[i].after(last.result)}, places});
    });
    if (parts_.is_renumbered()) put_in_order(last);
    team_.end_step("scores");
    const auto range_of = [&](int i) -> runtime::ItemRange {
      return {parts_.is_renumbered() ? 0 : parts_[i].first_result, at(parts_[i].n_results)};
    };
    const int sweeps = last.result + (parts_.is_renumbered() ? 0 : 1);
    runtime::collect(
        team_, range_of, [&](int i) { return arrays_[i].after(sweeps); }, scores);
    team_.end_step("copy to the host");
  }

 private:
  /// Gathers the scores of each member's results, in place of the contributions.
  void put_in_order(const Iteration& last) const {
    team_.barrier();
    team_.for_each([&](int i, const cuda::Stream& stream) {
      cuda::gather(arrays_[i].after(last.result + 1), parts_[i].numbers.data(), parts_[i].n_results,
                   arrays_[i].after(last.result), stream);
    });
  }

  using Launch = SweepLaunch<PartKernels::Kernel>;

  [[nodiscard]] WeightSums weight_sums(int part) const {
    return {parts_[part].weight_sums.data(), parts_[part].rows.offsets};
  }
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
  /// Returns the parameters that all sweeps of a part have in common.
  [[nodiscard]] SweepParameters parameters(int part) const {
    SweepParameters all{};
    all.transposed = parts_[part].rows;
    all.rows = parts_[part].classes->view();
    all.weights = parts_[part].rows.weights;
    all.update = given_[at(part)].update(weight_sums(part), options_.alpha);
    all.segment_sums = arrays_[part].segment_sums;
    return all;
  }

  void start() const {
    const PartState first{first_iteration(options_), 0};
    team_.for_each([&](int i, const cuda::Stream& stream) {
      cuda::copy(arrays_[i].state, &first, 1, stream);
    });
    team_.barrier();  // the memory of all is there
    team_.for_each([&](int i, const cuda::Stream& stream) {
      const Launch& how = launches_[at(i)];
      cuda::launch(stream, how.blocks, how.threads, 0, start_part,
                   given_[at(i)].start(weight_sums(i), nullptr), parts_[i].rows.n_vertices,
                   places_in_all(i, 0), arrays_[i].totals(0, i));
    });
    end_round(0, true);
  }

  void sweep(int sweeps) const {
    team_.for_each([&](int i, const cuda::Stream& stream) {
      const Launch& how = launches_[at(i)];
      cuda::launch_cooperative(stream, how.blocks, how.threads, how.shared_bytes, how.kernel,
                               parameters_[at(i)], arrays_[i].after(sweeps),
                               places_in_all(i, sweeps + 1), arrays_[i].state,
                               arrays_[i].totals(sweeps + 1, i));
    });
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
    const double work = static_cast<double>(transposed_.n_arcs) + transposed_.n_vertices;
    const double seconds = 1e-5 + work / team_.size() / arcs_per_second;
    return std::clamp(static_cast<int>(seconds_together / seconds), 1, max_rounds_together);
  }

  const CsrPattern transposed_;
  const PageRankOptions& options_;
  const SweptParts& parts_;
  runtime::DeviceTeam& team_;
  const runtime::TeamArrays<PartArrays> arrays_;
  std::vector<GivenVectors> given_;
  std::vector<SweepParameters> parameters_;
  std::vector<Launch> launches_;
};

}  // namespace warpgraph::pagerank
