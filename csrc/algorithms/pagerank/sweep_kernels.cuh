// Sweeps of pagerank_cuda: one cooperative kernel runs several of them, with a barrier of the grid
// after each, so a sweep over a small graph takes a few microseconds.
#pragma once

#include "algorithms/pagerank/sweep.hpp"
#include "primitives/row_sums/device_row_sums.cuh"

namespace warpgraph::pagerank {

/// Blocks add their totals to different copies: atomic additions to one place take a nanosecond
/// each, one after the other.
inline constexpr int total_copies = 8;
inline constexpr int threads = static_cast<int>(cuda::threads_per_block);
inline constexpr int warps = threads / cuda::warp_lanes;

/// The totals after k sweeps are in slot k % 3: while a sweep reads one slot and adds to the next,
/// the third one is set to 0 for the sweep after it.
struct SweepTotals {
  static constexpr int slots = 3;
  Totals copies[slots][total_copies];
};

/// Adds each thread's totals to those after `sweeps` sweeps.
__device__ inline void add_totals(SweepTotals& all, int sweeps, Totals of_thread) {
  constexpr unsigned n_parts = sizeof(Totals) / sizeof(double);
  __shared__ double of_warps[n_parts][warps];
  auto* const parts = reinterpret_cast<double*>(&of_thread);
#pragma unroll
  for (unsigned p = 0; p < n_parts; ++p) {
    const double sum = cuda::warp_sum(parts[p]);
    if (cuda::lane() == 0) of_warps[p][threadIdx.x / cuda::warp_lanes] = sum;
  }
  __syncthreads();
  if (threadIdx.x >= n_parts) return;
  double sum = 0;
  for (const double of_warp : of_warps[threadIdx.x]) sum += of_warp;
  Totals& copy = all.copies[sweeps % SweepTotals::slots][blockIdx.x % total_copies];
  atomicAdd(reinterpret_cast<double*>(&copy) + threadIdx.x, sum);
}

/// The totals after `sweeps` sweeps. Other blocks have written them: not through the first-level
/// cache.
__device__ inline Totals totals_after(const SweepTotals& all, int sweeps) {
  Totals sum;
  for (const Totals& copy : all.copies[sweeps % SweepTotals::slots]) {
    sum.add({{__ldcg(&copy.change.high), __ldcg(&copy.change.low)},
             {__ldcg(&copy.mass.high), __ldcg(&copy.mass.low)}});
  }
  return sum;
}

static __global__ void start_sweeps(Start start, std::int64_t n_vertices, SweepTotals* all) {
  Totals totals;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t v = cuda::global_index(); v < n_vertices; v += stride) start(totals, v);
  add_totals(*all, 0, totals);
}

/// For 64 registers a thread. Each thread has 8 reads of heads in flight, so that 32 KB are, which
/// the latency of memory needs at full bandwidth. A fifth block would cost 48 spilled registers.
inline constexpr int blocks_per_multiprocessor = 4;

/// What all sweeps have in common.
template <class Value>
struct SweepParameters {
  CsrPattern transposed;
  cuda::RowPartition::View rows;
  Value value;
  Update update;
  double* contributions[2];  // after an even and an odd number of sweeps
  double tolerance;
  double* segment_sums;
  SweepTotals* totals;
  Iteration* iteration;  // from one launch to the next
};

/// Sweeps until there are `last`, or until they converge.
template <class Value>
__global__ void __launch_bounds__(cuda::threads_per_block, blocks_per_multiprocessor)
    run_sweeps(const __grid_constant__ SweepParameters<Value> all, int last) {
  __shared__ cuda::RowSumsScratch scratch;
  __shared__ double mass;
  __shared__ Iteration iteration;
  if (threadIdx.x == 0) {
    iteration = *all.iteration;
    mass = totals_after(*all.totals, iteration.sweeps).mass.value();
  }
  __syncthreads();
  int sweeps = iteration.sweeps;
  do {
    const SweepVectors vectors{all.contributions[sweeps % 2], all.contributions[(sweeps + 1) % 2],
                               mass, iteration.acceleration.omega()};
    Value value = all.value;
    value.contributions = vectors.before;
    Totals totals;
    cuda::sum_rows(
        all.transposed, all.rows, value,
        [&](vertex_t v, double received) { all.update(totals, v, received, vectors); },
        all.segment_sums, scratch);
    ++sweeps;
    add_totals(*all.totals, sweeps, totals);
    if (blockIdx.x == 0 && threadIdx.x < total_copies) {
      all.totals->copies[(sweeps + 1) % SweepTotals::slots][threadIdx.x] = {};
    }
    cooperative_groups::this_grid().sync();
    if (threadIdx.x == 0) {
      const Totals totals = totals_after(*all.totals, sweeps);
      mass = totals.mass.value();
      iteration.end_sweep(totals.change.value(), all.tolerance);
    }
    __syncthreads();
  } while (!iteration.has_converged && sweeps < last);
  if (cuda::global_index() == 0) *all.iteration = iteration;
}

}  // namespace warpgraph::pagerank
