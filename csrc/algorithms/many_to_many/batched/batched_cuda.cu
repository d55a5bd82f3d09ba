// Method batched on CUDA: several batches of 32 sources at once. batch_search.cuh has the search;
// this file chooses the order of vertices.
//
//   Graphs with hubs: none. Every vertex is near every other, a few rounds reach all.
//   Roads and the like: a search from 32 of the sources, the landmarks, locates the others.
//     Neighbours form a batch, and a search from a source in its middle ranks the vertices.
//   Few sources, a limit, or few targets: by distances, so that a search may end early.
#include "algorithms/many_to_many/batched/batch_search.cuh"
#include "algorithms/many_to_many/batched/landmark_groups.hpp"
#include "algorithms/many_to_many/batched/transpose_rows.cuh"
#include "algorithms/many_to_many/device_problem.hpp"
#include "algorithms/many_to_many/predecessor_writer.cuh"
#include "core/cuda/memory/row_copier.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"
#include "primitives/graph_shape.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace warpgraph::many_to_many_detail {
namespace {

constexpr std::int64_t batch_size = cuda::warp_lanes;
/// More batches do not fill the device any better.
constexpr std::int64_t max_batches = 64;
/// Arcs per launch, each relaxed for 32 sources: at 128 bytes or more each, a tenth of a second.
constexpr edge_t arcs_per_launch = edge_t{1} << 31;
/// Rounds per launch, at five microseconds or more each.
constexpr int rounds_per_launch = 1 << 13;
/// The threshold rises by this many mean weights. Half as many cost New York's roads a third more
/// rounds and save a tenth of the relaxations; a round is a barrier, 32 relaxations one access.
constexpr double weights_per_delta = 16;
/// From this many sources on, the two searches that find an order save more than they take.
constexpr std::int64_t min_sources_for_ranks = 64;
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

/// The 32 distances of each of the vertices.
template <class W>
__global__ void gather_vertices(const W* from, const vertex_t* vertices, std::int64_t n, W* to) {
  const std::int64_t i = cuda::global_index();
  if (i < n) to[i] = from[vertices[i / batch_size] * batch_size + i % batch_size];
}

template <class W>
__global__ void gather_source(const W* from, std::int64_t n, W* to) {
  if (const std::int64_t i = cuda::global_index(); i < n) to[i] = from[i * batch_size];
}

/// The sources of a search, 32 per batch, and its order.
template <class W>
struct SearchRequest {
  const vertex_t* sources;  // on the device
  std::int64_t n_sources;
  W* distances;
  const W* ranks;            // nullptr: by distances
  std::int64_t first_batch;  // number of the first batch in `ranks`
  W delta;
  W limit;
  std::int64_t n_targets;  // 0: it does not end early
};

/// Launches searches. Owns the memory that they need beside the distances.
template <class W>
class BatchSearcher {
 public:
  BatchSearcher(const DeviceProblem<W>& problem, std::int64_t n_batches, const vertex_t* targets)
      : problem_(problem),
        stream_(problem.stream),
        targets_(targets),
        n_items_(static_cast<std::size_t>(n_batches * problem.graph.n_vertices)),
        masks_(2 * n_items_, stream_),
        lists_(4 * n_items_, stream_),
        slices_(static_cast<std::size_t>(max_slices(problem.graph, n_batches)), stream_),
        overflows_(static_cast<std::size_t>(n_batches * batch_size), stream_),
        state_(1, stream_) {}

  static std::size_t bytes_needed(const CsrView<W>& graph, std::int64_t n_batches) {
    constexpr std::size_t bytes_per_item = 2 * sizeof(unsigned) + 4 * sizeof(item_t);
    return static_cast<std::size_t>(n_batches * graph.n_vertices) * bytes_per_item +
           static_cast<std::size_t>(max_slices(graph, n_batches)) * sizeof(ArcSlice);
  }

  /// One flag per source: in the last search a path from it grew beyond an integer type.
  [[nodiscard]] const cuda::DeviceBuffer<int>& overflows() const noexcept { return overflows_; }

  /// Complete on return.
  void run(const SearchRequest<W>& request) {
    const BatchSearchView<W> view = make_view(request);
    const std::int64_t n_batches = (request.n_sources + batch_size - 1) / batch_size;
    cuda::fill(request.distances, infinity<W>(), n_batches * problem_.graph.n_vertices * batch_size,
               stream_);
    cuda::fill_bytes(masks_.data(), 0, masks_.size(), stream_);
    cuda::fill_bytes(overflows_.data(), 0, overflows_.size(), stream_);
    cuda::fill_bytes(state_.data(), 0, 1, stream_);
    cuda::launch_for(stream_, request.n_sources, init_sources<W>, view, request.sources);
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
  }

 private:
  /// A vertex of degree d > slice_arcs has fewer than 2 * d / slice_arcs slices.
  static std::int64_t max_slices(const CsrView<W>& graph, std::int64_t n_batches) {
    return n_batches * (2 * graph.n_arcs / slice_arcs + 1);
  }

  [[nodiscard]] BatchSearchView<W> make_view(const SearchRequest<W>& request) const {
    BatchSearchView<W> view{};
    view.graph = problem_.graph;
    view.limit = request.limit;
    view.delta = request.delta;
    view.targets = targets_;
    view.n_targets = request.n_targets;
    view.n_sources = request.n_sources;
    view.n_items = static_cast<item_t>(n_items_);
    view.distances = request.distances;
    view.ranks = request.ranks;
    view.first_batch = static_cast<item_t>(request.first_batch);
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
  const std::size_t n_items_;
  cuda::DeviceBuffer<unsigned> masks_;
  cuda::DeviceBuffer<item_t> lists_;
  cuda::DeviceBuffer<ArcSlice> slices_;
  cuda::DeviceBuffer<int> overflows_;
  cuda::DeviceBuffer<BatchSearchState<W>> state_;
};

/// The order of searches: the step of the threshold, and whether there are ranks.
template <class W>
struct SearchOrder {
  W delta;
  bool has_ranks;
};

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

/// With hubs every vertex is near every other, and deferring far ones gains nothing.
template <class W>
SearchOrder<W> choose_order(const SearchProblem<W>& problem) {
  const CsrView<W>& graph = problem.graph;
  if (is_hub(graph, max_degree_vertex(graph))) return {infinity<W>(), false};
  const bool is_short = ends_early(problem.options) || problem.n_rows() < min_sources_for_ranks;
  return {mean_weight_times(weights_per_delta, graph), !is_short};
}

template <class W>
class DeviceBatchedSearch {
 public:
  explicit DeviceBatchedSearch(const DeviceProblem<W>& problem)
      : problem_(problem),
        stream_(problem.stream),
        order_(choose_order(problem.host)),
        uses_bands_(choose_rows_per_band(problem.host) > 0),
        n_batches_(affordable_batches()),
        targets_(cuda::to_device(problem.host.options.targets, stream_)),
        searcher_(problem, n_batches_, targets_.data()),
        distances_(items(n_batches_) * batch_size, stream_),
        ranks_(order_.has_ranks ? items(n_rank_batches()) * batch_size : 0, stream_),
        rows_(on_device() ? 0 : static_cast<std::size_t>(batch_size * problem.n_columns()),
              stream_),
        sources_(problem.host.sources.size(), stream_),
        host_overflows_(static_cast<std::size_t>(n_batches_ * batch_size)),
        writer_(problem, sources_.data(), rows_per_band(), stream_) {}

  /// Complete on return.
  void run() {
    const std::int64_t n = problem_.host.n_rows();
    if (order_.has_ranks) {
      group_sources();
      if (on_device()) {
        device_order_ = cuda::to_device(std::span<const std::int64_t>(rows_in_order_), stream_);
      }
    } else {
      upload(sources_.data(), problem_.host.sources);
    }
    const ManyToManyResult<W>& result = problem_.host.result;
    cuda::RowCopier<W> copier(result.distances, result.row_stride, problem_.n_columns(), stream_,
                              rows_in_order_);
    for (std::int64_t first = 0; first < n; first += n_batches_ * batch_size) {
      const std::int64_t count = std::min(n_batches_ * batch_size, n - first);
      search(first, count);
      for (std::int64_t done = 0; done < count; done += batch_size) {
        write_results(copier, first, done, std::min(batch_size, count - done));
        report_progress(first + std::min(done + batch_size, count), n);
      }
    }
  }

 private:
  [[nodiscard]] bool on_device() const { return problem_.host.result.on_device; }
  [[nodiscard]] std::size_t items(std::int64_t n_batches) const {
    return static_cast<std::size_t>(n_batches * problem_.graph.n_vertices);
  }
  [[nodiscard]] std::int64_t n_groups() const {
    return (problem_.host.n_rows() + batch_size - 1) / batch_size;
  }
  [[nodiscard]] std::int64_t n_rank_batches() const {
    return (n_groups() + batch_size - 1) / batch_size;
  }

  [[nodiscard]] std::size_t bytes_needed(std::int64_t n_batches) const {
    const std::int64_t ranks = order_.has_ranks ? n_rank_batches() : 0;
    const std::int64_t rows = on_device() ? 0 : batch_size * problem_.n_columns();
    return (items(n_batches + ranks) * batch_size + items(1) + static_cast<std::size_t>(rows)) *
               sizeof(W) +
           BatchSearcher<W>::bytes_needed(problem_.graph, n_batches) +
           PredecessorWriter<W>::bytes_needed(problem_, rows_per_band());
  }

  /// A band is a batch. 0: no bands.
  [[nodiscard]] std::int64_t rows_per_band() const { return uses_bands_ ? batch_size : 0; }

  /// As many as fit into memory. If one does not, predecessors are found row by row. If it does not
  /// fit even then, there are no ranks.
  [[nodiscard]] std::int64_t affordable_batches() {
    const std::int64_t indexable = std::numeric_limits<item_t>::max() / problem_.graph.n_vertices;
    std::int64_t n = std::min({n_groups(), indexable, max_batches});
    const MemoryBudget budget(stream_.device(), problem_.host.options.memory_limit);
    const std::size_t available = budget.available();
    if (bytes_needed(1) > available) uses_bands_ = false;
    if (bytes_needed(1) > available) order_.has_ranks = false;
    while (n > 1 && bytes_needed(n) > available) n = (n + 1) / 2;
    budget.require("searching from a batch of 32 sources", bytes_needed(n),
                   "use method=\"dijkstra\", or ask for a narrower dtype");
    return n;
  }

  /// Copies to the device. Complete on return.
  void upload(vertex_t* to, std::span<const vertex_t> vertices) {
    cuda::copy(to, vertices.data(), vertices.size(), stream_);
    stream_.synchronize();
  }

  [[nodiscard]] SearchRequest<W> by_distance(const vertex_t* sources, std::int64_t n, W* to) const {
    return {sources, n, to, nullptr, 0, order_.delta, infinity<W>(), 0};
  }

  /// Puts nearby sources into one batch, and ranks the vertices of each batch by their distances
  /// from its centre.
  void group_sources() {
    const std::span<const vertex_t> sources = problem_.host.sources;
    const LandmarkGroups groups(std::span<const W>(distances_from_landmarks()), batch_size,
                                batch_size);
    rows_in_order_ = groups.order();
    std::vector<vertex_t> vertices;
    const auto upload_sources = [&](vertex_t* to, const std::vector<std::int64_t>& rows) {
      vertices.clear();
      for (const std::int64_t row : rows) {
        vertices.push_back(sources[static_cast<std::size_t>(row)]);
      }
      upload(to, vertices);
    };
    upload_sources(sources_.data(), groups.centres());
    for (std::int64_t first = 0; first < n_groups(); first += n_batches_ * batch_size) {
      const std::int64_t count = std::min(n_batches_ * batch_size, n_groups() - first);
      searcher_.run(by_distance(sources_.data() + first, count,
                                ranks_.data() + first * problem_.graph.n_vertices));
    }
    upload_sources(sources_.data(), rows_in_order_);
  }

  /// For each source its distances from 32 landmarks, which are sources themselves.
  std::vector<W> distances_from_landmarks() {
    const std::span<const vertex_t> sources = problem_.host.sources;
    const std::int64_t n = problem_.host.n_rows();
    std::vector<vertex_t> landmarks;
    for (std::int64_t i = 0; i < batch_size; ++i) {
      landmarks.push_back(sources[static_cast<std::size_t>(i * n / batch_size)]);
    }
    upload(sources_.data(), landmarks);
    searcher_.run(by_distance(sources_.data(), batch_size, distances_.data()));
    upload(sources_.data(), sources);
    std::vector<W> distances(static_cast<std::size_t>(n * batch_size));
    // Gathered in the memory of the ranks, which are computed later.
    const auto max_sources = static_cast<std::int64_t>(ranks_.size()) / batch_size;
    for (std::int64_t first = 0; first < n; first += max_sources) {
      const std::int64_t count = std::min(max_sources, n - first) * batch_size;
      cuda::launch_for(stream_, count, gather_vertices<W>, distances_.data(),
                       sources_.data() + first, count, ranks_.data());
      cuda::copy(distances.data() + first * batch_size, ranks_.data(),
                 static_cast<std::size_t>(count), stream_);
    }
    stream_.synchronize();
    return distances;
  }

  void search(std::int64_t first, std::int64_t n) {
    SearchRequest<W> request = by_distance(sources_.data() + first, n, distances_.data());
    request.limit = problem_.host.options.limit;
    if (order_.has_ranks) {
      request.ranks = ranks_.data();
      request.first_batch = first / batch_size;
    } else {
      request.n_targets = static_cast<std::int64_t>(targets_.size());
    }
    searcher_.run(request);
    cuda::copy(host_overflows_.data(), searcher_.overflows().data(), host_overflows_.size(),
               stream_);
  }

  /// Writes the results of the batch whose first source is first + done.
  void write_results(cuda::RowCopier<W>& copier, std::int64_t first, std::int64_t done,
                     std::int64_t n) {
    const std::int64_t columns = problem_.n_columns();
    cuda::launch(stream_, (columns + batch_size - 1) / batch_size, cuda::threads_per_block, 0,
                 transpose_rows<W>, distances_of_batch(done), targets_.data(), columns,
                 output_rows(first + done, n));
    if (on_device()) {
      stream_.synchronize();
    } else {
      copier.copy(rows_.data(), first + done, n);
    }
    for (std::int64_t i = done; i < done + n; ++i) {
      const bool overflows = host_overflows_[static_cast<std::size_t>(i)] != 0;
      const bool wants_tree = problem_.host.wants_tree() && !writer_.works_in_bands();
      if (overflows || wants_tree) finish_row(row_of(first + i), i, overflows, wants_tree);
      poll();
    }
    if (writer_.works_in_bands()) {
      writer_.write_batch(
          distances_of_batch(done), first + done, n, copier.staging(),
          [this](std::int64_t i) { return row_of(i); },
          [&](std::int64_t i) { finish_row(row_of(i), i - first, false, true); });
    }
  }

  /// The output rows of the sources first .. first + n - 1.
  [[nodiscard]] TransposedRows<W> output_rows(std::int64_t first, std::int64_t n) const {
    const auto n_sources = static_cast<int>(n);
    const ManyToManyResult<W>& result = problem_.host.result;
    if (!on_device()) return {rows_.data(), problem_.n_columns(), nullptr, n_sources};
    if (device_order_.size() == 0) {
      return {result.distances_of(first), result.row_stride, nullptr, n_sources};
    }
    return {result.distances, result.row_stride, device_order_.data() + first, n_sources};
  }

  [[nodiscard]] std::int64_t row_of(std::int64_t i) const {
    return rows_in_order_.empty() ? i : rows_in_order_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] const W* distances_of_batch(std::int64_t i) const {
    return distances_.data() + i / batch_size * batch_size * problem_.graph.n_vertices;
  }

  /// Completes a row of the result, that of source i of the last search.
  void finish_row(std::int64_t result_row, std::int64_t i, bool overflows, bool wants_tree) {
    const std::int64_t n = problem_.graph.n_vertices;
    const cuda::DeviceBuffer<W> row(static_cast<std::size_t>(n), stream_);
    cuda::launch_for(stream_, n, gather_source<W>, distances_of_batch(i) + i % batch_size, n,
                     row.data());
    if (overflows) {
      check_row<W>(problem_.host, cuda::to_host<std::vector<W>>(row.data(), row.size(), stream_));
    }
    if (wants_tree) writer_.write_row(result_row, row.data());
  }

  const DeviceProblem<W>& problem_;
  const cuda::Stream& stream_;
  SearchOrder<W> order_;
  bool uses_bands_;               // predecessors of a batch are found together
  const std::int64_t n_batches_;  // at once
  cuda::DeviceBuffer<vertex_t> targets_;
  BatchSearcher<W> searcher_;
  cuda::DeviceBuffer<W> distances_;
  cuda::DeviceBuffer<W> ranks_;
  cuda::DeviceBuffer<W> rows_;  // of one batch, to be copied to the host
  cuda::DeviceBuffer<vertex_t> sources_;
  cuda::PinnedBuffer<int> host_overflows_;
  std::vector<std::int64_t> rows_in_order_;        // empty: the given order
  cuda::DeviceBuffer<std::int64_t> device_order_;  // the same, if results stay on the device
  PredecessorWriter<W> writer_;
};

}  // namespace

template <class W>
void search_in_device_batches(const DeviceProblem<W>& problem) {
  DeviceBatchedSearch<W>(problem).run();
}

#define WARPGRAPH_INSTANTIATE(W) template void search_in_device_batches<W>(const DeviceProblem<W>&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::many_to_many_detail
