// One cooperative launch summarises all weights. If they are nonnegative integers whose sum is not
// close enough, it also relaxes paths from a root to all vertices and back, in rounds over all
// arcs. These are real paths after any number of rounds, in whatever order they are found. So no
// two vertices are farther apart than the sum of the longest path to the root and the longest from
// it.
#include "core/atomics.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/warp.cuh"
#include "primitives/distance_bounds/device_distance_bound.hpp"
#include "primitives/relaxation/relax.hpp"

#include <cooperative_groups.h>

#include <algorithm>
#include <bit>

namespace warpgraph::shortest_paths {
namespace {

constexpr std::int64_t unknown = infinity<std::int64_t>();
/// Weight up to which the device sums: the sum over all vertices then fits 64 bits. The host treats
/// larger weights.
constexpr std::int64_t max_summed_weight = std::int64_t{1} << 31;

/// The result of the search; all 0 at first.
struct BoundState {
  std::int64_t sum;      // as in WeightSummary
  std::int64_t largest;  // the bits of the double, which have the same order
  std::int64_t farthest[max_bound_rounds][2];
  int decreased[max_bound_rounds];
  int fraction;
  int negative;
  int too_large;
  int rounds;
};

template <class R>
struct BoundSearch {
  CsrView<R> graph;
  int warps_per_row;
  BoundEffort effort;
  vertex_t root;
  std::int64_t* row_largest;       // 0 at first
  std::int64_t* root_distance[2];  // lengths of paths from the root, and to it
  BoundState* state;
};

__device__ void atomic_max(std::int64_t& target, std::int64_t value) {
  if (relaxed_load(target) >= value) return;
  atomicMax(reinterpret_cast<long long*>(&target), static_cast<long long>(value));
}

/// Calls visit(u, first, end) with all lanes of a warp for each of its parts of rows: an interval
/// of the arcs of u, of which a lane takes every 32nd.
template <class R, class Visit>
__device__ void for_each_row_part(const BoundSearch<R>& search, Visit&& visit) {
  const std::int64_t parts = std::int64_t{search.graph.n_vertices} * search.warps_per_row;
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * blockDim.x / cuda::warp_lanes;
  for (std::int64_t i = cuda::global_index() / cuda::warp_lanes; i < parts; i += warps) {
    const auto u = static_cast<vertex_t>(i / search.warps_per_row);
    const edge_t part = i % search.warps_per_row;
    const edge_t begin = search.graph.begin(u);
    const edge_t degree = search.graph.degree(u);
    visit(u, begin + degree * part / search.warps_per_row,
          begin + degree * (part + 1) / search.warps_per_row);
  }
}

template <class R>
__device__ void summarise_weights(const BoundSearch<R>& search) {
  for_each_row_part(search, [&](vertex_t u, edge_t first, edge_t end) {
    R least{};
    R most{};
    bool fraction = false;
    for (edge_t e = first + cuda::lane(); e < end; e += cuda::warp_lanes) {
      const R weight = weight_of(search.graph, e);
      if (weight == infinity<R>()) continue;
      least = weight < least ? weight : least;
      most = weight > most ? weight : most;
      if constexpr (std::is_floating_point_v<R>) fraction |= weight != floor(weight);
    }
    const double magnitude_of_least = -static_cast<double>(least);
    const double magnitude_of_most = static_cast<double>(most);
    const double largest =
        magnitude_of_least > magnitude_of_most ? magnitude_of_least : magnitude_of_most;
    const bool too_large = largest > static_cast<double>(max_summed_weight);
    const std::int64_t integer = cuda::warp_max(too_large ? 0 : static_cast<std::int64_t>(largest));
    const std::int64_t bits = cuda::warp_max(__double_as_longlong(largest));
    if (fraction) relaxed_store(search.state->fraction, 1);
    if (least < R{}) relaxed_store(search.state->negative, 1);
    if (too_large) relaxed_store(search.state->too_large, 1);
    if (cuda::lane() != 0) return;
    atomic_max(search.row_largest[u], integer);
    atomic_max(search.state->largest, bits);
  });
}

/// Relaxes the arcs of each warp's rows in both directions.
template <class R>
__device__ void relax_arcs(const BoundSearch<R>& search, int round) {
  for_each_row_part(search, [&](vertex_t u, edge_t first, edge_t end) {
    const std::int64_t from = relaxed_load(search.root_distance[0][u]);
    std::int64_t to = unknown;
    bool decreased = false;
    for (edge_t e = first + cuda::lane(); e < end; e += cuda::warp_lanes) {
      const R weight = weight_of(search.graph, e);
      if (weight == infinity<R>()) continue;
      const vertex_t head = search.graph.heads[e];
      const auto length = static_cast<std::int64_t>(weight);
      if (from != unknown) decreased |= lower(search.root_distance[0][head], from + length);
      const std::int64_t rest = relaxed_load(search.root_distance[1][head]);
      if (rest != unknown && rest + length < to) to = rest + length;
    }
    to = cuda::warp_min(to);
    if (cuda::lane() == 0) decreased |= lower(search.root_distance[1][u], to);
    if (decreased) relaxed_store(search.state->decreased[round], 1);
  });
}

template <class R>
__global__ void bound_kernel(BoundSearch<R> search) {
  const auto grid = cooperative_groups::this_grid();
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  BoundState& state = *search.state;
  summarise_weights(search);
  for (std::int64_t v = cuda::global_index(); v < search.graph.n_vertices; v += threads) {
    search.root_distance[0][v] = search.root_distance[1][v] = v == search.root ? 0 : unknown;
  }
  grid.sync();
  for (std::int64_t v = cuda::global_index(); v < search.graph.n_vertices; v += threads) {
    if (search.row_largest[v] == 0) continue;
    atomicAdd(reinterpret_cast<unsigned long long*>(&state.sum),
              static_cast<unsigned long long>(search.row_largest[v]));
  }
  grid.sync();
  const BoundEffort& effort = search.effort;
  const bool has_bound = state.fraction + state.negative + state.too_large == 0;
  if (!has_bound || state.sum <= effort.close_enough) return;
  const int rounds = state.sum > effort.far ? effort.rounds_if_far : effort.rounds;
  for (int round = 0; round < rounds; ++round) {
    relax_arcs(search, round);
    grid.sync();
    for (std::int64_t v = cuda::global_index(); v < search.graph.n_vertices; v += threads) {
      for (int direction = 0; direction < 2; ++direction) {
        atomic_max(state.farthest[round][direction], search.root_distance[direction][v]);
      }
    }
    if (cuda::global_index() == 0) state.rounds = round + 1;
    grid.sync();
    const std::int64_t from_root = state.farthest[round][0];
    const std::int64_t to_root = state.farthest[round][1];
    const bool close_enough =
        from_root != unknown && to_root != unknown && from_root + to_root <= effort.close_enough;
    if (close_enough || state.decreased[round] == 0) return;
  }
}

template <class R>
BoundState run_bound_search(const CsrView<R>& graph, vertex_t root, const BoundEffort& effort,
                            const cuda::Stream& stream) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  const cuda::DeviceBuffer<std::int64_t> values(3 * n, stream);
  const cuda::DeviceBuffer<BoundState> state(1, stream);
  cuda::fill_bytes(values.data(), 0, n, stream);
  cuda::fill_bytes(state.data(), 0, 1, stream);
  // A few hundred arcs a warp: enough to amortize its overhead, few enough to occupy all warps.
  const edge_t degree = graph.n_arcs / graph.n_vertices;
  const int warps_per_row = static_cast<int>(std::clamp<edge_t>(degree / 256, 1, 64));
  const BoundSearch<R> search{graph,         warps_per_row,
                              effort,        root,
                              values.data(), {values.data() + n, values.data() + 2 * n},
                              state.data()};
  const std::int64_t useful_blocks =
      (std::int64_t{graph.n_vertices} * warps_per_row * cuda::warp_lanes - 1) /
          cuda::threads_per_block +
      1;
  const std::int64_t resident_blocks =
      cuda::resident_blocks(stream, bound_kernel<R>, cuda::threads_per_block, 0);
  cuda::launch_cooperative(stream, std::min(resident_blocks, useful_blocks),
                           cuda::threads_per_block, 0, bound_kernel<R>, search);
  return cuda::read_back(state.data(), stream);
}

}  // namespace

template <class R>
DeviceBound bound_on_device(const CsrView<R>& graph, vertex_t root, const BoundEffort& effort,
                            const cuda::Stream& stream) {
  const BoundState state = run_bound_search(graph, root, effort, stream);
  DeviceBound found;
  found.is_complete = state.too_large == 0;
  found.weights = {state.fraction == 0, state.negative != 0, std::bit_cast<double>(state.largest),
                   std::min(state.sum, no_bound)};
  found.bound = found.weights.bound();
  if (state.rounds == 0) return found;
  const auto& farthest = state.farthest[state.rounds - 1];
  found.search_failed = farthest[0] >= no_bound || farthest[1] >= no_bound;
  if (!found.search_failed) found.bound = std::min(found.bound, farthest[0] + farthest[1]);
  return found;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(bound_on_device)

}  // namespace warpgraph::shortest_paths
