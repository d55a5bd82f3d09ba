// Sweeps of pagerank_cuda: one cooperative kernel runs several of them, with a barrier of the grid
// after each, so a sweep over a small graph takes a few microseconds.
#pragma once

#include "algorithms/pagerank/sweep.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/gather.cuh"
#include "core/interrupt.hpp"
#include "graph/device_csr.hpp"
#include "primitives/row_sums/device_row_sums.cuh"

#include <array>
#include <cstdint>

namespace warpgraph::pagerank {

/// The copies of totals to which blocks add: atomic additions to one place take a nanosecond each,
/// one after the other.
inline constexpr int total_copies = 8;
/// The arcs per second of a sweep at least, by which launches are kept short: half of what an H200
/// reads in random order where no cache holds the contributions, 4e10 as measured on 2026-11-21.
inline constexpr double arcs_per_second = 2e10;
/// The data that sweeps keep in dynamic shared memory: nothing; the contributions of the first
/// vertices, if those have the most arcs; or the heads of octets of rows (staged_rows.cuh).
enum class Kept : std::uint8_t { nothing, hubs, octets };

/// Returns the threads of a block, which takes a multiprocessor with all of its shared memory; each
/// thread has 64 registers, or 80 where octets are staged, whose loop needs more and leaves less
/// latency to hide.
[[nodiscard]] __host__ __device__ constexpr unsigned max_threads(Kept kept) {
  return kept == Kept::octets ? 768 : 1024;
}
inline constexpr int max_warps = max_threads(Kept::nothing) / cuda::warp_lanes;

/// The bytes of the octets of all warps of a block.
inline constexpr int octet_bytes =
    static_cast<int>(max_threads(Kept::octets) / cuda::warp_lanes * sizeof(cuda::OctetStages));

/// Returns the bytes of dynamic shared memory that a block may have.
inline int max_shared_bytes(const cuda::Stream& stream) {
  int bytes = 0;
  CUDA_TRY(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                  stream.device().index));
  return bytes;
}

/// Returns octets, if most of them can be staged and shared memory suffices, or nothing.
inline Kept octets_if_staged(const cuda::RowClasses::View& rows, const cuda::Stream& stream) {
  const bool stages = rows.stages_octets && max_shared_bytes(stream) >= octet_bytes;
  return stages ? Kept::octets : Kept::nothing;
}

/// The fewest contributions that are worth shared memory, an estimate: fewer save too few reads.
inline constexpr int least_shared = 8192;

/// Returns the contributions of hubs that a block keeps in shared memory: two thirds of it. Reads
/// in flight need the rest as first-level cache; if only a sixth is left, R-MAT of scale 22 takes a
/// third longer.
inline int shared_contributions(std::int64_t n_vertices, const cuda::Stream& stream) {
  const int most = max_shared_bytes(stream) * 2 / 3 / static_cast<int>(sizeof(double));
  return most < least_shared ? 0 : static_cast<int>(std::min<std::int64_t>(n_vertices, most));
}

/// Returns the threads per block: small graphs are spread over all multiprocessors.
inline unsigned threads_for(const CsrPattern& graph, const cuda::RowClasses::View& rows,
                            std::int64_t blocks, unsigned most) {
  constexpr std::int64_t lanes = cuda::warp_lanes;
  const std::int64_t n_warps =
      (graph.n_vertices + lanes - 1) / lanes + rows.n_segments * sum_lanes / lanes;
  const std::int64_t per_block = (n_warps + blocks - 1) / blocks;
  return static_cast<unsigned>(std::clamp(per_block * lanes, lanes, std::int64_t{most}));
}

struct DiffersFromDegree {
  const double* weight_sums;
  CsrPattern graph;
  unsigned int* differs;
  __device__ void operator()(std::int64_t v) const {
    const auto degree = static_cast<double>(graph.degree(static_cast<vertex_t>(v)));
    if (weight_sums[v] != degree) relaxed_store(*differs, 1u);
  }
};

/// Returns whether the weight sums, if there are any, are the numbers of arcs of the rows: then
/// sweeps read those from the offsets, and need no array. Waits.
inline bool are_degrees(const cuda::DeviceBuffer<double>& weight_sums, const CsrPattern& rows,
                        const cuda::Stream& stream) {
  if (weight_sums.size() == 0) return true;
  const cuda::DeviceBuffer<unsigned int> differs(1, stream);
  cuda::fill_bytes(differs.data(), 0, 1, stream);
  cuda::for_each(stream, rows.n_vertices,
                 DiffersFromDegree{weight_sums.data(), rows, differs.data()});
  return cuda::read_back(differs.data(), stream) == 0;
}

/// The totals of three sweeps. Those after k sweeps are in slot k % 3: while a sweep reads one slot
/// and adds to the next, the third one is set to 0 for the sweep after it.
struct SweepTotals {
  static constexpr int slots = 3;
  Totals copies[slots][total_copies];
};

/// Returns items[order[i]] for i in 0 .. n - 1, or items[i] without an order; nothing if there are
/// no items.
inline cuda::DeviceBuffer<double> in_order(std::span<const double> items, const vertex_t* order,
                                           std::int64_t n, const cuda::Stream& stream) {
  cuda::DeviceBuffer<double> given = cuda::to_device(items, stream);
  if (order == nullptr || items.empty()) return given;
  cuda::DeviceBuffer<double> ordered(static_cast<std::size_t>(n), stream);
  cuda::gather(given.data(), order, n, ordered.data(), stream);
  return ordered;
}

/// Adds each thread's totals to one of the copies. Totals are exact sums, so that the order in
/// which blocks add does not matter.
__device__ inline void add_totals(Totals* copies, Totals of_thread) {
  constexpr unsigned n_parts = sizeof(Totals) / sizeof(double);
  __shared__ double of_warps[n_parts][max_warps];
  auto* const parts = reinterpret_cast<double*>(&of_thread);
#pragma unroll
  for (unsigned p = 0; p < n_parts; ++p) {
    const double sum = cuda::warp_sum(parts[p]);
    if (cuda::lane() == 0) of_warps[p][threadIdx.x / cuda::warp_lanes] = sum;
  }
  __syncthreads();
  if (threadIdx.x >= n_parts) return;
  double sum = 0;
  for (unsigned w = 0; w < blockDim.x / cuda::warp_lanes; ++w) sum += of_warps[threadIdx.x][w];
  Totals& copy = copies[blockIdx.x % total_copies];
  atomicAdd(reinterpret_cast<double*>(&copy) + threadIdx.x, sum);
}

/// Returns the totals after `sweeps` sweeps, which a barrier of the grid precedes. The reads leave
/// the first-level cache to contributions.
__device__ inline Totals totals_after(const SweepTotals& all, int sweeps) {
  Totals sum;
  for (const Totals& copy : all.copies[sweeps % SweepTotals::slots]) {
    sum.add({{__ldcg(&copy.change.high), __ldcg(&copy.change.low)},
             {__ldcg(&copy.mass.high), __ldcg(&copy.mass.low)}});
  }
  return sum;
}

/// The contributions before a sweep, some of them in shared memory.
template <Kept kept>
struct DeviceContributions {
  const double* items;
  int n_shared;

  __device__ double operator[](vertex_t v) const {
    if constexpr (kept == Kept::hubs) {
      if (v < n_shared) return cuda::dynamic_shared<double>()[v];
    }
    return items[v];
  }
  /// Loads contributions to shared memory. All threads of a block call it, before each sweep.
  __device__ void load() const {
    if constexpr (kept == Kept::hubs) {
      for (int v = static_cast<int>(threadIdx.x); v < n_shared; v += static_cast<int>(blockDim.x)) {
        cuda::dynamic_shared<double>()[v] = items[v];
      }
      __syncthreads();
    }
  }
};

/// The parameters that all sweeps have in common.
struct SweepParameters {
  CsrPattern transposed;
  cuda::RowClasses::View rows;
  const void* weights;
  Update update;
  double* contributions[2];  // after an even and an odd number of sweeps
  int n_shared;              // as in DeviceContributions
  double change_bound;
  double* segment_sums;
  SweepTotals* totals;
  Iteration* iteration;  // from one launch to the next
};

/// Returns the function of an arc for weights of type W, or void if all are 1. Only the kernels of
/// sweeps depend on it.
template <class W, class Contributions>
__device__ auto received_along_arcs(const void* weights, Contributions contributions) {
  if constexpr (std::is_void_v<W>) {
    return ReceivedUnweighted<Contributions>{contributions};
  } else {
    return Received<W, Contributions>{contributions, static_cast<const W*>(weights)};
  }
}

/// The vectors that a caller gives, on a device. of_rows(items) copies the numbers of the rows
/// there.
class GivenVectors {
 public:
  template <class OfRows>
  GivenVectors(const PageRankVectors& vectors, std::int64_t n_vertices, const OfRows& of_rows)
      : n_(n_vertices),
        personalization_(of_rows(vectors.personalization)),
        dangling_(of_rows(vectors.dangling)),
        start_(of_rows(vectors.start)) {}

  /// Returns the update. Ranks of dangling vertices go where restarts go, unless that is given.
  [[nodiscard]] Update update(const WeightSums& weight_sums, double alpha) const {
    const Distribution restarts = distribution(personalization_.data(), n_);
    return {restarts, dangling_.size() == 0 ? restarts : distribution(dangling_.data(), n_),
            weight_sums, alpha, 1 - alpha};
  }
  [[nodiscard]] Start start(const WeightSums& weight_sums, double* contributions) const {
    return {distribution(start_.data(), n_), weight_sums, contributions};
  }
  [[nodiscard]] static std::size_t bytes(const PageRankVectors& vectors, std::size_t n_rows) {
    const int n_given =
        !vectors.personalization.empty() + !vectors.dangling.empty() + !vectors.start.empty();
    return static_cast<std::size_t>(n_given) * n_rows * sizeof(double);
  }

 private:
  std::int64_t n_;
  cuda::DeviceBuffer<double> personalization_;
  cuda::DeviceBuffer<double> dangling_;
  cuda::DeviceBuffer<double> start_;
};

/// Sweeps until convergence. sweep(first, last) makes those that follow sweep `first` up to `last`,
/// at most `together` of them, and returns the state after them.
template <class Sweep>
Iteration run_together(const PageRankOptions& options, int together, const Sweep& sweep) {
  Iteration iteration = first_iteration(options);
  while (!iteration.has_converged && iteration.sweeps < options.max_sweeps) {
    report_progress(iteration.sweeps, options.max_sweeps);
    const auto last =
        std::min<std::int64_t>(options.max_sweeps, std::int64_t{iteration.sweeps} + together);
    iteration = sweep(iteration.sweeps, static_cast<int>(last));
  }
  report_progress(options.max_sweeps, options.max_sweeps);
  return iteration;
}

/// A graph, and the kernels of its sweeps, which depend on the type of the weights.
/// Kernels::of<W>() are those for weights of type W, or void if all are 1.
template <class Kernels>
struct SweptGraph {
  AnyCsrView transposed;
  std::array<typename Kernels::Kernel, 3> kernels;  // by Kept
  std::uint64_t variant;                            // of structures that are kept with the graph

  template <class W>
  explicit SweptGraph(const CsrView<W>& graph)
      : transposed(graph),
        kernels(graph.weights == nullptr ? Kernels::template of<void>()
                                         : Kernels::template of<W>()),
        variant(graph.weights == nullptr ? 0 : sizeof(W) + (std::is_integral_v<W> ? 1 : 0)) {}
};

/// A kernel of sweeps with the parameters of its launch.
template <class Kernel>
struct SweepLaunch {
  Kernel kernel;
  std::size_t shared_bytes;
  std::int64_t blocks;  // that run concurrently
  unsigned threads;
};

/// Plans a launch of one of `kernels`, which are indexed by the data that they keep in shared
/// memory. n_candidates is the number of vertices that may be kept as hubs: all, if those with the
/// most arcs come first, else 0. Sets all.n_shared.
template <class Kernel>
SweepLaunch<Kernel> plan_launch(const std::array<Kernel, 3>& kernels, SweepParameters& all,
                                std::int64_t n_candidates, const cuda::Stream& stream) {
  all.n_shared = n_candidates > 0 ? shared_contributions(n_candidates, stream) : 0;
  const Kept kept = all.n_shared > 0 ? Kept::hubs : octets_if_staged(all.rows, stream);
  const std::size_t bytes = kept == Kept::octets
                                ? std::size_t{octet_bytes}
                                : static_cast<std::size_t>(all.n_shared) * sizeof(double);
  const Kernel kernel = kernels[static_cast<std::size_t>(kept)];
  const std::int64_t blocks = cuda::resident_blocks(stream, kernel, max_threads(kept), bytes);
  return {kernel, bytes, blocks, threads_for(all.transposed, all.rows, blocks, max_threads(kept))};
}

/// The values that a sweep begins with besides the contributions, in shared memory, since registers
/// are few.
struct SweepState {
  double mass;
  double omega;
};

/// A function for sum_rows() that updates vertices.
struct UpdateRow {
  const Update& update;
  const double* before;
  double* after;
  const SweepState& state;
  Totals& totals;

  [[nodiscard]] __device__ SweepVectors vectors() const {
    return {before, after, state.mass, state.omega};
  }
  __device__ Update::Own load(vertex_t v) const { return update.load(v, vectors()); }
  __device__ void operator()(vertex_t v, edge_t degree, const Update::Own& own,
                             double received) const {
    update(totals, v, degree, own, received, vectors());
  }
};

/// Sweeps until there are `last`, or until they converge.
template <class W, Kept kept>
__global__ void __launch_bounds__(max_threads(kept), 1)
    run_sweeps(const __grid_constant__ SweepParameters all, int last) {
  __shared__ Iteration iteration;
  __shared__ SweepState state;
  if (threadIdx.x == 0) iteration = *all.iteration;
  do {
    if (threadIdx.x == 0) {
      state = {totals_after(*all.totals, iteration.sweeps).mass.value(),
               iteration.acceleration.omega()};
    }
    __syncthreads();
    const bool is_odd = iteration.sweeps % 2 == 1;
    const double* const from = is_odd ? all.contributions[1] : all.contributions[0];
    double* const to = is_odd ? all.contributions[0] : all.contributions[1];
    const DeviceContributions<kept> before{from, all.n_shared};
    before.load();
    Totals totals;
    cuda::sum_rows<kept == Kept::octets>(
        all.transposed, all.rows, received_along_arcs<W>(all.weights, before),
        UpdateRow{all.update, from, to, state, totals}, all.segment_sums,
        cuda::dynamic_shared<cuda::OctetStages>() + threadIdx.x / cuda::warp_lanes);
    const int sweeps = iteration.sweeps + 1;
    add_totals(all.totals->copies[sweeps % SweepTotals::slots], totals);
    if (blockIdx.x == 0 && threadIdx.x < total_copies) {
      all.totals->copies[(sweeps + 1) % SweepTotals::slots][threadIdx.x] = {};
    }
    cooperative_groups::this_grid().sync();
    if (threadIdx.x == 0) {
      iteration.end_sweep(totals_after(*all.totals, sweeps).change.value(), all.change_bound);
    }
    __syncthreads();
  } while (!iteration.has_converged && iteration.sweeps < last);
  if (cuda::global_index() == 0) *all.iteration = iteration;
}

}  // namespace warpgraph::pagerank
