#include "algorithms/pagerank/pagerank.hpp"
#include "algorithms/pagerank/sweep.hpp"
#include "core/cuda/memory/derived_cache.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"
#include "primitives/row_reduction/device_row_reduction.cuh"

#include <optional>

namespace warpgraph {
namespace pagerank {
namespace {

/// Sweeps that may be launched before the result of the first of them is known.
constexpr int most_in_flight = 2;

struct SweepState {
  Totals totals;               // of the last sweep
  unsigned int has_converged;  // then later sweeps change nothing
};

/// Calls visit(v, mass) for every vertex. A warp adds the totals of a block of vertices.
template <class Visit>
__global__ void visit_vertices(Visit visit, std::int64_t n_vertices, const SweepState* state,
                               Totals* block_totals) {
  const std::int64_t block = cuda::global_index() / cuda::warp_lanes;
  const std::int64_t first = block * block_vertices;
  if (first >= n_vertices || state->has_converged != 0) return;
  const double mass = state->totals.mass;
  const std::int64_t last = min(first + block_vertices, n_vertices);
  Totals sum{0, 0};
#pragma unroll 4
  for (std::int64_t v = first + cuda::lane(); v < last; v += block_lanes) {
    sum = sum + visit(v, mass);
  }
  for (int step = block_lanes / 2; step > 0; step /= 2) {
    const double change = __shfl_down_sync(cuda::all_lanes, sum.change, step);
    const double other_mass = __shfl_down_sync(cuda::all_lanes, sum.mass, step);
    sum = sum + Totals{change, other_mass};
  }
  if (cuda::lane() == 0) block_totals[block] = sum;
}

/// One block of total_lanes threads.
__global__ void add_block_totals(const Totals* block_totals, std::int64_t n_blocks,
                                 double tolerance, SweepState* state) {
  __shared__ double changes[total_lanes];
  __shared__ double masses[total_lanes];
  if (state->has_converged != 0) return;
  const auto thread = static_cast<int>(threadIdx.x);
  Totals sum{0, 0};
  for (std::int64_t b = thread; b < n_blocks; b += total_lanes) sum = sum + block_totals[b];
  changes[thread] = sum.change;
  masses[thread] = sum.mass;
  for (int step = total_lanes / 2; step > 0; step /= 2) {
    __syncthreads();
    if (thread < step) {
      changes[thread] += changes[thread + step];
      masses[thread] += masses[thread + step];
    }
  }
  // Every thread has read the state before the barriers above.
  if (thread == 0) *state = {{changes[0], masses[0]}, changes[0] < tolerance ? 1u : 0u};
}

/// What sweeps over the transposed graph need beside it, and calls with the same graph share.
class SweepStructure {
 public:
  SweepStructure(const CsrPattern& transposed, std::span<const double> inverse_sums,
                 const cuda::Stream& stream)
      : long_rows_(transposed, stream), inverse_sums_(cuda::to_device(inverse_sums, stream)) {}

  [[nodiscard]] const cuda::LongRows& long_rows() const noexcept { return long_rows_; }
  [[nodiscard]] const double* inverse_sums() const noexcept { return inverse_sums_.data(); }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return long_rows_.bytes() + inverse_sums_.bytes();
  }

 private:
  cuda::LongRows long_rows_;
  cuda::DeviceBuffer<double> inverse_sums_;
};

template <class W>
class DeviceSweeps {
 public:
  DeviceSweeps(const CsrView<W>& transposed, const PageRankVectors& vectors,
               const PageRankOptions& options, PageRankScores scores, const cuda::Stream& stream)
      : transposed_(transposed),
        options_(options),
        stream_(stream),
        n_(transposed.n_vertices),
        structure_(structure(vectors.inverse_sums)),
        personalization_(cuda::to_device(vectors.personalization, stream)),
        dangling_(cuda::to_device(vectors.dangling, stream)),
        start_(cuda::to_device(vectors.start, stream)),
        own_scores_(scores.on_device ? 0 : scores.items.size(), stream),
        scores_(scores.on_device ? scores.items.data() : own_scores_.data()),
        received_(scores.items.size(), stream),
        contributions_(scores.items.size(), stream),
        block_totals_(static_cast<std::size_t>(blocks_of(n_)), stream),
        state_(1, stream),
        states_(most_in_flight) {
    for (auto& event : finished_) event.emplace(stream.device(), cudaEventDisableTiming);
  }

  PageRankResult run() {
    start();
    PageRankResult result;
    double before = 0;
    int launched = 0;
    while (!result.converged && result.sweeps < options_.max_sweeps) {
      // The device works on a sweep while the host looks at the one before. The change falls about
      // by the same factor each time; a sweep that would come after the last one is not launched.
      const bool next_is_last =
          result.sweeps > 1 && result.change * result.change < before * tolerance();
      const int in_flight = next_is_last ? 1 : most_in_flight;
      while (launched < std::min(result.sweeps + in_flight, options_.max_sweeps)) {
        launch_sweep(launched++);
      }
      report_progress(result.sweeps, options_.max_sweeps);
      const SweepState state = wait_for_sweep(result.sweeps);
      before = result.change;
      result = {result.sweeps + 1, state.totals.change, state.has_converged != 0};
    }
    report_progress(options_.max_sweeps, options_.max_sweeps);
    return result;
  }

  [[nodiscard]] const double* scores() const noexcept { return scores_; }

 private:
  [[nodiscard]] std::shared_ptr<const SweepStructure> structure(
      std::span<const double> inverse_sums) const {
    const auto make = [&](const cuda::Stream& stream) {
      return SweepStructure(transposed_, inverse_sums, stream);
    };
    if (options_.derived == nullptr) return std::make_shared<const SweepStructure>(make(stream_));
    const std::uint64_t variant = transposed_.weights == nullptr ? 0 : 1;
    return options_.derived->get<SweepStructure>(variant, make);
  }

  [[nodiscard]] double tolerance() const { return static_cast<double>(n_) * options_.tolerance; }

  void start() {
    // A tolerance of 0 is above no change, so the first scores never count as converged.
    cuda::fill_bytes(state_.data(), 0, 1, stream_);
    visit(Start{distribution(start_.data(), n_), structure_->inverse_sums(), scores_,
                contributions_.data()},
          0);
  }

  void launch_sweep(int sweep) {
    if (transposed_.weights == nullptr) {
      receive(ReceivedUnweighted{contributions_.data()});
    } else {
      receive(Received<W>{contributions_.data(), transposed_.weights});
    }
    visit(update(), tolerance());
    const int slot = sweep % most_in_flight;
    cuda::copy(&states_[static_cast<std::size_t>(slot)], state_.data(), 1, stream_);
    finished_[slot]->record(stream_.get());
  }

  template <class Value>
  void receive(const Value& value) {
    cuda::reduce_rows(stream_, transposed_, structure_->long_rows(), value, Add{}, 0.0,
                      received_.data());
  }

  template <class Visit>
  void visit(const Visit& visit, double tolerance) {
    const std::int64_t n_blocks = blocks_of(n_);
    cuda::launch_for(stream_, n_blocks * cuda::warp_lanes, visit_vertices<Visit>, visit, n_,
                     state_.data(), block_totals_.data());
    cuda::launch(stream_, 1, total_lanes, 0, add_block_totals, block_totals_.data(), n_blocks,
                 tolerance, state_.data());
  }

  [[nodiscard]] Update update() const {
    const Distribution personalization = distribution(personalization_.data(), n_);
    return {personalization,
            dangling_.size() == 0 ? personalization : distribution(dangling_.data(), n_),
            structure_->inverse_sums(),
            received_.data(),
            scores_,
            contributions_.data(),
            options_.alpha,
            1 - options_.alpha};
  }

  SweepState wait_for_sweep(int sweep) {
    const int slot = sweep % most_in_flight;
    finished_[slot]->synchronize();
    return states_[static_cast<std::size_t>(slot)];
  }

  const CsrView<W> transposed_;
  const PageRankOptions& options_;
  const cuda::Stream& stream_;
  const std::int64_t n_;
  const std::shared_ptr<const SweepStructure> structure_;
  const cuda::DeviceBuffer<double> personalization_;
  const cuda::DeviceBuffer<double> dangling_;
  const cuda::DeviceBuffer<double> start_;
  const cuda::DeviceBuffer<double> own_scores_;
  double* const scores_;
  const cuda::DeviceBuffer<double> received_;
  const cuda::DeviceBuffer<double> contributions_;
  const cuda::DeviceBuffer<Totals> block_totals_;
  const cuda::DeviceBuffer<SweepState> state_;
  const cuda::PinnedBuffer<SweepState> states_;  // of the sweeps in flight
  std::array<std::optional<cuda::Event>, most_in_flight> finished_;
};

void require_memory(const CsrPattern& transposed, const PageRankVectors& vectors,
                    const PageRankOptions& options, PageRankScores scores, Device device) {
  const std::size_t n = scores.items.size();
  const std::size_t vector_items = vectors.personalization.size() + vectors.dangling.size() +
                                   vectors.start.size() + vectors.inverse_sums.size();
  const std::size_t own_items = (scores.on_device ? 2 : 3) * n;
  MemoryBudget(device, options.memory_limit)
      .require("PageRank",
               (vector_items + own_items) * sizeof(double) +
                   static_cast<std::size_t>(blocks_of(transposed.n_vertices)) * sizeof(Totals) +
                   cuda::LongRows::bytes_needed(transposed),
               "use device=\"cpu\", or clear() graphs that are no longer needed");
}

}  // namespace
}  // namespace pagerank

template <class W>
PageRankResult pagerank_cuda(const CsrView<W>& transposed, const PageRankVectors& vectors,
                             const PageRankOptions& options, PageRankScores scores,
                             const cuda::Stream& stream) {
  pagerank::require_memory(transposed, vectors, options, scores, stream.device());
  pagerank::DeviceSweeps<W> sweeps(transposed, vectors, options, scores, stream);
  const PageRankResult result = sweeps.run();
  if (!scores.on_device) {
    cuda::copy(scores.items.data(), sweeps.scores(), scores.items.size(), stream);
  }
  stream.synchronize();
  return result;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(pagerank_cuda)

}  // namespace warpgraph
