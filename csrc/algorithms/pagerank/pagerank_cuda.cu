#include "algorithms/pagerank/pagerank.hpp"
#include "algorithms/pagerank/sweep_kernels.cuh"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/memory/derived_cache.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/transform/device_renumber.cuh"

#include <optional>

namespace warpgraph {
namespace pagerank {
namespace {

/// The most time of a launch's sweeps, since the host polls for Ctrl-C between launches.
constexpr double max_seconds_per_launch = 0.05;
/// A lower bound of the vertices per second of a sweep, like that of arcs: an H200 updates ten
/// times as many (updated_by_a_gpu of plan/rates.hpp).
constexpr double vertices_per_second = 2e10;
/// The least time that grid barriers and latencies take.
constexpr double least_seconds_per_sweep = 4e-6;
__global__ void start_sweeps(Start start, std::int64_t n_vertices, Totals* copies) {
  Totals totals;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t v = cuda::global_index(); v < n_vertices; v += stride) start(totals, v);
  add_totals(copies, totals);
}

/// The data that sweeps over the transposed graph need beside it, and calls with the same graph
/// share.
class SweepStructure {
 public:
  SweepStructure(const AnyCsrView& transposed, bool may_renumber,
                 std::span<const double> weight_sums, const cuda::Stream& stream)
      : renumbered_(may_renumber ? cuda::renumber_for_gathers(transposed, stream) : std::nullopt),
        rows_(graph(transposed), stream),
        weight_sums_(in_order(weight_sums, order(), transposed.n_vertices, stream)) {
    if (transposed.weights != nullptr) return;
    if (are_degrees(weight_sums_, graph(transposed), stream)) weight_sums_ = {};
  }

  /// Returns the graph that sweeps visit: the transposed one, or that in another order.
  [[nodiscard]] AnyCsrView graph(const AnyCsrView& transposed) const noexcept {
    return renumbered_ ? transposed.with(renumbered_->pattern(), renumbered_->weights())
                       : transposed;
  }
  /// Returns the order: order()[i] is the vertex of the transposed graph that has the number i in
  /// graph(). nullptr: i.
  [[nodiscard]] const vertex_t* order() const noexcept {
    return renumbered_ ? renumbered_->order() : nullptr;
  }
  /// Returns whether the first vertices have the most arcs.
  [[nodiscard]] bool has_hubs_first() const noexcept {
    return renumbered_ && renumbered_->is_by_degree();
  }
  [[nodiscard]] cuda::RowClasses::View rows() const noexcept { return rows_.view(); }
  [[nodiscard]] WeightSums weight_sums(const AnyCsrView& transposed) const noexcept {
    return {weight_sums_.data(), graph(transposed).offsets};
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return (renumbered_ ? renumbered_->bytes() : 0) + rows_.bytes() + weight_sums_.bytes();
  }

 private:
  std::optional<cuda::RenumberedGraph> renumbered_;
  cuda::RowClasses rows_;
  cuda::DeviceBuffer<double> weight_sums_;
};

struct WriteScores {
  Scores scores;
  const vertex_t* order;
  double* to;
  __device__ void operator()(std::int64_t i) const {
    to[order == nullptr ? i : order[i]] = scores[i];
  }
};

struct RunKernels {
  using Kernel = void (*)(SweepParameters, int);
  template <class W>
  static std::array<Kernel, 3> of() {
    return {run_sweeps<W, Kept::nothing>, run_sweeps<W, Kept::hubs>, run_sweeps<W, Kept::octets>};
  }
};
using Problem = SweptGraph<RunKernels>;

class DeviceSweeps {
 public:
  DeviceSweeps(const Problem& problem, const PageRankVectors& vectors,
               const PageRankOptions& options, bool may_renumber, const cuda::Stream& stream)
      : options_(options),
        stream_(stream),
        n_(problem.transposed.n_vertices),
        structure_(structure(problem, may_renumber, vectors.weight_sums)),
        given_(vectors, n_,
               [&](auto items) { return in_order(items, structure_->order(), n_, stream); }),
        contributions_(2 * static_cast<std::size_t>(n_), stream),
        segment_sums_(static_cast<std::size_t>(structure_->rows().n_segments), stream),
        totals_(1, stream),
        iteration_(1, stream),
        parameters_(parameters(problem.transposed)),
        launch_(plan_launch(problem.kernels, parameters_, structure_->has_hubs_first() ? n_ : 0,
                            stream)) {}

  Iteration run() {
    start(first_iteration(options_));
    return run_together(options_, sweeps_per_launch(), [&](int, int last) {
      cuda::launch_cooperative(stream_, launch_.blocks, launch_.threads, launch_.shared_bytes,
                               launch_.kernel, parameters_, last);
      return cuda::read_back(iteration_.data(), stream_);
    });
  }

  /// Writes the scores to device memory. Asynchronous.
  void write_scores(const Iteration& iteration, double* scores) const {
    const Scores found{parameters_.update.weight_sums,
                       parameters_.contributions[iteration.result % 2]};
    cuda::for_each(stream_, n_, WriteScores{found, structure_->order(), scores});
  }

 private:
  [[nodiscard]] std::shared_ptr<const SweepStructure> structure(
      const Problem& problem, bool may_renumber, std::span<const double> weight_sums) const {
    const auto make = [&](const cuda::Stream& stream) {
      return SweepStructure(problem.transposed, may_renumber, weight_sums, stream);
    };
    if (options_.derived == nullptr) return std::make_shared<const SweepStructure>(make(stream_));
    return options_.derived->get<SweepStructure>(problem.variant, make);
  }

  [[nodiscard]] SweepParameters parameters(const AnyCsrView& transposed) const {
    const AnyCsrView graph = structure_->graph(transposed);
    return {graph,
            structure_->rows(),
            graph.weights,
            given_.update(structure_->weight_sums(transposed), options_.alpha),
            {contributions_.data(), contributions_.data() + n_},
            0,
            options_.change_bound,
            segment_sums_.data(),
            totals_.data(),
            iteration_.data()};
  }

  void start(const Iteration& iteration) {
    cuda::fill_bytes(totals_.data(), 0, 1, stream_);
    cuda::copy(iteration_.data(), &iteration, 1, stream_);
    cuda::launch(stream_, launch_.blocks, launch_.threads, 0, start_sweeps,
                 given_.start(parameters_.update.weight_sums, contributions_.data()), n_,
                 totals_.data()->copies[0]);
  }

  [[nodiscard]] int sweeps_per_launch() const {
    const double seconds = least_seconds_per_sweep +
                           static_cast<double>(parameters_.transposed.n_arcs) / arcs_per_second +
                           static_cast<double>(n_) / vertices_per_second;
    return std::max(1, static_cast<int>(max_seconds_per_launch / seconds));
  }

  const PageRankOptions& options_;
  const cuda::Stream& stream_;
  const std::int64_t n_;
  const std::shared_ptr<const SweepStructure> structure_;
  const GivenVectors given_;
  const cuda::DeviceBuffer<double> contributions_;
  const cuda::DeviceBuffer<double> segment_sums_;
  const cuda::DeviceBuffer<SweepTotals> totals_;
  const cuda::DeviceBuffer<Iteration> iteration_;
  SweepParameters parameters_;
  const SweepLaunch<RunKernels::Kernel> launch_;
};

/// Returns whether there is also memory for a graph in another order.
bool require_memory(const AnyCsrView& transposed, const PageRankVectors& vectors,
                    const PageRankOptions& options, PageRankScores scores, Device device) {
  const std::size_t n = scores.items.size();
  const std::size_t own_items = (scores.on_device ? 3 : 4) * n;
  const std::size_t needed = GivenVectors::bytes(vectors, n) + own_items * sizeof(double) +
                             sizeof(SweepTotals) + cuda::RowClasses::bytes_needed(transposed);
  const MemoryBudget budget = options.budget.on(device);
  budget.require("PageRank", needed,
                 "use device=\"cpu\", or clear() graphs that are no longer needed");
  if (transposed.n_vertices < options.least_renumbered) return false;
  // There is one vector at a time in both orders.
  return budget.has(needed + n * sizeof(double) + cuda::RenumberedGraph::bytes_needed(transposed));
}

PageRankResult run_on_device(const Problem& problem, const PageRankVectors& vectors,
                             const PageRankOptions& options, PageRankScores scores,
                             const cuda::Stream& stream) {
  const bool may_renumber =
      require_memory(problem.transposed, vectors, options, scores, stream.device());
  DeviceSweeps sweeps(problem, vectors, options, may_renumber, stream);
  const cuda::MapWhileWaiting pages(scores.items);
  const Iteration last = sweeps.run();
  const cuda::DeviceBuffer<double> own(scores.on_device ? 0 : scores.items.size(), stream);
  double* const on_device = scores.on_device ? scores.items.data() : own.data();
  sweeps.write_scores(last, on_device);
  if (scores.on_device) {
    stream.synchronize();
  } else {
    cuda::copy_out(scores.items.data(), on_device, scores.items.size(), stream);
  }
  return {last.sweeps, last.change, last.has_converged};
}

}  // namespace
}  // namespace pagerank

template <class W>
PageRankResult pagerank_cuda(const CsrView<W>& transposed, const PageRankVectors& vectors,
                             const PageRankOptions& options, PageRankScores scores,
                             const cuda::Stream& stream) {
  using namespace pagerank;
  return run_on_device(Problem(transposed), vectors, options, scores, stream);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(pagerank_cuda)

}  // namespace warpgraph
