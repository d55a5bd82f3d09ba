// Sweeps on a team of CUDA devices. In each round, every member sweeps over its rows and writes
// their contributions into the memory of all, in the same kernel; the totals follow, and after the
// barrier each member computes the same next state. The host reads the state of one of them only
// after some rounds; rounds after the last one that is needed do nothing.
//
// A round moves 8 bytes for each vertex from the device of its row to each other one that has it as
// a head: on meshes a few, else up to all of them. For 2^24 vertices and two devices 67 MB each
// way, 0.2 ms over NVLink, while sweeping over a half of their 2^29 arcs takes 2 ms. The stores are
// under way while rows are summed.
#include "algorithms/pagerank/device_parts.hpp"
#include "algorithms/pagerank/part_kernels.cuh"
#include "algorithms/pagerank/swept_parts.cuh"
#include "core/interrupt.hpp"
#include "runtime/bulk_synchronous/device_team.hpp"

namespace warpgraph {
namespace pagerank {
namespace {

/// The host polls between the rounds that it puts on streams together.
constexpr double seconds_together = 0.02;
constexpr int most_rounds_together = 64;

template <class W>
struct Problem {
  const CsrView<W>& transposed;
  const PageRankVectors& vectors;
  const PageRankOptions& options;
};

/// The arrays of a member.
struct PartArrays {
  cuda::DeviceBuffer<double> personalization;
  cuda::DeviceBuffer<double> dangling;
  cuda::DeviceBuffer<double> start;
  cuda::DeviceBuffer<double> segment_sums;
  cuda::DeviceBuffer<double> contributions;  // of all vertices, after even and odd sweeps
  cuda::DeviceBuffer<Totals> totals;         // of all parts, in slots
  cuda::DeviceBuffer<PartState> state;
};

template <class W, class Value>
class TeamSweeps {
 public:
  TeamSweeps(const Problem<W>& problem, const SweptParts<W>& parts, runtime::DeviceTeam& team)
      : problem_(problem), parts_(parts), team_(team), n_(problem.transposed.n_vertices) {
    for (int i = 0; i < team.size(); ++i) {
      arrays_.push_back(allocate(parts[i], team.stream(i)));
      parameters_.push_back(parameters(i));
      launches_.push_back(plan_launch<KernelOf>(parameters_.back(), parts.has_hubs_first() ? n_ : 0,
                                                team.stream(i)));
    }
  }

  Iteration run() {
    const runtime::TeamWait wait(team_);
    team_.end_step("vectors to the devices");
    start();
    team_.end_step("start");
    Iteration iteration = first_iteration(problem_.options);
    const PageRankOptions& options = problem_.options;
    while (!iteration.has_converged && iteration.sweeps < options.max_sweeps) {
      report_progress(iteration.sweeps, options.max_sweeps);
      const int last = std::min(options.max_sweeps, iteration.sweeps + rounds_together());
      for (int sweeps = iteration.sweeps; sweeps < last; ++sweeps) sweep(sweeps);
      iteration = cuda::read_back(state(0), team_.stream(0)).iteration;
    }
    report_progress(options.max_sweeps, options.max_sweeps);
    team_.end_step("sweeps");
    return iteration;
  }

  /// Waits.
  void write_scores(const Iteration& last, std::span<double> scores) {
    const runtime::TeamWait wait(team_);
    std::vector<runtime::ResultSlice<double>> slices;
    const int free = (last.result + 1) % 2;  // of the contributions
    if (parts_.is_renumbered()) {
      for (int i = 0; i < team_.size(); ++i) {
        PlacesInAll places = places_in_all(i, free);
        places.needed = nullptr;
        cuda::for_each(team_.stream(i), parts_[i].rows.n_vertices,
                       ShareScore{{weight_sums(i), contributions(i, last.result)}, places});
      }
      team_.barrier();
    }
    for (int i = 0; i < team_.size(); ++i) {
      const SweptPart<W>& part = parts_[i];
      double* const results =
          contributions(i, last.result) + (parts_.is_renumbered() ? 0 : part.places.first);
      if (parts_.is_renumbered()) {
        cuda::gather(contributions(i, free), part.numbers.data(), part.n_results, results,
                     team_.stream(i));
      } else {
        cuda::for_each(team_.stream(i), part.n_results,
                       WriteOwnScore{{weight_sums(i), results}, results});
      }
      slices.push_back({results, static_cast<std::size_t>(part.n_results)});
    }
    team_.end_step("scores");
    runtime::collect<double>(team_, slices, scores.data());
    team_.end_step("copy to the host");
  }

  /// Of the arrays of a part with as many rows.
  [[nodiscard]] static std::size_t bytes_of_part(const Problem<W>& problem, const CsrPattern& rows,
                                                 int n_parts) {
    const PageRankVectors& vectors = problem.vectors;
    const auto n_rows = static_cast<std::size_t>(rows.n_vertices);
    std::size_t items = 2 * static_cast<std::size_t>(problem.transposed.n_vertices);
    for (const std::span<const double> given :
         {vectors.weight_sums, vectors.personalization, vectors.dangling, vectors.start}) {
      if (!given.empty()) items += n_rows;
    }
    const std::size_t n_words = words_of_rows(problem.transposed.n_vertices) +
                                static_cast<std::size_t>(n_parts) * words_of_rows(rows.n_vertices);
    return items * sizeof(double) + n_words * sizeof(std::uint32_t) +
           cuda::RowClasses::bytes_needed(rows) + sizeof(PartState) +
           SweepTotals::slots * static_cast<std::size_t>(n_parts * total_copies) * sizeof(Totals);
  }

 private:
  PartArrays allocate(const SweptPart<W>& part, const cuda::Stream& stream) const {
    const PageRankVectors& vectors = problem_.vectors;
    const auto n_totals = static_cast<std::size_t>(team_.size() * total_copies);
    PartArrays made{SweptParts<W>::of_rows(vectors.personalization, part, stream),
                    SweptParts<W>::of_rows(vectors.dangling, part, stream),
                    SweptParts<W>::of_rows(vectors.start, part, stream),
                    {static_cast<std::size_t>(part.classes->view().n_segments), stream},
                    {2 * static_cast<std::size_t>(n_), stream},
                    {SweepTotals::slots * n_totals, stream},
                    {1, stream}};
    cuda::fill_bytes(made.totals.data(), 0, made.totals.size(), stream);
    return made;
  }

  [[nodiscard]] double* contributions(int part, int sweeps) const {
    return arrays_[static_cast<std::size_t>(part)].contributions.data() + sweeps % 2 * n_;
  }
  [[nodiscard]] Totals* totals(int part, int sweeps) const {
    return arrays_[static_cast<std::size_t>(part)].totals.data() +
           sweeps % SweepTotals::slots * team_.size() * total_copies;
  }
  [[nodiscard]] PartState* state(int part) const {
    return arrays_[static_cast<std::size_t>(part)].state.data();
  }
  [[nodiscard]] WeightSums weight_sums(int part) const {
    return {parts_[part].weight_sums.data(), parts_[part].rows.offsets};
  }
  [[nodiscard]] PlacesInAll places_in_all(int part, int sweeps) const {
    PlacesInAll all{};
    all.places = parts_[part].places;
    all.own = contributions(part, sweeps);
    all.needed = parts_[part].needed.data();
    all.n_words = words_of_rows(parts_[part].rows.n_vertices);
    for (int i = 0; team_.shares_memory() && i < team_.size(); ++i) {
      if (i != part) all.others[all.n_others++] = contributions(i, sweeps);
    }
    return all;
  }

  template <Kept kept>
  struct KernelOf {
    static constexpr auto kernel = sweep_part<Value, kept>;
  };

  /// What all sweeps of a part have in common.
  [[nodiscard]] SweepParameters<Value> parameters(int part) const {
    const PartArrays& arrays = arrays_[static_cast<std::size_t>(part)];
    SweepParameters<Value> all{};
    all.transposed = parts_[part].rows;
    all.rows = parts_[part].classes->view();
    all.value = value_of<Value>(parts_[part].rows);
    all.update = update_with(arrays.personalization, arrays.dangling, weight_sums(part),
                             problem_.options.alpha, n_);
    all.segment_sums = arrays.segment_sums.data();
    return all;
  }

  void start() const {
    for (int i = 0; i < team_.size(); ++i) {
      const PartState first{first_iteration(problem_.options), 0};
      cuda::copy(state(i), &first, 1, team_.stream(i));
    }
    team_.barrier();  // the memory of all is there
    for (int i = 0; i < team_.size(); ++i) {
      const PartArrays& arrays = arrays_[static_cast<std::size_t>(i)];
      const Start visit{distribution(arrays.start.data(), n_), weight_sums(i), nullptr};
      const Launch& launch = launches_[static_cast<std::size_t>(i)];
      cuda::launch(team_.stream(i), launch.blocks, launch.threads, 0, start_part, visit,
                   parts_[i].rows.n_vertices, places_in_all(i, 0), totals(i, 0) + i * total_copies);
    }
    end_round(0, true);
  }

  void sweep(int sweeps) const {
    for (int i = 0; i < team_.size(); ++i) {
      const Launch& launch = launches_[static_cast<std::size_t>(i)];
      cuda::launch_cooperative(team_.stream(i), launch.blocks, launch.threads, launch.shared_bytes,
                               launch.kernel, parameters_[static_cast<std::size_t>(i)],
                               contributions(i, sweeps), places_in_all(i, sweeps + 1), state(i),
                               totals(i, sweeps + 1) + i * total_copies);
    }
    end_round(sweeps + 1, false);
  }

  /// Members have what others need of them, and compute the state after `sweeps` sweeps.
  void end_round(int sweeps, bool is_start) const {
    if (!team_.shares_memory()) send(sweeps);
    team_.barrier();
    for (int i = 0; i < team_.size(); ++i) {
      TotalsOfAll all{team_.size(), {}};
      for (int k = 0; k < team_.size(); ++k) {
        all.copies[k] = totals(team_.shares_memory() ? k : i, sweeps) + k * total_copies;
      }
      cuda::launch(team_.stream(i), 1, cuda::warp_lanes, 0, end_sweep, state(i), all,
                   static_cast<double>(n_) * problem_.options.tolerance, is_start,
                   totals(i, sweeps + 2) + i * total_copies);
    }
  }

  /// What kernels could not write into the memory of others.
  void send(int sweeps) const {
    std::vector<double*> vectors;
    std::vector<Totals*> sums;
    for (int i = 0; i < team_.size(); ++i) {
      vectors.push_back(contributions(i, sweeps));
      sums.push_back(totals(i, sweeps));
    }
    for (int i = 0; i < team_.size(); ++i) {
      team_.send<double>(i, vectors, static_cast<std::size_t>(parts_[i].places.first),
                         static_cast<std::size_t>(parts_[i].rows.n_vertices));
      team_.send<Totals>(i, sums, static_cast<std::size_t>(i * total_copies), total_copies);
    }
  }

  [[nodiscard]] int rounds_together() const {
    const double work = static_cast<double>(problem_.transposed.n_arcs) + static_cast<double>(n_);
    const double seconds = 1e-5 + work / team_.size() / arcs_per_second;
    return std::clamp(static_cast<int>(seconds_together / seconds), 1, most_rounds_together);
  }

  const Problem<W>& problem_;
  const SweptParts<W>& parts_;
  runtime::DeviceTeam& team_;
  const std::int64_t n_;
  std::vector<PartArrays> arrays_;
  using Launch = SweepLaunch<void (*)(SweepParameters<Value>, const double*, PlacesInAll,
                                      const PartState*, Totals*)>;
  std::vector<SweepParameters<Value>> parameters_;
  std::vector<Launch> launches_;
};

/// Whether the graph may be in another order: members need the memory for that.
template <class W>
bool may_renumber(const Problem<W>& problem, const runtime::DeviceTeam& team) {
  if (!team.shares_memory()) return false;
  if (problem.transposed.n_vertices < problem.options.least_renumbered) return false;
  for (int i = 0; i < team.size(); ++i) {
    const MemoryBudget budget(team.stream(i).device(), problem.options.memory_limit);
    if (!budget.has(SweptParts<W>::bytes_to_renumber(problem.transposed))) return false;
  }
  return true;
}

template <class Value, class W>
PageRankResult run_on_devices(const Problem<W>& problem, DevicePartition& partition,
                              std::span<double> scores) {
  using Sweeps = TeamSweeps<W, Value>;
  const int n_parts = static_cast<int>(partition.devices().size());
  runtime::DeviceTeam team(partition.devices());
  const bool renumbers = may_renumber(problem, team);
  partition.require_memory(
      "PageRank of a part of the graph", problem.transposed,
      [&](int part) { return Sweeps::bytes_of_part(problem, partition.shape(part), n_parts); },
      problem.options.memory_limit);
  const auto parts = partition.derived_for_all().get<SweptParts<W>>(
      problem.transposed.weights == nullptr ? 0 : 1, [&](const cuda::Stream&) {
        return SweptParts<W>(problem.transposed, partition, problem.vectors.weight_sums,
                             team.shares_memory(), renumbers);
      });
  Sweeps sweeps(problem, *parts, team);
  const Iteration last = sweeps.run();
  sweeps.write_scores(last, scores);
  return {last.sweeps, last.change, last.has_converged};
}

}  // namespace
}  // namespace pagerank

template <class W>
PageRankResult pagerank_on_devices(const CsrView<W>& transposed, const PageRankVectors& vectors,
                                   const PageRankOptions& options, PageRankScores scores) {
  using namespace pagerank;
  const Problem<W> problem{transposed, vectors, options};
  return transposed.weights == nullptr
             ? run_on_devices<ReceivedUnweighted<>>(problem, *options.parts, scores.items)
             : run_on_devices<Received<W>>(problem, *options.parts, scores.items);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(pagerank_on_devices)

}  // namespace warpgraph
