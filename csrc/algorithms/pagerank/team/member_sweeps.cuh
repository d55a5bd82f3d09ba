// What a member of a team computes: the launches of the kernels for its rows.
#pragma once

#include "algorithms/pagerank/team/part_kernels.cuh"
#include "core/cuda/for_each.cuh"

namespace warpgraph::pagerank {

struct PartKernels {
  using Kernel = void (*)(SweepParameters, const double*, PlacesInAll, const PartState*, Totals*);
  template <class W>
  static std::array<Kernel, 3> of() {
    return {sweep_part<W, Kept::nothing>, sweep_part<W, Kept::hubs>, sweep_part<W, Kept::octets>};
  }
};
using DividedGraph = SweptGraph<PartKernels>;

/// The sweeps over the rows of a part. All launches are asynchronous.
class MemberSweeps {
 public:
  /// n_candidates is the number of vertices that may be kept as hubs, as of plan_launch().
  MemberSweeps(const DividedGraph& graph, const PageRankVectors& vectors, double alpha,
               const SweptPart& part, std::int64_t n_candidates, double* segment_sums,
               const cuda::Stream& stream)
      : part_(part),
        stream_(stream),
        given_(vectors, graph.transposed.n_vertices,
               [&](auto items) { return SweptParts::of_rows(items, part, stream); }),
        parameters_(parameters(alpha, segment_sums)),
        launch_(plan_launch(graph.kernels, parameters_, n_candidates, stream)) {}

  /// Writes the contributions before the first sweep, and adds their totals to `totals`.
  void start(const PlacesInAll& to, Totals* totals) const {
    cuda::launch(stream_, launch_.blocks, launch_.threads, 0, start_part,
                 given_.start(parameters_.update.weight_sums, nullptr), part_.rows.n_vertices, to,
                 totals);
  }
  /// Writes the contributions after a sweep, and adds their totals, unless *state has converged.
  void sweep(const double* from, const PlacesInAll& to, const PartState* state,
             Totals* totals) const {
    cuda::launch_cooperative(stream_, launch_.blocks, launch_.threads, launch_.shared_bytes,
                             launch_.kernel, parameters_, from, to, state, totals);
  }
  /// Writes the scores of vertices with these contributions.
  void write_scores(const double* contributions, const PlacesInAll& to) const {
    cuda::for_each(stream_, part_.rows.n_vertices,
                   WriteScore{{parameters_.update.weight_sums, contributions}, to});
  }
  /// Gathers the scores of the results, in their order, from those of all vertices.
  void gather_results(const double* scores, double* results) const {
    cuda::gather(scores, part_.numbers.data(), part_.n_results, results, stream_);
  }

 private:
  /// Returns the parameters that all sweeps have in common.
  [[nodiscard]] SweepParameters parameters(double alpha, double* segment_sums) const {
    SweepParameters all{};
    all.transposed = part_.rows;
    all.rows = part_.classes->view();
    all.weights = part_.rows.weights;
    all.update = given_.update({part_.weight_sums.data(), part_.rows.offsets}, alpha);
    all.segment_sums = segment_sums;
    return all;
  }

  const SweptPart& part_;
  const cuda::Stream& stream_;
  const GivenVectors given_;
  SweepParameters parameters_;
  const SweepLaunch<PartKernels::Kernel> launch_;
};

}  // namespace warpgraph::pagerank
