// Kernels of pagerank_multi() on CUDA devices: sweeps over a part of the rows.
#pragma once

#include "algorithms/pagerank/sweep_kernels.cuh"
#include "algorithms/pagerank/team/swept_parts.cuh"
#include "graph/partition/partition.hpp"

namespace warpgraph::pagerank {

/// The places where a member writes numbers of its rows' vertices: its own array of all vertices,
/// and those of others that need them.
struct PlacesInAll {
  RowPlaces places;
  double* own;
  int n_others;
  const std::uint32_t* needed;  // as in SweptPart; nullptr: others need all
  std::size_t n_words;
  double* others[max_parts];

  __device__ void write(std::int64_t row, double value) const {
    const vertex_t v = places[row];
    own[v] = value;
    for (int i = 0; i < n_others; ++i) {
      if (needed == nullptr || (needed[i * n_words + row / 32] >> row % 32 & 1u) != 0) {
        others[i][v] = value;
      }
    }
  }
};

/// The state after a round, the same for all members.
struct PartState {
  Iteration iteration;
  double mass;  // of dangling vertices
};

static __global__ void start_part(Start start, std::int64_t n_rows,
                                  const __grid_constant__ PlacesInAll to, Totals* copies) {
  Totals totals;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t row = cuda::global_index(); row < n_rows; row += stride) {
    to.write(row, start.contribution(totals, row));
  }
  add_totals(copies, totals);
}

/// A function for sum_rows() that updates the vertices of rows.
struct UpdatePartRow {
  const Update& update;
  const double* before;
  const PlacesInAll& to;
  const SweepState& state;
  Totals& totals;

  [[nodiscard]] __device__ SweepVectors vectors() const {
    return {before, to.own, state.mass, state.omega};
  }
  __device__ Update::Own load(vertex_t row) const {
    return Update::load(to.places[row], vectors());
  }
  __device__ void operator()(vertex_t row, edge_t degree, const Update::Own& own,
                             double received) const {
    const VertexState<OneLane> vertex{received,
                                      own.before,
                                      update.weight_sums.of(row, degree),
                                      update.dangling[row],
                                      update.personalization[row],
                                      own.older};
    double after = 0;
    update.write_contribution(totals, vertex, vectors(), after);
    to.write(row, after);
  }
};

/// Makes a sweep over the rows of a part, unless sweeps have converged.
template <class W, Kept kept>
__global__ void __launch_bounds__(max_threads(kept), 1)
    sweep_part(const __grid_constant__ SweepParameters all, const double* from,
               const __grid_constant__ PlacesInAll to, const PartState* before, Totals* copies) {
  __shared__ SweepState state;
  if (before->iteration.has_converged) return;
  if (threadIdx.x == 0) state = {before->mass, before->iteration.acceleration.omega()};
  __syncthreads();
  const DeviceContributions<kept> contributions{from, all.n_shared};
  contributions.load();
  Totals totals;
  cuda::sum_rows<kept == Kept::octets>(
      all.transposed, all.rows, received_along_arcs<W>(all.weights, contributions),
      UpdatePartRow{all.update, from, to, state, totals}, all.segment_sums,
      cuda::dynamic_shared<cuda::OctetStages>() + threadIdx.x / cuda::warp_lanes);
  add_totals(copies, totals);
}

/// The copies of the totals of each member; they may be in its own memory.
struct TotalsOfAll {
  int n;
  const Totals* copies[max_parts];
};

/// Computes the next state, by one warp. If is_start, the totals are those before the first sweep.
/// `next` is the own copies for the sweep after the next one.
static __global__ void end_sweep(PartState* state, const __grid_constant__ TotalsOfAll all,
                                 double change_bound, bool is_start, Totals* next) {
  Totals sum;
  for (int i = cuda::lane(); i < all.n * total_copies; i += cuda::warp_lanes) {
    sum.add(all.copies[i / total_copies][i % total_copies]);
  }
  auto* const parts = reinterpret_cast<double*>(&sum);
  for (unsigned p = 0; p < sizeof(Totals) / sizeof(double); ++p) {
    parts[p] = cuda::warp_sum(parts[p]);
  }
  if (cuda::lane() < total_copies) next[cuda::lane()] = {};
  if (cuda::lane() != 0 || state->iteration.has_converged) return;
  if (!is_start) state->iteration.end_sweep(sum.change.value(), change_bound);
  state->mass = sum.mass.value();
}

/// Writes the score of a row's vertex.
struct WriteScore {
  Scores scores;  // of rows, with the contributions of all vertices
  PlacesInAll to;
  __device__ void operator()(std::int64_t row) const {
    to.write(row, scores.of(row, scores.contributions[to.places[row]]));
  }
};

}  // namespace warpgraph::pagerank
