// The kernel of near-far search and the host's part of it. near_far_cuda.cu explains them.
#pragma once

#include "algorithms/sssp/device_searches.hpp"
#include "algorithms/sssp/near_far/block_search.cuh"
#include "core/cuda/for_each.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/interrupt.hpp"
#include "core/memory/host_vector.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <cmath>

namespace warpgraph::shortest_paths {

/// Threads of the one block on a multiprocessor, as many as can have 128 registers each: more
/// threads would have fewer. With four arcs per thread, these threads have more loads in flight
/// than memory can serve (2048 per microsecond and multiprocessor are 270 G/s, a gather achieves
/// 160).
inline constexpr unsigned max_threads = 512;

/// The budget of a launch, in arcs. Even at 10 G arcs/s, a tenth of an H200's rate, that is 50 ms.
inline constexpr std::int64_t arcs_per_launch = std::int64_t{1} << 29;

template <class W>
__global__ void __launch_bounds__(max_threads, 1) search_near_far(NearFarView<W> view) {
  __shared__ BlockMemory<W> block;
  BlockSearch<W>(view, block).run();
}

/// Makes the sources near; nothing is settled. One block runs it.
template <class W>
__global__ void start_search(NearFarView<W> view, DeviceSources sources, W width) {
  for (std::int64_t i = threadIdx.x; i < sources.n; i += blockDim.x) {
    view.near_even.store(i, sources.at(i), W{0});
  }
  if (threadIdx.x != 0) return;
  NearFarCounters<W> counters{};
  counters.near[0] = static_cast<unsigned long long>(sources.n);
  counters.min_far[0] = infinity<W>();
  *view.counters = counters;
  NearFarState<W> state{};
  state.last_split = -1;
  state.settled = W{-1};
  state.width = state.threshold = width;
  state.far_is_listed = true;
  *view.state = state;
}

/// The capacities of lists. A list need not hold all vertices, but a longer one overflows less
/// often.
struct Capacities {
  std::int64_t near, far, chunks;

  explicit Capacities(const CsrPattern& graph) {
    const auto n = std::int64_t{graph.n_vertices};
    const std::int64_t min_capacity = std::min<std::int64_t>(n, 1024);
    near = std::max(min_capacity, n / 2);
    far = std::max(min_capacity, n / 4);
    chunks = std::clamp<std::int64_t>(graph.n_arcs / (arcs_per_chunk / 2), 64, 1 << 20);
  }
  [[nodiscard]] std::size_t items() const { return static_cast<std::size_t>(2 * (near + far)); }
};

template <class W>
double mean_degree(const CsrView<W>& graph) {
  return std::max(1.0, static_cast<double>(graph.n_arcs) / graph.n_vertices);
}

/// Returns the width of the near window, in mean weights. A narrow window takes many steps, a wide
/// one relaxes vertices repeatedly; fused hops make the latter cheap, so the best width is many
/// times that of CPU cores. Measured on an H200: for grids of 1 M, 4 M and 24 M vertices 64 to 96,
/// 32 to 64 and 8 to 26, since in a larger graph more vertices are near at the same width; for road
/// networks, in which fewer are near, 128 or more. Of degree 30, rows of cliques need 0.5 to 1 and
/// R-MAT graphs less than 0.1; but a window that proves too narrow is widened, so the cliques lose
/// little by the smaller width.
inline double mean_weights_per_window(double n_vertices, double degree) {
  const double few = 4 / degree;
  return std::min(256.0,
                  90000 / std::sqrt(n_vertices) * (few < 1 ? few * few * few * few : few * few));
}

/// Returns the hops that a block runs between two grid barriers. If rows are short, it can relax
/// many vertices before it has to share them; if rows are long, the decreases by other blocks are
/// worth more than a barrier costs.
inline int fused_hops_for(const CsrPattern& graph) { return graph.has_low_degree() ? 24 : 4; }

template <class W>
struct GatherSample {
  const W* weights;
  SampledArcs arcs;
  W* sample;
  __device__ void operator()(std::int64_t i) const { sample[i] = weights[arcs[i]]; }
};

/// Returns trimmed_mean_weight() of a graph on the device. Waits.
template <class W>
double trimmed_mean_weight_on(const cuda::Stream& stream, const CsrView<W>& graph) {
  const SampledArcs arcs(graph.n_arcs);
  const auto n = static_cast<std::size_t>(arcs.size());
  const cuda::DeviceBuffer<W> sample(n, stream);
  cuda::for_each(stream, arcs.size(), GatherSample<W>{graph.weights, arcs, sample.data()});
  const auto on_host = cuda::to_host<HostVector<W>>(sample.data(), n, stream);
  return trimmed_mean(std::span<const W>(on_host));
}

/// Returns trimmed_mean_weight(host), also if only the device has the weights.
template <class W>
double mean_weight(const cuda::Stream& stream, const CsrView<W>& graph, const CsrView<W>& host) {
  const bool is_on_device = host.weights == nullptr && graph.weights != nullptr;
  return is_on_device ? trimmed_mean_weight_on(stream, graph) : trimmed_mean_weight(host);
}

template <class W>
W width_of(double mean, const CsrView<W>& host, double asked_for) {
  const double width = asked_for > 0 ? asked_for
                       : mean == 0
                           ? 1.0
                           : mean * mean_weights_per_window(host.n_vertices, mean_degree(host));
  if constexpr (std::is_integral_v<W>) {
    constexpr auto largest = static_cast<double>(infinity<W>() / 2);
    return static_cast<W>(std::clamp(width, 1.0, largest));
  } else {
    constexpr auto largest = static_cast<double>(std::numeric_limits<W>::max());
    constexpr auto smallest = static_cast<double>(std::numeric_limits<W>::min());
    return static_cast<W>(std::clamp(width, smallest, largest));
  }
}

/// Settings that change the time of a search and not its result. Experiments vary them.
struct NearFarTuning {
  double width = 0;     // of the near window; 0: derived from weights and degrees
  int fused_hops = -1;  // that a block may run between two grid barriers; -1: derived from degrees
  int threads = 512;    // per block: 32, 64, ... 512
  int blocks = 0;       // upper bound; 0: as many as can be resident
};

template <class W>
class NearFarSearch {
 public:
  /// `targets` are those of the options on the device; nullptr: they do not end the search.
  NearFarSearch(const cuda::Stream& stream, const CsrView<W>& graph, const CsrView<W>& host,
                const SsspOptions<W>& options, const NearFarTuning& tuning, const vertex_t* targets,
                W* distances)
      : stream_(stream),
        tuning_(tuning),
        capacities_(host),
        vertices_(capacities_.items(), stream),
        values_(capacities_.items(), stream),
        chunks_(static_cast<std::size_t>(capacities_.chunks), stream),
        counters_(1, stream),
        state_(1, stream),
        width_(width_of(mean_weight(stream, graph, host), host, tuning.width)) {
    view_.graph = graph;
    view_.distances = distances;
    view_.limit = options.limit;
    view_.fused_hops = tuning.fused_hops >= 0 ? tuning.fused_hops : fused_hops_for(host);
    view_.budget = arcs_per_launch;
    view_.targets = targets;
    view_.n_targets = targets == nullptr ? 0 : std::ssize(options.targets);
    lay_out_lists();
  }

  void run(DeviceSources sources) {
    start(sources);
    for (NearFarState<W> state{}; !state.is_done;) {
      launch();
      state = cuda::read_back(state_.data(), stream_);
      report_progress(std::min<std::int64_t>(state.n_relaxed, view_.graph.n_vertices),
                      view_.graph.n_vertices);
    }
  }

  // The steps of run() are asynchronous; between them, other kernels may change the state.

  void start(DeviceSources sources) {
    cuda::launch(stream_, 1, 256, 0, start_search<W>, view_, sources, width_);
    blocks_ = cuda::resident_blocks(stream_, search_near_far<W>, threads(), 0);
    if (tuning_.blocks > 0) blocks_ = std::min<std::int64_t>(blocks_, tuning_.blocks);
  }
  void launch() const {
    cuda::launch_cooperative(stream_, blocks_, threads(), 0, search_near_far<W>, view_);
  }
  [[nodiscard]] const NearFarView<W>& view() const { return view_; }
  /// Makes launches split only where the state allows it.
  void set_in_rounds() { view_.in_rounds = true; }

 private:
  [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(tuning_.threads); }

  void lay_out_lists() {
    std::int64_t first = 0;
    const auto take = [&](std::int64_t capacity) {
      const ItemList<W> list{vertices_.data() + first, values_.data() + first, capacity};
      first += capacity;
      return list;
    };
    view_.near_even = take(capacities_.near);
    view_.near_odd = take(capacities_.near);
    view_.far_even = take(capacities_.far);
    view_.far_odd = take(capacities_.far);
    view_.chunks = chunks_.data();
    view_.chunk_capacity = capacities_.chunks;
    view_.counters = counters_.data();
    view_.state = state_.data();
  }

  const cuda::Stream& stream_;
  const NearFarTuning tuning_;
  const Capacities capacities_;
  cuda::DeviceBuffer<vertex_t> vertices_;
  cuda::DeviceBuffer<W> values_;
  cuda::DeviceBuffer<LongRowChunk> chunks_;
  cuda::DeviceBuffer<NearFarCounters<W>> counters_;
  cuda::DeviceBuffer<NearFarState<W>> state_;
  const W width_;
  std::int64_t blocks_ = 0;
  NearFarView<W> view_;
};

}  // namespace warpgraph::shortest_paths
