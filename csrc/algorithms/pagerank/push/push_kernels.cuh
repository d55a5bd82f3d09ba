// Rounds of pagerank_push_cuda: one cooperative kernel runs several of them, with a barrier of the
// grid before and after the pushes. All blocks keep the same state and take the same decisions.
#pragma once

#include "algorithms/pagerank/push/residuals.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/worklist.cuh"
#include "primitives/row_chunks.cuh"

namespace warpgraph::pagerank {

inline constexpr unsigned push_threads = 1024;
/// Arcs of a chunk of a row: few enough that a warp's 32 chunks do not outlast the round.
inline constexpr edge_t device_chunk_arcs = 256;

/// The sums over all rounds, modulo 2^64. Those of a round are differences, since setting sums to 0
/// in each round would take another barrier. While a block reads some of them, no block adds to
/// these.
struct PushCounters {
  unsigned long long taken;
  unsigned long long dangling;
  unsigned long long arcs;
  unsigned long long chunks;
  unsigned long long given;
  unsigned long long spread;
  unsigned long long reached;
};

/// The progress that the host reads after a launch.
struct PushProgress {
  PushState state;
  PushCounters counters;
};

template <class W>
struct DevicePushView {
  PushView<W> numbers;
  Support dangling;
  PushLimits limits;
  cuda::WorklistView<vertex_t> reached;
  FrontierChunk* chunks;
  PushProgress* progress;

  /// Adds an amount to the residual of a vertex and returns the amount.
  __device__ unsigned long long give(vertex_t v, Units amount) const {
    if (amount == 0) return 0;
    const auto added = static_cast<unsigned long long>(amount);
    auto* const residual = reinterpret_cast<unsigned long long*>(numbers.residuals + v);
    // This is its first residual: a vertex that has been pushed has a score. Scores do not change
    // now.
    if (atomicAdd(residual, added) == 0 && relaxed_load(numbers.scores[v]) == 0) reached.push(v);
    return added;
  }

  /// Distributes an amount, by the whole grid.
  __device__ void spread(const Support& to, Units amount) const {
    unsigned long long given = 0;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = cuda::global_index(); i < to.size; i += stride) {
      given += give(to.vertex(i), to.share(amount, i));
    }
    add(progress->counters.spread, given);
  }

  /// Adds the values of a warp's lanes, all of which call this.
  static __device__ void add(unsigned long long& place, unsigned long long value) {
    const unsigned long long sum = cuda::warp_sum(value);
    if (sum != 0 && cuda::lane() == 0) atomicAdd(&place, sum);
  }
};

/// The shared memory of a block.
struct PushMemory {
  PushState state;
  PushCounters before;  // the round
  PushTotals totals;
  std::int64_t n_reached;
  std::int64_t n_chunks;
};

template <class W>
class BlockPush {
 public:
  __device__ BlockPush(const DevicePushView<W>& view, PushMemory& memory)
      : view_(view), counters_(view.progress->counters), memory_(memory) {}

  /// Runs rounds until they have ended or taken as much time as `budget` visits.
  __device__ void run(const PushProgress& before, std::int64_t budget) {
    if (threadIdx.x == 0) {
      memory_.state = before.state;
      memory_.before = before.counters;
    }
    __syncthreads();
    do {
      if (threadIdx.x == 0) memory_.n_reached = read(counters_.reached);
      __syncthreads();
      fill_frontier();
      sync_grid();
      take_totals();
      if (view_.limits.is_too_long(memory_.state)) break;
      push_frontier();
      sync_grid();
      end_round();
      if (memory_.state.spreads()) spread();
    } while (!view_.limits.has_ended(memory_.state) && memory_.state.cost() < budget);
    if (blockIdx.x == 0 && threadIdx.x == 0) view_.progress->state = memory_.state;
  }

 private:
  static __device__ void sync_grid() { cooperative_groups::this_grid().sync(); }
  static __device__ std::int64_t read(const unsigned long long& counter) {
    return static_cast<std::int64_t>(relaxed_load(counter));
  }
  /// Returns by how much a counter has grown since it was read last.
  static __device__ std::int64_t growth(const unsigned long long& counter,
                                        unsigned long long& before) {
    const unsigned long long now = relaxed_load(counter);
    const unsigned long long grown = now - before;
    before = now;
    return static_cast<std::int64_t>(grown);
  }

  /// Takes the residuals of the vertices that the round pushes, and lists the chunks of their rows.
  __device__ void fill_frontier() {
    const Units threshold = memory_.state.threshold(memory_.n_reached);
    PushTotals totals;
    const std::int64_t stride = cuda::n_global_warps() * cuda::warp_lanes;
    for (std::int64_t first = cuda::global_warp() * cuda::warp_lanes; first < memory_.n_reached;
         first += stride) {
      const std::int64_t i = first + cuda::lane();
      vertex_t v = no_vertex;
      if (i < memory_.n_reached) {
        v = relaxed_load(view_.reached.items[i]);
        if (relaxed_load(view_.numbers.residuals[v]) < threshold) v = no_vertex;
      }
      append_chunks(v, v == no_vertex ? 0 : take(v, totals));
    }
    view_.add(counters_.taken, static_cast<unsigned long long>(totals.taken));
    view_.add(counters_.dangling, static_cast<unsigned long long>(totals.dangling));
    view_.add(counters_.arcs, static_cast<unsigned long long>(totals.arcs));
  }

  /// Takes the residual of v to push it. Returns the share of an arc of weight 1.
  __device__ double take(vertex_t v, PushTotals& totals) const {
    const PushView<W>& numbers = view_.numbers;
    const Units amount = relaxed_load(numbers.residuals[v]);
    relaxed_store(numbers.residuals[v], Units{0});
    relaxed_store(numbers.scores[v], relaxed_load(numbers.scores[v]) + static_cast<double>(amount));
    return numbers.take(v, amount, totals);
  }

  /// Appends the chunks of the rows of a warp's vertices. All its lanes call it.
  __device__ void append_chunks(vertex_t v, double per_weight) {
    const edge_t degree = v == no_vertex ? 0 : view_.numbers.graph.degree(v);
    const auto n = static_cast<int>(chunks_of(degree, device_chunk_arcs));
    const int start = cuda::warp_exclusive_sum(n);
    const int total = __shfl_sync(cuda::all_lanes, start + n, cuda::warp_lanes - 1);
    if (total == 0) return;
    const unsigned long long first =
        cuda::warp_fetch_add(counters_.chunks, static_cast<unsigned long long>(total));
    FrontierChunk* const chunks = view_.chunks + (first - memory_.before.chunks) + start;
    for (int i = 0; i < n; ++i) chunks[i] = {v, static_cast<std::uint32_t>(i), per_weight};
  }

  /// Reads the sums of fill_frontier(), after a barrier.
  __device__ void take_totals() {
    if (threadIdx.x == 0) {
      memory_.totals.taken = growth(counters_.taken, memory_.before.taken);
      memory_.totals.dangling = growth(counters_.dangling, memory_.before.dangling);
      memory_.totals.arcs = growth(counters_.arcs, memory_.before.arcs);
      memory_.n_chunks = growth(counters_.chunks, memory_.before.chunks);
      memory_.state.count_visits(memory_.totals, memory_.n_reached);
    }
    __syncthreads();
  }

  /// Gives the shares of the residuals that were taken to the heads of the listed chunks.
  __device__ void push_frontier() {
    const CsrView<W>& graph = view_.numbers.graph;
    const std::int64_t n = memory_.n_chunks;
    const std::int64_t share = share_of_warp(n);
    unsigned long long given = 0;
    for (std::int64_t first = cuda::global_warp() * share; first < n;
         first += cuda::n_global_warps() * share) {
      const std::int64_t i = first + cuda::lane();
      vertex_t tail = no_vertex;
      edge_t begin = 0;
      int n_arcs = 0;
      double per_weight = 0;
      if (cuda::lane() < share && i < n) {
        const FrontierChunk chunk = view_.chunks[i];
        tail = chunk.vertex;
        per_weight = chunk.per_weight;
        begin = graph.begin(tail) + edge_t{chunk.index} * device_chunk_arcs;
        const edge_t left = graph.end(tail) - begin;
        n_arcs = static_cast<int>(left < device_chunk_arcs ? left : device_chunk_arcs);
      }
      visit_chunks<1>(graph, tail, begin, n_arcs, [&](const LaneArcs(&arcs)[1]) {
        const double of_owner = __shfl_sync(cuda::all_lanes, per_weight, arcs[0].owner);
        if (arcs[0].head == no_vertex) return;
        given += view_.give(arcs[0].head, view_.numbers.share(of_owner, arcs[0].position));
      });
    }
    view_.add(counters_.given, given);
  }

  __device__ void end_round() {
    if (threadIdx.x == 0) {
      memory_.totals.given = growth(counters_.given, memory_.before.given);
      memory_.state.end_round(memory_.totals);
    }
    __syncthreads();
  }

  /// Distributes the pool to the dangling distribution.
  __device__ void spread() {
    view_.spread(view_.dangling, memory_.state.pool);
    sync_grid();
    if (threadIdx.x == 0) {
      memory_.state.end_spread(growth(counters_.spread, memory_.before.spread),
                               view_.dangling.size);
    }
    __syncthreads();
  }

  const DevicePushView<W>& view_;
  PushCounters& counters_;
  PushMemory& memory_;
};

template <class W>
__global__ void __launch_bounds__(push_threads, 1)
    run_rounds(const __grid_constant__ DevicePushView<W> view,
               const __grid_constant__ PushProgress before, std::int64_t budget) {
  __shared__ PushMemory memory;
  BlockPush<W>(view, memory).run(before, budget);
}

template <class W>
__global__ void spread_to(const __grid_constant__ DevicePushView<W> view, Support to,
                          Units amount) {
  view.spread(to, amount);
}

}  // namespace warpgraph::pagerank
