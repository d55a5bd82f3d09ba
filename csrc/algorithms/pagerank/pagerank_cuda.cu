#include "algorithms/pagerank/pagerank.hpp"
#include "algorithms/pagerank/sweep_kernels.cuh"
#include "core/cuda/memory/derived_cache.hpp"
#include "core/cuda/memory/staging.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"

#include <optional>

namespace warpgraph {
namespace pagerank {
namespace {

/// The host polls for Ctrl-C between launches, so the sweeps of one take less time than this.
constexpr double most_seconds_per_launch = 0.05;
/// A lower bound of the arcs per second of a sweep, and of the vertices: where no cache holds the
/// contributions, an H200 reads 4e10 of them in random order.
constexpr double arcs_per_second = 2e10;
constexpr double vertices_per_second = 2e10;
/// What grid barriers and latencies take at least.
constexpr double least_seconds_per_sweep = 4e-6;

struct DiffersFromDegree {
  const double* weight_sums;
  CsrPattern graph;
  unsigned int* differs;
  __device__ void operator()(std::int64_t v) const {
    const auto degree = static_cast<double>(graph.degree(static_cast<vertex_t>(v)));
    if (weight_sums[v] != degree) relaxed_store(*differs, 1u);
  }
};

/// What sweeps over the transposed graph need beside it, and calls with the same graph share.
class SweepStructure {
 public:
  SweepStructure(const CsrPattern& transposed, bool weighted, std::span<const double> weight_sums,
                 std::int64_t blocks, const cuda::Stream& stream)
      : rows_(transposed, blocks, stream), weight_sums_(cuda::to_device(weight_sums, stream)) {
    if (weighted) return;
    const cuda::DeviceBuffer<unsigned int> differs(1, stream);
    cuda::fill_bytes(differs.data(), 0, 1, stream);
    cuda::for_each(stream, transposed.n_vertices,
                   DiffersFromDegree{weight_sums_.data(), transposed, differs.data()});
    if (cuda::read_back(differs.data(), stream) == 0) weight_sums_ = {};
  }

  [[nodiscard]] const cuda::RowPartition& rows() const noexcept { return rows_; }
  /// Of the transposed graph.
  [[nodiscard]] WeightSums weight_sums(const CsrPattern& transposed) const noexcept {
    return {weight_sums_.data(), transposed.offsets};
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return rows_.bytes() + weight_sums_.bytes(); }

 private:
  cuda::RowPartition rows_;
  cuda::DeviceBuffer<double> weight_sums_;
};

template <class Value>
class DeviceSweeps {
 public:
  DeviceSweeps(const CsrPattern& transposed, const Value& value, bool weighted,
               const PageRankVectors& vectors, const PageRankOptions& options,
               const cuda::Stream& stream)
      : transposed_(transposed),
        options_(options),
        stream_(stream),
        n_(transposed.n_vertices),
        blocks_(cuda::resident_blocks(stream, run_sweeps<Value>, threads, 0)),
        structure_(structure(weighted, vectors.weight_sums)),
        personalization_(cuda::to_device(vectors.personalization, stream)),
        dangling_(cuda::to_device(vectors.dangling, stream)),
        start_(cuda::to_device(vectors.start, stream)),
        contributions_(2 * static_cast<std::size_t>(n_), stream),
        segment_sums_(static_cast<std::size_t>(rows().n_segments), stream),
        totals_(1, stream),
        outcome_(1, stream),
        parameters_(parameters(value)) {}

  PageRankResult run() {
    start();
    PageRankResult result;
    while (!result.converged && result.sweeps < options_.max_sweeps) {
      report_progress(result.sweeps, options_.max_sweeps);
      const auto last = std::min<std::int64_t>(options_.max_sweeps,
                                               std::int64_t{result.sweeps} + sweeps_per_launch());
      cuda::launch_cooperative(stream_, blocks_in_use(), cuda::threads_per_block, 0,
                               run_sweeps<Value>, parameters_, result.sweeps,
                               static_cast<int>(last));
      const Outcome outcome = cuda::read_back(outcome_.data(), stream_);
      result = {outcome.sweeps, outcome.change, outcome.has_converged != 0};
    }
    report_progress(options_.max_sweeps, options_.max_sweeps);
    return result;
  }

  /// Of device memory. Asynchronous.
  void write_scores(int sweeps, double* scores) const {
    const Scores write{parameters_.update.weight_sums, parameters_.contributions[sweeps % 2],
                       scores};
    cuda::for_each(stream_, n_, write);
  }

 private:
  [[nodiscard]] std::shared_ptr<const SweepStructure> structure(
      bool weighted, std::span<const double> weight_sums) const {
    const auto make = [&](const cuda::Stream& stream) {
      return SweepStructure(transposed_, weighted, weight_sums, blocks_, stream);
    };
    if (options_.derived == nullptr) return std::make_shared<const SweepStructure>(make(stream_));
    return options_.derived->get<SweepStructure>(weighted ? 1 : 0, make);
  }

  [[nodiscard]] cuda::RowPartition::View rows() const { return structure_->rows().view(); }

  [[nodiscard]] SweepParameters<Value> parameters(const Value& value) const {
    const Distribution personalization = distribution(personalization_.data(), n_);
    const Update update{
        personalization,
        dangling_.size() == 0 ? personalization : distribution(dangling_.data(), n_),
        structure_->weight_sums(transposed_), options_.alpha, 1 - options_.alpha};
    return {transposed_,
            rows(),
            value,
            update,
            {contributions_.data(), contributions_.data() + n_},
            static_cast<double>(n_) * options_.tolerance,
            segment_sums_.data(),
            totals_.data(),
            outcome_.data()};
  }

  void start() {
    cuda::fill_bytes(totals_.data(), 0, 1, stream_);
    const Start start{distribution(start_.data(), n_), parameters_.update.weight_sums,
                      contributions_.data()};
    cuda::launch(stream_, std::min(blocks_, (n_ + threads - 1) / threads), cuda::threads_per_block,
                 0, start_sweeps, start, n_, totals_.data());
  }

  /// One per item of work of a sweep, if not more than can run concurrently.
  [[nodiscard]] std::int64_t blocks_in_use() const {
    const cuda::RowPartition::View rows = this->rows();
    return std::clamp<std::int64_t>(rows.n_ranges + rows.n_segments, 1, blocks_);
  }

  [[nodiscard]] int sweeps_per_launch() const {
    const double seconds = least_seconds_per_sweep +
                           static_cast<double>(transposed_.n_arcs) / arcs_per_second +
                           static_cast<double>(n_) / vertices_per_second;
    return std::max(1, static_cast<int>(most_seconds_per_launch / seconds));
  }

  const CsrPattern transposed_;
  const PageRankOptions& options_;
  const cuda::Stream& stream_;
  const std::int64_t n_;
  const std::int64_t blocks_;  // that run concurrently
  const std::shared_ptr<const SweepStructure> structure_;
  const cuda::DeviceBuffer<double> personalization_;
  const cuda::DeviceBuffer<double> dangling_;
  const cuda::DeviceBuffer<double> start_;
  const cuda::DeviceBuffer<double> contributions_;
  const cuda::DeviceBuffer<double> segment_sums_;
  const cuda::DeviceBuffer<SweepTotals> totals_;
  const cuda::DeviceBuffer<Outcome> outcome_;
  const SweepParameters<Value> parameters_;
};

void require_memory(const CsrPattern& transposed, const PageRankVectors& vectors,
                    const PageRankOptions& options, PageRankScores scores, Device device) {
  const std::size_t n = scores.items.size();
  const std::size_t vector_items = vectors.personalization.size() + vectors.dangling.size() +
                                   vectors.start.size() + vectors.weight_sums.size();
  const std::size_t own_items = (scores.on_device ? 2 : 3) * n;
  MemoryBudget(device, options.memory_limit)
      .require("PageRank",
               (vector_items + own_items) * sizeof(double) + sizeof(SweepTotals) +
                   cuda::RowPartition::bytes_needed(transposed),
               "use device=\"cpu\", or clear() graphs that are no longer needed");
}

template <class Value>
PageRankResult run_on_device(const CsrPattern& transposed, const Value& value, bool weighted,
                             const PageRankVectors& vectors, const PageRankOptions& options,
                             PageRankScores scores, const cuda::Stream& stream) {
  DeviceSweeps<Value> sweeps(transposed, value, weighted, vectors, options, stream);
  const PageRankResult result = sweeps.run();
  const cuda::DeviceBuffer<double> own(scores.on_device ? 0 : scores.items.size(), stream);
  double* const on_device = scores.on_device ? scores.items.data() : own.data();
  sweeps.write_scores(result.sweeps, on_device);
  if (scores.on_device) {
    stream.synchronize();
  } else {
    cuda::copy_out(scores.items.data(), on_device, scores.items.size(), stream);
  }
  return result;
}

}  // namespace
}  // namespace pagerank

template <class W>
PageRankResult pagerank_cuda(const CsrView<W>& transposed, const PageRankVectors& vectors,
                             const PageRankOptions& options, PageRankScores scores,
                             const cuda::Stream& stream) {
  using namespace pagerank;
  require_memory(transposed, vectors, options, scores, stream.device());
  if (transposed.weights == nullptr) {
    return run_on_device(transposed, ReceivedUnweighted{nullptr}, false, vectors, options, scores,
                         stream);
  }
  return run_on_device(transposed, Received<W>{nullptr, transposed.weights}, true, vectors, options,
                       scores, stream);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(pagerank_cuda)

}  // namespace warpgraph
