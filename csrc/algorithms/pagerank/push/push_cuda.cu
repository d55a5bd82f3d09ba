#include "algorithms/pagerank/push/push.hpp"
#include "algorithms/pagerank/push/push_kernels.cuh"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/for_each.cuh"
#include "core/cuda/memory/derived_cache.hpp"
#include "core/interrupt.hpp"

namespace warpgraph {
namespace pagerank {
namespace {

/// The cost of a launch, in atomic additions, of which a device makes 3e9 a second: launches take
/// less than a tenth of a second, so that the host polls for Ctrl-C in between.
constexpr std::int64_t cost_per_launch = std::int64_t{1} << 28;

/// The weight sums on the device, which calls with the same graph share.
template <class W>
struct DeviceWeightSums {
  cuda::DeviceBuffer<double> items;
  [[nodiscard]] std::size_t bytes() const noexcept { return items.bytes(); }
};

/// A distribution with its copy on the device.
class DeviceSupport {
 public:
  DeviceSupport(const SparseDistribution& from, vertex_t n_vertices, const cuda::Stream& stream)
      : vertices_(cuda::to_device(from.vertices, stream)),
        values_(cuda::to_device(from.values, stream)),
        support_(from, vertices_.data(), values_.data(), n_vertices) {}
  [[nodiscard]] const Support& support() const noexcept { return support_; }

 private:
  const cuda::DeviceBuffer<vertex_t> vertices_;
  const cuda::DeviceBuffer<double> values_;
  const Support support_;
};

/// A function that replaces what was pushed by the score of a vertex.
template <class W>
struct WritePushScores {
  PushView<W> numbers;
  PushState state;
  __device__ void operator()(std::int64_t v) const {
    numbers.scores[v] = state.score(numbers.scores[v], numbers.residuals[v]);
  }
};

std::size_t max_chunks(const CsrPattern& graph) {
  return static_cast<std::size_t>(graph.n_vertices + graph.n_arcs / device_chunk_arcs);
}

template <class W>
class DevicePush {
 public:
  /// Prepares pushes. `scores` are in device memory.
  DevicePush(const CsrView<W>& graph, const PushVectors& vectors, const PushOptions& options,
             double* scores, const cuda::Stream& stream)
      : stream_(stream),
        n_(graph.n_vertices),
        personalization_(vectors.personalization, graph.n_vertices, stream),
        dangling_(vectors.dangling, graph.n_vertices, stream),
        weight_sums_(weight_sums(graph, vectors.weight_sums, options)),
        residuals_(static_cast<std::size_t>(n_), stream),
        reached_(static_cast<std::size_t>(n_), stream),
        chunks_(max_chunks(graph), stream),
        progress_on_device_(1, stream),
        view_{{graph, weight_sums_ ? weight_sums_->items.data() : nullptr, options.alpha,
               residuals_.data(), scores},
              dangling_.support(),
              PushLimits(options),
              {reached_.data(), &progress_on_device_.data()->counters.reached, n_},
              chunks_.data(),
              progress_on_device_.data()} {}

  PushResult run() {
    start();
    const std::int64_t blocks =
        std::min(cuda::multiprocessors(stream_),
                 cuda::resident_blocks(stream_, run_rounds<W>, push_threads, 0));
    while (!view_.limits.has_ended(progress_.state)) {
      report_progress(progress_.state.rounds, view_.limits.max_rounds);
      cuda::launch_cooperative(stream_, blocks, threads_in_use(blocks), 0, run_rounds<W>, view_,
                               progress_, progress_.state.cost() + cost_per_launch);
      progress_ = cuda::read_back(progress_on_device_.data(), stream_);
    }
    const PushResult result = view_.limits.result(progress_.state);
    if (progress_.state.pool > 0) spread(view_.dangling);
    cuda::for_each(stream_, n_, WritePushScores<W>{view_.numbers, progress_.state});
    report_progress(view_.limits.max_rounds, view_.limits.max_rounds);
    return result;
  }

 private:
  std::shared_ptr<const DeviceWeightSums<W>> weight_sums(const CsrView<W>& graph,
                                                         std::span<const double> given,
                                                         const PushOptions& options) const {
    if (graph.weights == nullptr) return nullptr;
    const auto make = [&](const cuda::Stream& stream) {
      return DeviceWeightSums<W>{cuda::to_device(given, stream)};
    };
    if (options.derived == nullptr) {
      return std::make_shared<const DeviceWeightSums<W>>(make(stream_));
    }
    return options.derived->get<DeviceWeightSums<W>>(0, make);
  }

  void start() {
    cuda::fill_bytes(residuals_.data(), 0, residuals_.size(), stream_);
    cuda::fill_bytes(view_.numbers.scores, 0, residuals_.size(), stream_);
    cuda::fill_bytes(progress_on_device_.data(), 0, 1, stream_);
    spread(personalization_.support());
  }

  /// Distributes the residual in the pool, which no vertex has, to the vertices of `to`.
  void spread(const Support& to) {
    const unsigned long long before = progress_.counters.spread;
    const std::int64_t blocks =
        std::min<std::int64_t>((to.size + cuda::threads_per_block - 1) / cuda::threads_per_block,
                               8 * cuda::multiprocessors(stream_));
    cuda::launch(stream_, blocks, cuda::threads_per_block, 0, spread_to<W>, view_, to,
                 progress_.state.pool);
    progress_.counters = cuda::read_back(&progress_on_device_.data()->counters, stream_);
    progress_.state.end_spread(static_cast<Units>(progress_.counters.spread - before), to.size);
  }

  /// Returns the number of threads per block: few for small graphs, so that these are spread over
  /// all multiprocessors.
  [[nodiscard]] unsigned threads_in_use(std::int64_t blocks) const {
    const std::int64_t n_warps = (n_ + cuda::warp_lanes - 1) / cuda::warp_lanes +
                                 view_.numbers.graph.n_arcs / device_chunk_arcs;
    const std::int64_t per_block = (n_warps + blocks - 1) / blocks;
    return static_cast<unsigned>(
               std::clamp<std::int64_t>(per_block, 1, push_threads / cuda::warp_lanes)) *
           cuda::warp_lanes;
  }

  const cuda::Stream& stream_;
  const std::int64_t n_;
  const DeviceSupport personalization_;
  const DeviceSupport dangling_;
  const std::shared_ptr<const DeviceWeightSums<W>> weight_sums_;
  const cuda::DeviceBuffer<Units> residuals_;
  const cuda::DeviceBuffer<vertex_t> reached_;
  const cuda::DeviceBuffer<FrontierChunk> chunks_;  // of the rows of the frontier
  const cuda::DeviceBuffer<PushProgress> progress_on_device_;
  const DevicePushView<W> view_;
  PushProgress progress_{first_push_state(), {}};
};

void require_memory(const CsrPattern& graph, const PushVectors& vectors, bool is_weighted,
                    const PushOptions& options, PageRankScores scores, Device device) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  const auto bytes_of = [](const SparseDistribution& d) {
    return d.vertices.size_bytes() + d.values.size_bytes();
  };
  const std::size_t numbers = (is_weighted ? 1 : 0) + (scores.on_device ? 0 : 1);
  options.budget.on(device).require(
      "PageRank by pushes",
      bytes_of(vectors.personalization) + bytes_of(vectors.dangling) +
          n * (sizeof(Units) + sizeof(vertex_t) + numbers * sizeof(double)) +
          max_chunks(graph) * sizeof(FrontierChunk),
      "use device=\"cpu\", or clear() graphs that are no longer needed");
}

}  // namespace
}  // namespace pagerank

template <class W>
PushResult pagerank_push_cuda(const CsrView<W>& graph, const PushVectors& vectors,
                              const PushOptions& options, PageRankScores scores,
                              const cuda::Stream& stream) {
  using namespace pagerank;
  require_memory(graph, vectors, graph.weights != nullptr, options, scores, stream.device());
  const cuda::DeviceBuffer<double> own(scores.on_device ? 0 : scores.items.size(), stream);
  double* const on_device = scores.on_device ? scores.items.data() : own.data();
  DevicePush<W> push(graph, vectors, options, on_device, stream);
  const cuda::MapWhileWaiting pages(scores.items);
  const PushResult result = push.run();
  if (scores.on_device) {
    stream.synchronize();
  } else {
    cuda::copy_out(scores.items.data(), on_device, scores.items.size(), stream);
  }
  return result;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(pagerank_push_cuda)

}  // namespace warpgraph
