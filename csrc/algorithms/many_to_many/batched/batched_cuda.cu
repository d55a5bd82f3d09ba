// Batches of 32 sources, several at once; batch_sweep.cuh tells how they are searched, this is what
// decides about the order.
//
//   Graphs with hubs: none. Every vertex is near every other, a few rounds reach all.
//   Roads and the like: a sweep from 32 of the sources tells where the others lie, neighbours go
//   into one batch, and a second sweep from a source in the middle of each ranks the vertices.
//   Few sources, a limit, or few targets: by distances, so that a search may end early.
#include "algorithms/many_to_many/batched/batch_sweep.cuh"
#include "algorithms/many_to_many/batched/landmark_groups.hpp"
#include "algorithms/many_to_many/batched/turned_rows.cuh"
#include "algorithms/many_to_many/cuda_steps.hpp"
#include "algorithms/many_to_many/device_trees.cuh"
#include "core/cuda/memory/row_copier.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace warpgraph::many_to_many_steps {
namespace {

constexpr std::int64_t lanes = cuda::warp_lanes;
/// More batches do not fill the device any better.
constexpr std::int64_t most_batches = 64;
/// Arcs of 32 sources that one launch relaxes: at 128 bytes or more each, a tenth of a second.
constexpr edge_t arcs_a_launch = edge_t{1} << 31;
/// Rounds in one launch, at five microseconds and more.
constexpr int rounds_a_launch = 1 << 13;
/// The threshold rises by so many mean weights. Half as many cost New York's roads a third more
/// rounds and save a tenth of the relaxations; a round is a barrier, 32 relaxations one access.
constexpr double weights_a_step = 16;
/// A graph has hubs if one degree is this many times the mean, give or take one.
constexpr edge_t hub_factor = 32;
/// From so many sources on, two searches that only find an order save more than they take.
constexpr std::int64_t worth_ranks = 64;
/// Weights that the mean is taken of.
constexpr edge_t weights_looked_at = 4096;

template <class W>
__global__ void sweep_batches(Batches<W> batches, unsigned long long work,
                              unsigned long long items_a_slice, int most_rounds) {
  BatchSweep<W>(batches).run(work, items_a_slice, most_rounds);
}

/// Distance 0 for the sources, which are near. The state is all 0 but for its bounds.
template <class W>
__global__ void place_sources(Batches<W> batches, const vertex_t* sources) {
  const std::int64_t i = cuda::global_index();
  SweepState<W>& state = *batches.state;
  if (i == 0) {
    state.far_least[0] = state.far_least[1] = infinity<W>();
    state.threshold = batches.delta;
  }
  if (i >= batches.n_sources) return;
  const auto batch = static_cast<item_t>(i / lanes);
  const item_t item =
      batch * static_cast<item_t>(batches.graph.n_vertices) + static_cast<item_t>(sources[i]);
  batches.rows[static_cast<std::int64_t>(item) * lanes + i % lanes] = W{0};
  if (atomicOr(&batches.near_masks[item], 1u << (i % lanes)) == 0) {
    cuda::WorklistView<item_t>{batches.near_lists[0], &state.near_count[0], batches.n_items}.push(
        item);
  }
}

/// The 32 distances of each vertex.
template <class W>
__global__ void gather_vertices(const W* rows, const vertex_t* vertices, std::int64_t n, W* to) {
  const std::int64_t i = cuda::global_index();
  if (i < n) to[i] = rows[vertices[i / lanes] * lanes + i % lanes];
}

template <class W>
__global__ void gather_lane(const W* lane, std::int64_t n, W* to) {
  if (const std::int64_t i = cuda::global_index(); i < n) to[i] = lane[i * lanes];
}

/// From which vertices, 32 at a time, and in which order a sweep searches.
template <class W>
struct Sweep {
  const vertex_t* sources;  // on the device
  std::int64_t n_sources;
  W* rows;
  const W* ranks;            // nullptr: by distances
  std::int64_t first_batch;  // in the ranks
  W delta;
  W limit;
  std::int64_t n_targets;  // 0: it does not end early
};

/// What sweeps need beside the rows, and how they are launched.
template <class W>
class Sweeper {
 public:
  Sweeper(const CudaProblem<W>& problem, std::int64_t n_batches, const vertex_t* targets)
      : problem_(problem),
        stream_(problem.stream),
        targets_(targets),
        n_items_(static_cast<std::size_t>(n_batches * problem.graph.n_vertices)),
        masks_(2 * n_items_, stream_),
        lists_(4 * n_items_, stream_),
        slices_(static_cast<std::size_t>(most_slices(problem.graph, n_batches)), stream_),
        overflows_(static_cast<std::size_t>(n_batches * lanes), stream_),
        state_(1, stream_) {}

  static std::size_t bytes_needed(const CsrView<W>& graph, std::int64_t n_batches) {
    constexpr std::size_t an_item = 2 * sizeof(unsigned) + 4 * sizeof(item_t);
    return static_cast<std::size_t>(n_batches * graph.n_vertices) * an_item +
           static_cast<std::size_t>(most_slices(graph, n_batches)) * sizeof(Slice);
  }

  /// Flags of the sources whose paths grew beyond an integer type in the last sweep.
  [[nodiscard]] const cuda::DeviceBuffer<int>& overflows() const noexcept { return overflows_; }

  /// Complete on return.
  void run(const Sweep<W>& sweep) {
    const Batches<W> view = batches(sweep);
    const std::int64_t n_batches = (sweep.n_sources + lanes - 1) / lanes;
    cuda::fill(sweep.rows, infinity<W>(), n_batches * problem_.graph.n_vertices * lanes, stream_);
    cuda::fill_bytes(masks_.data(), 0, masks_.size(), stream_);
    cuda::fill_bytes(overflows_.data(), 0, overflows_.size(), stream_);
    cuda::fill_bytes(state_.data(), 0, 1, stream_);
    cuda::launch_for(stream_, sweep.n_sources, place_sources<W>, view, sweep.sources);
    const std::int64_t blocks =
        cuda::resident_blocks(stream_, sweep_batches<W>, cuda::threads_per_block, 0);
    const auto arcs_an_item =
        static_cast<std::uint64_t>(problem_.graph.n_arcs / problem_.graph.n_vertices + 1);
    do {
      poll();
      cuda::launch_cooperative(stream_, blocks, cuda::threads_per_block, 0, sweep_batches<W>, view,
                               arcs_a_launch / arcs_an_item, slice_arcs / arcs_an_item + 1,
                               rounds_a_launch);
    } while (cuda::read_back(&state_.data()->is_done, stream_) == 0);
  }

 private:
  /// A hub's slices are fewer than twice its arcs over those of a slice.
  static std::int64_t most_slices(const CsrView<W>& graph, std::int64_t n_batches) {
    return n_batches * (2 * graph.n_arcs / slice_arcs + 1);
  }

  [[nodiscard]] Batches<W> batches(const Sweep<W>& sweep) const {
    Batches<W> view{};
    view.graph = problem_.graph;
    view.limit = sweep.limit;
    view.delta = sweep.delta;
    view.targets = targets_;
    view.n_targets = sweep.n_targets;
    view.n_sources = sweep.n_sources;
    view.n_items = static_cast<item_t>(n_items_);
    view.rows = sweep.rows;
    view.ranks = sweep.ranks;
    view.first_batch = static_cast<item_t>(sweep.first_batch);
    view.near_masks = masks_.data();
    view.far_masks = masks_.data() + n_items_;
    for (std::size_t i = 0; i < 2; ++i) {
      view.near_lists[i] = lists_.data() + i * n_items_;
      view.far_lists[i] = lists_.data() + (2 + i) * n_items_;
    }
    view.slices = slices_.data();
    view.most_slices = static_cast<std::int64_t>(slices_.size());
    view.overflows = overflows_.data();
    view.state = state_.data();
    return view;
  }

  const CudaProblem<W>& problem_;
  const cuda::Stream& stream_;
  const vertex_t* const targets_;
  const std::size_t n_items_;
  cuda::DeviceBuffer<unsigned> masks_;
  cuda::DeviceBuffer<item_t> lists_;
  cuda::DeviceBuffer<Slice> slices_;
  cuda::DeviceBuffer<int> overflows_;
  cuda::DeviceBuffer<SweepState<W>> state_;
};

/// The order of sweeps: how far the threshold rises at a time, and whether there are ranks.
template <class W>
struct SweepOrder {
  W delta;
  bool has_ranks;
};

template <class W>
W mean_weight_times(double factor, const CsrView<W>& graph) {
  if (graph.weights == nullptr) return static_cast<W>(factor);
  const edge_t step = graph.n_arcs / weights_looked_at + 1;
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

/// With hubs everything is near everything, and nothing is gained by waiting.
template <class W>
SweepOrder<W> choose_order(const Problem<W>& problem) {
  const CsrView<W>& graph = problem.graph;
  const edge_t a_hubs_degree = hub_factor * (graph.n_arcs / graph.n_vertices + 1);
  const bool has_hub = parallel_find_first(graph.n_vertices, [&](std::int64_t v) {
                         return graph.degree(static_cast<vertex_t>(v)) > a_hubs_degree;
                       }) < graph.n_vertices;
  if (has_hub) return {infinity<W>(), false};
  const bool is_short = ends_early(problem.options) || problem.n_rows() < worth_ranks;
  return {mean_weight_times(weights_a_step, graph), !is_short};
}

template <class W>
class BatchedSearch {
 public:
  explicit BatchedSearch(const CudaProblem<W>& problem)
      : problem_(problem),
        stream_(problem.stream),
        order_(choose_order(problem.host)),
        has_bands_(rows_in_a_band(problem.host) > 0),
        n_batches_(affordable_batches()),
        targets_(cuda::to_device(problem.host.options.targets, stream_)),
        sweeper_(problem, n_batches_, targets_.data()),
        rows_(items(n_batches_) * lanes, stream_),
        ranks_(order_.has_ranks ? items(n_rank_batches()) * lanes : 0, stream_),
        turned_(stays() ? 0 : static_cast<std::size_t>(lanes * problem.n_columns()), stream_),
        sources_(problem.host.sources.size(), stream_),
        host_overflows_(static_cast<std::size_t>(n_batches_ * lanes)),
        trees_(problem, sources_.data(), rows_a_band(), stream_) {}

  /// Complete on return.
  void run() {
    const std::int64_t n = problem_.host.n_rows();
    if (order_.has_ranks) {
      group_sources();
      if (stays()) {
        device_order_ = cuda::to_device(std::span<const std::int64_t>(rows_in_order_), stream_);
      }
    } else {
      place(sources_.data(), problem_.host.sources);
    }
    const ManyToManyResult<W>& result = problem_.host.result;
    cuda::RowCopier<W> copier(result.distances, result.row_stride, problem_.n_columns(), stream_,
                              rows_in_order_);
    for (std::int64_t first = 0; first < n; first += n_batches_ * lanes) {
      const std::int64_t some = std::min(n_batches_ * lanes, n - first);
      search(first, some);
      for (std::int64_t done = 0; done < some; done += lanes) {
        hand_over(copier, first, done, std::min(lanes, some - done));
        report_progress(first + std::min(done + lanes, some), n);
      }
    }
  }

 private:
  [[nodiscard]] bool stays() const { return problem_.host.result.on_device; }
  [[nodiscard]] std::size_t items(std::int64_t n_batches) const {
    return static_cast<std::size_t>(n_batches * problem_.graph.n_vertices);
  }
  [[nodiscard]] std::int64_t n_groups() const {
    return (problem_.host.n_rows() + lanes - 1) / lanes;
  }
  [[nodiscard]] std::int64_t n_rank_batches() const { return (n_groups() + lanes - 1) / lanes; }

  [[nodiscard]] std::size_t bytes_needed(std::int64_t n_batches) const {
    const std::int64_t ranks = order_.has_ranks ? n_rank_batches() : 0;
    const std::int64_t turned = stays() ? 0 : lanes * problem_.n_columns();
    return (items(n_batches + ranks) * lanes + items(1) + static_cast<std::size_t>(turned)) *
               sizeof(W) +
           Sweeper<W>::bytes_needed(problem_.graph, n_batches) +
           DeviceTrees<W>::bytes_needed(problem_, rows_a_band());
  }

  /// A batch of trees, or 0.
  [[nodiscard]] std::int64_t rows_a_band() const { return has_bands_ ? lanes : 0; }

  /// As many as there is memory for. If it does not suffice for one batch, trees are found row by
  /// row, and there are no ranks.
  [[nodiscard]] std::int64_t affordable_batches() {
    const std::int64_t numbered = std::numeric_limits<item_t>::max() / problem_.graph.n_vertices;
    std::int64_t n = std::min({n_groups(), numbered, most_batches});
    const MemoryBudget budget(stream_.device(), problem_.host.options.memory_limit);
    const std::size_t available = budget.available();
    if (bytes_needed(1) > available) has_bands_ = false;
    if (bytes_needed(1) > available) order_.has_ranks = false;
    while (n > 1 && bytes_needed(n) > available) n = (n + 1) / 2;
    budget.require("searching from a batch of 32 sources", bytes_needed(n),
                   "use method=\"dijkstra\", or ask for a narrower dtype");
    return n;
  }

  /// Copies to the device, and waits: what is copied may go.
  void place(vertex_t* to, std::span<const vertex_t> vertices) {
    cuda::copy(to, vertices.data(), vertices.size(), stream_);
    stream_.synchronize();
  }

  [[nodiscard]] Sweep<W> by_distances(const vertex_t* sources, std::int64_t n, W* rows) const {
    return {sources, n, rows, nullptr, 0, order_.delta, infinity<W>(), 0};
  }

  /// Puts sources that lie near each other into one batch, and ranks the vertices of each batch by
  /// their distances from its centre.
  void group_sources() {
    const std::span<const vertex_t> sources = problem_.host.sources;
    const LandmarkGroups groups(std::span<const W>(distances_from_landmarks()), lanes, lanes);
    rows_in_order_ = groups.order();
    std::vector<vertex_t> vertices;
    const auto place_all = [&](vertex_t* to, const std::vector<std::int64_t>& rows) {
      vertices.clear();
      for (const std::int64_t row : rows) {
        vertices.push_back(sources[static_cast<std::size_t>(row)]);
      }
      place(to, vertices);
    };
    place_all(sources_.data(), groups.centres());
    for (std::int64_t first = 0; first < n_groups(); first += n_batches_ * lanes) {
      const std::int64_t some = std::min(n_batches_ * lanes, n_groups() - first);
      sweeper_.run(by_distances(sources_.data() + first, some,
                                ranks_.data() + first * problem_.graph.n_vertices));
    }
    place_all(sources_.data(), rows_in_order_);
  }

  /// Of each source 32, from as many of the sources.
  std::vector<W> distances_from_landmarks() {
    const std::span<const vertex_t> sources = problem_.host.sources;
    const std::int64_t n = problem_.host.n_rows();
    std::vector<vertex_t> landmarks;
    for (std::int64_t i = 0; i < lanes; ++i) {
      landmarks.push_back(sources[static_cast<std::size_t>(i * n / lanes)]);
    }
    place(sources_.data(), landmarks);
    sweeper_.run(by_distances(sources_.data(), lanes, rows_.data()));
    place(sources_.data(), sources);
    std::vector<W> distances(static_cast<std::size_t>(n * lanes));
    const cuda::DeviceBuffer<W> gathered(distances.size(), stream_);
    cuda::launch_for(stream_, n * lanes, gather_vertices<W>, rows_.data(), sources_.data(),
                     n * lanes, gathered.data());
    cuda::copy(distances.data(), gathered.data(), distances.size(), stream_);
    stream_.synchronize();
    return distances;
  }

  /// Searches from the sources first .. first + n - 1.
  void search(std::int64_t first, std::int64_t n) {
    Sweep<W> sweep = by_distances(sources_.data() + first, n, rows_.data());
    sweep.limit = problem_.host.options.limit;
    if (order_.has_ranks) {
      sweep.ranks = ranks_.data();
      sweep.first_batch = first / lanes;
    } else {
      sweep.n_targets = static_cast<std::int64_t>(targets_.size());
    }
    sweeper_.run(sweep);
    cuda::copy(host_overflows_.data(), sweeper_.overflows().data(), host_overflows_.size(),
               stream_);
  }

  /// Writes the results of the batch that begins with the source first + done.
  void hand_over(cuda::RowCopier<W>& copier, std::int64_t first, std::int64_t done,
                 std::int64_t n) {
    const std::int64_t columns = problem_.n_columns();
    cuda::launch(stream_, (columns + lanes - 1) / lanes, cuda::threads_per_block, 0, turn_rows<W>,
                 rows_of(done), targets_.data(), columns, turned_rows(first + done, n));
    if (stays()) {
      stream_.synchronize();
    } else {
      copier.copy(turned_.data(), first + done, n);
    }
    for (std::int64_t i = done; i < done + n; ++i) {
      const bool overflows = host_overflows_[static_cast<std::size_t>(i)] != 0;
      const bool wants_tree = problem_.host.wants_tree() && !trees_.in_bands();
      if (overflows || wants_tree) finish_row(row_of(first + i), i, overflows, wants_tree);
      poll();
    }
    if (trees_.in_bands()) {
      trees_.write_batch(
          rows_of(done), first + done, n, copier.staging(),
          [this](std::int64_t i) { return row_of(i); },
          [&](std::int64_t i) { finish_row(row_of(i), i - first, false, true); });
    }
  }

  /// Where the rows of the sources first .. first + n - 1 are turned to.
  [[nodiscard]] TurnedRows<W> turned_rows(std::int64_t first, std::int64_t n) const {
    const auto n_sources = static_cast<int>(n);
    const ManyToManyResult<W>& result = problem_.host.result;
    if (!stays()) return {turned_.data(), problem_.n_columns(), nullptr, n_sources};
    if (device_order_.size() == 0) {
      return {result.distances_of(first), result.row_stride, nullptr, n_sources};
    }
    return {result.distances, result.row_stride, device_order_.data() + first, n_sources};
  }

  [[nodiscard]] std::int64_t row_of(std::int64_t i) const {
    return rows_in_order_.empty() ? i : rows_in_order_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] const W* rows_of(std::int64_t i) const {
    return rows_.data() + i / lanes * lanes * problem_.graph.n_vertices;
  }

  /// What is left to do with a row of the result, lane i of the last search.
  void finish_row(std::int64_t result_row, std::int64_t i, bool overflows, bool wants_tree) {
    const std::int64_t n = problem_.graph.n_vertices;
    const cuda::DeviceBuffer<W> row(static_cast<std::size_t>(n), stream_);
    cuda::launch_for(stream_, n, gather_lane<W>, rows_of(i) + i % lanes, n, row.data());
    if (overflows) {
      std::vector<W> distances(row.size());
      cuda::copy(distances.data(), row.data(), row.size(), stream_);
      stream_.synchronize();
      check_row<W>(problem_.host, distances);
    }
    if (wants_tree) trees_.write(result_row, row.data());
  }

  const CudaProblem<W>& problem_;
  const cuda::Stream& stream_;
  SweepOrder<W> order_;
  bool has_bands_;                // trees of a batch are found together
  const std::int64_t n_batches_;  // at once
  cuda::DeviceBuffer<vertex_t> targets_;
  Sweeper<W> sweeper_;
  cuda::DeviceBuffer<W> rows_;
  cuda::DeviceBuffer<W> ranks_;
  cuda::DeviceBuffer<W> turned_;
  cuda::DeviceBuffer<vertex_t> sources_;
  cuda::PinnedBuffer<int> host_overflows_;
  std::vector<std::int64_t> rows_in_order_;        // empty: as they come
  cuda::DeviceBuffer<std::int64_t> device_order_;  // the same, if results stay on the device
  DeviceTrees<W> trees_;
};

}  // namespace

template <class W>
void search_in_device_batches(const CudaProblem<W>& problem) {
  BatchedSearch<W>(problem).run();
}

#define WARPGRAPH_INSTANTIATE(W) template void search_in_device_batches<W>(const CudaProblem<W>&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::many_to_many_steps
