// Batches of 32 sources, several at once; batch_sweep.cuh tells how they are searched.
#include "algorithms/many_to_many/batch_sweep.cuh"
#include "algorithms/many_to_many/cuda_steps.hpp"
#include "algorithms/many_to_many/device_rows.hpp"
#include "core/interrupt.hpp"
#include "core/memory_budget.hpp"

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
/// The threshold rises by so many mean weights. Wide, since sources far from each other have their
/// wave fronts at different vertices anyway, and every round costs a barrier.
constexpr double weights_a_step = 4;
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

/// From 32 distances a vertex to rows of one source each: column c of row s is to[s * n_columns +
/// c]. A block turns 32 columns at a time in shared memory, so that both sides are read and written
/// in whole lines.
template <class W>
__global__ void turn_rows(const W* rows, const vertex_t* targets, std::int64_t n_columns, W* to) {
  __shared__ W tile[lanes][lanes + 1];
  const int x = static_cast<int>(threadIdx.x) % cuda::warp_lanes;
  const int y = static_cast<int>(threadIdx.x) / cuda::warp_lanes;
  const int step = static_cast<int>(blockDim.x) / cuda::warp_lanes;
  const std::int64_t first = blockIdx.x * lanes;
  for (int i = y; i < lanes && first + i < n_columns; i += step) {
    const std::int64_t vertex = targets != nullptr ? targets[first + i] : first + i;
    tile[i][x] = rows[vertex * lanes + x];
  }
  __syncthreads();
  if (first + x >= n_columns) return;
  for (int source = y; source < lanes; source += step) {
    to[source * n_columns + first + x] = tile[x][source];
  }
}

template <class W>
__global__ void gather_lane(const W* lane, std::int64_t n, W* to) {
  if (const std::int64_t i = cuda::global_index(); i < n) to[i] = lane[i * lanes];
}

template <class W>
class BatchedSearch {
 public:
  explicit BatchedSearch(const CudaProblem<W>& problem)
      : problem_(problem),
        stream_(problem.stream),
        n_batches_(affordable_batches()),
        n_items_(static_cast<std::size_t>(n_batches_ * problem.graph.n_vertices)),
        rows_(n_items_ * lanes, stream_),
        masks_(2 * n_items_, stream_),
        lists_(4 * n_items_, stream_),
        slices_(static_cast<std::size_t>(most_slices(n_batches_)), stream_),
        overflows_(static_cast<std::size_t>(n_batches_ * lanes), stream_),
        state_(1, stream_),
        turned_(static_cast<std::size_t>(lanes * problem.n_columns()), stream_),
        sources_(cuda::to_device(problem.host.sources, stream_)),
        targets_(cuda::to_device(problem.host.options.targets, stream_)),
        host_overflows_(overflows_.size()),
        copier_(problem.host.result, problem.n_columns(), stream_) {}

  void run() {
    const std::int64_t n = problem_.host.n_rows();
    for (std::int64_t first = 0; first < n; first += n_batches_ * lanes) {
      const std::int64_t some = std::min(n_batches_ * lanes, n - first);
      search(first, some);
      for (std::int64_t done = 0; done < some; done += lanes) {
        hand_over(first, done, std::min(lanes, some - done));
        report_progress(first + std::min(done + lanes, some), n);
      }
    }
  }

 private:
  /// A hub's slices are fewer than twice its arcs over those of a slice.
  [[nodiscard]] std::int64_t most_slices(std::int64_t n_batches) const {
    return n_batches * (2 * problem_.graph.n_arcs / slice_arcs + 1);
  }

  [[nodiscard]] std::size_t bytes_needed(std::int64_t n_batches) const {
    const std::size_t an_item = lanes * sizeof(W) + 2 * sizeof(unsigned) + 4 * sizeof(item_t);
    return static_cast<std::size_t>(n_batches * problem_.graph.n_vertices) * an_item +
           static_cast<std::size_t>(most_slices(n_batches)) * sizeof(Slice) +
           static_cast<std::size_t>(lanes * problem_.n_columns() + problem_.graph.n_vertices) *
               sizeof(W);
  }

  [[nodiscard]] std::int64_t affordable_batches() const {
    const std::int64_t numbered = std::numeric_limits<item_t>::max() / problem_.graph.n_vertices;
    const std::int64_t wanted = (problem_.host.n_rows() + lanes - 1) / lanes;
    std::int64_t n = std::min({wanted, numbered, most_batches});
    const MemoryBudget budget(stream_.device(), problem_.host.options.memory_limit);
    const std::size_t available = budget.available();
    while (n > 1 && bytes_needed(n) > available) n = (n + 1) / 2;
    budget.require("searching from a batch of 32 sources", bytes_needed(n),
                   "use method=\"dijkstra\", or ask for a narrower dtype");
    return n;
  }

  [[nodiscard]] W delta() const {
    const CsrView<W>& graph = problem_.host.graph;
    if (graph.weights == nullptr) return W{1};
    const edge_t step = graph.n_arcs / weights_looked_at + 1;
    double sum = 0;
    double n = 0;
    for (edge_t e = 0; e < graph.n_arcs; e += step) {
      if (graph.weights[e] == infinity<W>()) continue;
      sum += static_cast<double>(graph.weights[e]);
      n += 1;
    }
    const double wanted = n == 0 ? 0 : weights_a_step * sum / n;
    return wanted < static_cast<double>(infinity<W>()) ? static_cast<W>(wanted) : infinity<W>();
  }

  [[nodiscard]] Batches<W> batches(std::int64_t n_sources) const {
    Batches<W> view{};
    view.graph = problem_.graph;
    view.limit = problem_.host.options.limit;
    view.delta = delta();
    view.targets = targets_.data();
    view.n_targets = static_cast<std::int64_t>(targets_.size());
    view.n_sources = n_sources;
    view.n_items = static_cast<item_t>(n_items_);
    view.rows = rows_.data();
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

  /// Searches from the sources first .. first + n - 1.
  void search(std::int64_t first, std::int64_t n) {
    const Batches<W> view = batches(n);
    cuda::fill(rows_.data(), infinity<W>(), static_cast<std::int64_t>(rows_.size()), stream_);
    cuda::fill_bytes(masks_.data(), 0, masks_.size(), stream_);
    cuda::fill_bytes(overflows_.data(), 0, overflows_.size(), stream_);
    cuda::fill_bytes(state_.data(), 0, 1, stream_);
    cuda::launch_for(stream_, n, place_sources<W>, view, sources_.data() + first);
    const std::int64_t blocks =
        cuda::resident_blocks(stream_, sweep_batches<W>, cuda::threads_per_block, 0);
    const auto arcs_an_item =
        static_cast<std::uint64_t>(problem_.graph.n_arcs / problem_.graph.n_vertices + 1);
    do {
      cuda::launch_cooperative(stream_, blocks, cuda::threads_per_block, 0, sweep_batches<W>, view,
                               arcs_a_launch / arcs_an_item, slice_arcs / arcs_an_item + 1,
                               rounds_a_launch);
      poll();
    } while (cuda::read_back(&state_.data()->is_done, stream_) == 0);
    cuda::copy(host_overflows_.data(), overflows_.data(), overflows_.size(), stream_);
  }

  /// Writes the results of the batch that begins with the source first + done.
  void hand_over(std::int64_t first, std::int64_t done, std::int64_t n) {
    const std::int64_t columns = problem_.n_columns();
    cuda::launch(stream_, (columns + lanes - 1) / lanes, cuda::threads_per_block, 0, turn_rows<W>,
                 rows_of(done), targets_.data(), columns, turned_.data());
    copier_.copy(turned_.data(), first + done, n);
    for (std::int64_t i = done; i < done + n; ++i) {
      finish_row<W>(problem_.host, first + i, host_overflows_[static_cast<std::size_t>(i)] != 0,
                    [&] { return full_row(first, i); });
      poll();
    }
  }

  [[nodiscard]] const W* rows_of(std::int64_t source) const {
    return rows_.data() + source / lanes * lanes * problem_.graph.n_vertices;
  }

  /// All distances from the source first + i.
  std::span<W> full_row(std::int64_t first, std::int64_t i) {
    const std::int64_t n = problem_.graph.n_vertices;
    if (problem_.host.to_all()) {
      return {problem_.host.result.distances_of(first + i), static_cast<std::size_t>(n)};
    }
    full_row_.resize(static_cast<std::size_t>(n));
    const cuda::DeviceBuffer<W> row(full_row_.size(), stream_);
    cuda::launch_for(stream_, n, gather_lane<W>, rows_of(i) + i % lanes, n, row.data());
    cuda::copy(full_row_.data(), row.data(), full_row_.size(), stream_);
    stream_.synchronize();
    return full_row_;
  }

  const CudaProblem<W>& problem_;
  const cuda::Stream& stream_;
  const std::int64_t n_batches_;  // at once
  const std::size_t n_items_;
  cuda::DeviceBuffer<W> rows_;
  cuda::DeviceBuffer<unsigned> masks_;
  cuda::DeviceBuffer<item_t> lists_;
  cuda::DeviceBuffer<Slice> slices_;
  cuda::DeviceBuffer<int> overflows_;
  cuda::DeviceBuffer<SweepState<W>> state_;
  cuda::DeviceBuffer<W> turned_;
  cuda::DeviceBuffer<vertex_t> sources_;
  cuda::DeviceBuffer<vertex_t> targets_;
  cuda::PinnedBuffer<int> host_overflows_;
  RowCopier<W> copier_;
  std::vector<W> full_row_;
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
