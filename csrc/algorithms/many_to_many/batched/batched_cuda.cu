// Method batched on CUDA: several batches of 32 sources at once. batch_search.cuh has the search;
// this file chooses the order of vertices.
//
//   Graphs with hubs: none. Every vertex is near every other, a few rounds reach all.
//   Other graphs: by distances, so that a search may end early.
//
// Several batches on roads are searched by method dijkstra: one heap per warp is 2.5 times as fast
// for 1024 sources, even if neighbours form a batch and vertices are ordered by distances from its
// centre.
#include "algorithms/many_to_many/batched/batch_search.cuh"
#include "algorithms/many_to_many/batched/transpose_rows.cuh"
#include "algorithms/many_to_many/device_problem.hpp"
#include "algorithms/many_to_many/row_finisher.cuh"
#include "core/cuda/copies/row_copier.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/cub/as_bits.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"
#include "primitives/graph_shape.hpp"

#include <algorithm>
#include <limits>

namespace warpgraph::many_to_many_detail {
namespace {

constexpr std::int64_t batch_size = cuda::warp_lanes;
/// The most batches at a time: more do not fill the device any better.
constexpr std::int64_t max_batches = 64;
/// Arcs per launch, each relaxed for 32 sources: at 128 bytes or more each, a tenth of a second.
constexpr edge_t arcs_per_launch = edge_t{1} << 31;
/// Rounds per launch, at five microseconds or more each.
constexpr int rounds_per_launch = 1 << 13;
/// The mean weights by which the threshold rises. Half as many cost New York's roads a third more
/// rounds and save a tenth of the relaxations; a round is a barrier, 32 relaxations one access.
constexpr double weights_per_delta = 16;
constexpr edge_t mean_sample_size = 4096;

template <class W>
__global__ void search_batches(BatchSearchView<W> view, unsigned long long work,
                               unsigned long long items_per_slice, int max_rounds) {
  BatchSearchGrid<W>(view).run(work, items_per_slice, max_rounds);
}

/// Makes the sources near, at distance 0. The state must be 0; this sets its bounds.
template <class W>
__global__ void init_sources(BatchSearchView<W> view, const vertex_t* sources) {
  const std::int64_t i = cuda::global_index();
  BatchSearchState<W>& state = *view.state;
  if (i == 0) {
    state.far_min[0] = state.far_min[1] = infinity<W>();
    state.threshold = view.delta;
  }
  if (i >= view.n_sources) return;
  const auto batch = static_cast<item_t>(i / batch_size);
  const item_t item =
      batch * static_cast<item_t>(view.graph.n_vertices) + static_cast<item_t>(sources[i]);
  view.distances[static_cast<std::int64_t>(item) * batch_size + i % batch_size] = W{0};
  if (atomicOr(&view.near_masks[item], 1u << (i % batch_size)) == 0) {
    cuda::WorklistView<item_t>{view.near_lists[0], &state.near_count[0], view.n_items}.push(item);
  }
}

template <class Bits>
__global__ void gather_source(const Bits* from, std::int64_t n, Bits* to) {
  if (const std::int64_t i = cuda::global_index(); i < n) to[i] = from[i * batch_size];
}

template <class W>
W mean_weight_times(double factor, const CsrView<W>& graph) {
  if (graph.weights == nullptr) return static_cast<W>(factor);
  const edge_t step = graph.n_arcs / mean_sample_size + 1;
  double sum = 0;
  double n = 0;
  for (edge_t e = 0; e < graph.n_arcs; e += step) {
    if (graph.weights[e] == infinity<W>()) continue;
    sum += static_cast<double>(graph.weights[e]);
    n += 1;
  }
  const double wanted = n == 0 ? 0 : factor * sum / n;
  return wanted < static_cast<double>(infinity<W>()) ? static_cast<W>(wanted) : infinity<W>();
}

/// Returns the step of the threshold. With hubs every vertex is near every other, and deferring far
/// ones gains nothing.
template <class W>
W choose_delta(const CsrView<W>& graph) {
  if (find_hub(graph) != no_vertex) return infinity<W>();
  return mean_weight_times(weights_per_delta, graph);
}

/// The number of batches that are searched at a time, and of rows whose predecessors are found
/// together.
struct BatchPlan {
  std::int64_t batches = 1;
  std::int64_t rows_per_band = 0;  // a batch; 0: row by row
};

std::int64_t batches_of(std::int64_t n_sources) {
  return (n_sources + batch_size - 1) / batch_size;
}

/// Returns the most slices: a vertex of degree d > slice_arcs has fewer than 2 * d / slice_arcs.
std::int64_t max_slices(const CsrPattern& graph, std::int64_t n_batches) {
  return n_batches * (2 * graph.n_arcs / slice_arcs + 1);
}

template <class W>
std::size_t bytes_needed(const DeviceProblem<W>& problem, const BatchPlan& plan) {
  constexpr std::size_t bytes_per_item =
      batch_size * sizeof(W) + 2 * sizeof(unsigned) + 4 * sizeof(item_t);
  const std::int64_t n = problem.graph.n_vertices;
  const std::int64_t rows = problem.host.result.on_device ? 0 : batch_size * problem.n_columns();
  return static_cast<std::size_t>(plan.batches * n) * bytes_per_item +
         static_cast<std::size_t>(n + rows) * sizeof(W) +
         static_cast<std::size_t>(max_slices(problem.graph, plan.batches)) * sizeof(ArcSlice) +
         RowFinisher<W>::bytes_needed(problem, plan.rows_per_band);
}

/// Returns a plan for as many batches as fit into memory. If one does not, predecessors are found
/// row by row.
template <class W>
BatchPlan make_batch_plan(const DeviceProblem<W>& problem) {
  const std::int64_t indexable = std::numeric_limits<item_t>::max() / problem.graph.n_vertices;
  const MemoryBudget budget = problem.host.options.budget.on(problem.stream.device());
  const std::size_t available = budget.available();
  BatchPlan plan{1, choose_rows_per_band(problem.host) > 0 ? batch_size : 0};
  if (bytes_needed(problem, plan) > available) plan.rows_per_band = 0;
  plan.batches = std::min({batches_of(problem.host.n_rows()), indexable, max_batches});
  while (plan.batches > 1 && bytes_needed(problem, plan) > available) {
    plan.batches = (plan.batches + 1) / 2;
  }
  budget.require("searching from a batch of 32 sources", bytes_needed(problem, plan),
                 "use method=\"dijkstra\", or ask for a narrower dtype");
  return plan;
}

/// Launches searches from several batches at a time. Owns the memory that they need.
template <class W>
class BatchSearcher {
 public:
  BatchSearcher(const DeviceProblem<W>& problem, std::int64_t n_batches, const vertex_t* targets)
      : problem_(problem),
        stream_(problem.stream),
        targets_(targets),
        delta_(choose_delta(problem.host.graph)),
        n_items_(static_cast<std::size_t>(n_batches * problem.graph.n_vertices)),
        distances_(n_items_ * batch_size, stream_),
        masks_(2 * n_items_, stream_),
        lists_(4 * n_items_, stream_),
        slices_(static_cast<std::size_t>(max_slices(problem.graph, n_batches)), stream_),
        overflows_(static_cast<std::size_t>(n_batches * batch_size), stream_),
        host_overflows_(overflows_.size()),
        state_(1, stream_) {}

  /// Searches from n sources, which are on the device. The distances are complete on return.
  void run(const vertex_t* sources, std::int64_t n) {
    const BatchSearchView<W> view = view_for(n);
    cuda::fill(view.distances, infinity<W>(),
               batches_of(n) * problem_.graph.n_vertices * batch_size, stream_);
    cuda::fill_bytes(masks_.data(), 0, masks_.size(), stream_);
    cuda::fill_bytes(overflows_.data(), 0, overflows_.size(), stream_);
    cuda::fill_bytes(state_.data(), 0, 1, stream_);
    cuda::launch_for(stream_, n, init_sources<W>, view, sources);
    const std::int64_t blocks =
        cuda::resident_blocks(stream_, search_batches<W>, cuda::threads_per_block, 0);
    const auto arcs_per_item =
        static_cast<std::uint64_t>(problem_.graph.n_arcs / problem_.graph.n_vertices + 1);
    do {
      poll();
      cuda::launch_cooperative(stream_, blocks, cuda::threads_per_block, 0, search_batches<W>, view,
                               arcs_per_launch / arcs_per_item, slice_arcs / arcs_per_item + 1,
                               rounds_per_launch);
    } while (cuda::read_back(&state_.data()->is_done, stream_) == 0);
    cuda::copy(host_overflows_.data(), overflows_.data(), overflows_.size(), stream_);
  }

  /// Returns the interleaved distances of the batch that source i of the last search begins.
  [[nodiscard]] const W* distances_of_batch(std::int64_t i) const {
    return distances_.data() + i * problem_.graph.n_vertices;
  }
  /// Returns whether a path from source i of the last search grew beyond an integer type. Known
  /// after the next synchronization of the stream.
  [[nodiscard]] bool overflows(std::int64_t i) const {
    return host_overflows_[static_cast<std::size_t>(i)] != 0;
  }

 private:
  [[nodiscard]] BatchSearchView<W> view_for(std::int64_t n_sources) const {
    BatchSearchView<W> view{};
    view.graph = problem_.graph;
    view.limit = problem_.host.options.limit;
    view.delta = delta_;
    view.targets = targets_;
    view.n_targets = static_cast<std::int64_t>(problem_.host.options.targets.size());
    view.n_sources = n_sources;
    view.n_items = static_cast<item_t>(n_items_);
    view.distances = distances_.data();
    view.near_masks = masks_.data();
    view.far_masks = masks_.data() + n_items_;
    for (std::size_t i = 0; i < 2; ++i) {
      view.near_lists[i] = lists_.data() + i * n_items_;
      view.far_lists[i] = lists_.data() + (2 + i) * n_items_;
    }
    view.slices = slices_.data();
    view.max_slices = static_cast<std::int64_t>(slices_.size());
    view.overflows = overflows_.data();
    view.state = state_.data();
    return view;
  }

  const DeviceProblem<W>& problem_;
  const cuda::Stream& stream_;
  const vertex_t* const targets_;
  const W delta_;
  const std::size_t n_items_;
  cuda::DeviceBuffer<W> distances_;
  cuda::DeviceBuffer<unsigned> masks_;
  cuda::DeviceBuffer<item_t> lists_;
  cuda::DeviceBuffer<ArcSlice> slices_;
  cuda::DeviceBuffer<int> overflows_;
  cuda::PinnedBuffer<int> host_overflows_;
  cuda::DeviceBuffer<BatchSearchState<W>> state_;
};

/// Writes the rows of one batch after another to the result.
template <class W>
class BatchWriter {
 public:
  BatchWriter(const DeviceProblem<W>& problem, const BatchPlan& plan, const vertex_t* sources,
              const vertex_t* targets)
      : problem_(problem),
        stream_(problem.stream),
        targets_(targets),
        rows_(problem.host.result.on_device
                  ? 0
                  : static_cast<std::size_t>(batch_size * problem.n_columns()),
              stream_),
        copier_(problem.host.result.distances, problem.host.result.row_stride, problem.n_columns(),
                stream_),
        finisher_(problem, sources, plan.rows_per_band, stream_) {}

  /// Writes the rows first .. first + n - 1, from their interleaved distances. overflows(i) tells
  /// whether an integer path of row first + i grew beyond W.
  template <class Overflows>
  void write(const W* interleaved, std::int64_t first, std::int64_t n, Overflows&& overflows) {
    write_distances(interleaved, first, n);
    for (std::int64_t i = 0; i < n; ++i) {
      if (overflows(i) || finisher_.writes_single_rows()) {
        finish_row(interleaved + i, first + i, overflows(i));
      }
      poll();
    }
    if (finisher_.works_in_bands()) {
      finisher_.write_batch(interleaved, first, n, copier_.staging());
    }
  }

 private:
  using Bits = cuda::bits_t<W>;

  void write_distances(const W* interleaved, std::int64_t first, std::int64_t n) {
    const std::int64_t columns = problem_.n_columns();
    const ManyToManyResult<W>& result = problem_.host.result;
    const bool on_device = result.on_device;
    cuda::launch(stream_, batches_of(columns), cuda::threads_per_block, 0, transpose_rows<Bits>,
                 cuda::as_bits(interleaved), targets_, columns,
                 cuda::as_bits(on_device ? result.distances_of(first) : rows_.data()),
                 on_device ? result.row_stride : columns, static_cast<int>(n));
    if (on_device) {
      stream_.synchronize();
    } else {
      copier_.copy(rows_.data(), first, n);
    }
  }

  /// Completes row i. `of_source` has the distances of its source, 32 apart.
  void finish_row(const W* of_source, std::int64_t i, bool overflows) {
    const std::int64_t n = problem_.graph.n_vertices;
    const cuda::DeviceBuffer<W> row(static_cast<std::size_t>(n), stream_);
    cuda::launch_for(stream_, n, gather_source<Bits>, cuda::as_bits(of_source), n,
                     cuda::as_bits(row.data()));
    finisher_.finish_row(i, row.data(), overflows);
  }

  const DeviceProblem<W>& problem_;
  const cuda::Stream& stream_;
  const vertex_t* const targets_;
  cuda::DeviceBuffer<W> rows_;  // of one batch, to be copied to the host
  cuda::RowCopier<W> copier_;
  RowFinisher<W> finisher_;
};

}  // namespace

template <class W>
std::size_t min_bytes_of_device_batches(const DeviceProblem<W>& problem) {
  return bytes_needed(problem, BatchPlan{});
}

template <class W>
void search_in_device_batches(const DeviceProblem<W>& problem) {
  const BatchPlan plan = make_batch_plan(problem);
  const auto sources = cuda::to_device(problem.host.sources, problem.stream);
  const auto targets = cuda::to_device(problem.host.options.targets, problem.stream);
  BatchSearcher<W> searcher(problem, plan.batches, targets.data());
  BatchWriter<W> writer(problem, plan, sources.data(), targets.data());
  const std::int64_t n = problem.host.n_rows();
  const std::int64_t sources_at_once = plan.batches * batch_size;
  for (std::int64_t first = 0; first < n; first += sources_at_once) {
    const std::int64_t count = std::min(sources_at_once, n - first);
    searcher.run(sources.data() + first, count);
    for (std::int64_t done = 0; done < count; done += batch_size) {
      writer.write(searcher.distances_of_batch(done), first + done,
                   std::min(batch_size, count - done),
                   [&](std::int64_t i) { return searcher.overflows(done + i); });
      report_progress(first + std::min(done + batch_size, count), n);
    }
  }
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(min_bytes_of_device_batches)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(search_in_device_batches)

}  // namespace warpgraph::many_to_many_detail
