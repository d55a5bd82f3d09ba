// One cooperative launch looks at all weights and, if they are integers, not negative and too large
// for the narrowest lane to be certain, searches for ways from a root to all vertices and back, by
// rounds over all arcs. Such ways are real after any number of rounds, in whatever order they are
// found, so the longest of them are a proof that no two vertices are farther apart than both.
#include "algorithms/apsp/bound.hpp"
#include "algorithms/apsp/survey.hpp"
#include "core/atomics.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/warp.cuh"

#include <cooperative_groups.h>

#include <algorithm>
#include <bit>

namespace warpgraph::apsp_steps {
namespace {

constexpr int most_rounds = 16;
constexpr std::int64_t unknown = infinity<std::int64_t>();
/// Larger weights are left to the host: the sum of so many over all vertices fits 64 bits.
constexpr std::int64_t largest_surveyed = std::int64_t{1} << 31;

/// What is found; all 0 at first.
struct Findings {
  std::int64_t sum;      // as in WeightSummary
  std::int64_t largest;  // the bits of the double, which order as it does
  std::int64_t farthest[most_rounds][2];
  int shortened[most_rounds];
  int fraction;
  int negative;
  int too_large;
  int rounds;
};

template <class R>
struct Survey {
  CsrView<R> graph;
  int warps_a_row;
  SurveyRounds rounds;
  vertex_t root;
  std::int64_t* row_largest;  // 0 at first
  std::int64_t* ways[2];      // from the root, and to it
  Findings* found;

  [[nodiscard]] __device__ R weight(edge_t e) const {
    return graph.weights != nullptr ? graph.weights[e] : R{1};
  }
};

__device__ void raise(std::int64_t& place, std::int64_t value) {
  if (relaxed_load(place) >= value) return;
  atomicMax(reinterpret_cast<long long*>(&place), static_cast<long long>(value));
}

__device__ std::int64_t warp_max(std::int64_t value) { return -cuda::warp_min(-value); }

/// Calls visit(u, first, end) with all lanes of a warp for each part of a row that it has: those
/// arcs of u, of which a lane takes every 32nd.
template <class R, class Visit>
__device__ void visit_parts(const Survey<R>& survey, Visit&& visit) {
  const std::int64_t parts = std::int64_t{survey.graph.n_vertices} * survey.warps_a_row;
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * blockDim.x / cuda::warp_lanes;
  for (std::int64_t i = cuda::global_index() / cuda::warp_lanes; i < parts; i += warps) {
    const auto u = static_cast<vertex_t>(i / survey.warps_a_row);
    const edge_t part = i % survey.warps_a_row;
    const edge_t begin = survey.graph.begin(u);
    const edge_t degree = survey.graph.degree(u);
    visit(u, begin + degree * part / survey.warps_a_row,
          begin + degree * (part + 1) / survey.warps_a_row);
  }
}

template <class R>
__device__ void summarise_weights(const Survey<R>& survey) {
  visit_parts(survey, [&](vertex_t u, edge_t first, edge_t end) {
    R least{};
    R most{};
    bool fraction = false;
    for (edge_t e = first + cuda::lane(); e < end; e += cuda::warp_lanes) {
      const R weight = survey.weight(e);
      if (weight == infinity<R>()) continue;
      least = weight < least ? weight : least;
      most = weight > most ? weight : most;
      if constexpr (std::is_floating_point_v<R>) fraction |= weight != floor(weight);
    }
    const double of_least = -static_cast<double>(least);
    const double of_most = static_cast<double>(most);
    const double largest = of_least > of_most ? of_least : of_most;
    const bool too_large = largest > static_cast<double>(largest_surveyed);
    const std::int64_t whole = warp_max(too_large ? 0 : static_cast<std::int64_t>(largest));
    const std::int64_t bits = warp_max(__double_as_longlong(largest));
    if (fraction) relaxed_store(survey.found->fraction, 1);
    if (least < R{}) relaxed_store(survey.found->negative, 1);
    if (too_large) relaxed_store(survey.found->too_large, 1);
    if (cuda::lane() != 0) return;
    raise(survey.row_largest[u], whole);
    raise(survey.found->largest, bits);
  });
}

/// Each warp goes the arcs of its rows, forth and back.
template <class R>
__device__ void shorten_ways(const Survey<R>& survey, int round) {
  visit_parts(survey, [&](vertex_t u, edge_t first, edge_t end) {
    const std::int64_t from = relaxed_load(survey.ways[0][u]);
    std::int64_t to = unknown;
    bool shortened = false;
    for (edge_t e = first + cuda::lane(); e < end; e += cuda::warp_lanes) {
      const R weight = survey.weight(e);
      if (weight == infinity<R>()) continue;
      const vertex_t head = survey.graph.heads[e];
      const auto length = static_cast<std::int64_t>(weight);
      if (from != unknown) shortened |= lower(survey.ways[0][head], from + length);
      const std::int64_t rest = relaxed_load(survey.ways[1][head]);
      if (rest != unknown && rest + length < to) to = rest + length;
    }
    to = cuda::warp_min(to);
    if (cuda::lane() == 0) shortened |= lower(survey.ways[1][u], to);
    if (shortened) relaxed_store(survey.found->shortened[round], 1);
  });
}

template <class R>
__global__ void survey_kernel(Survey<R> survey) {
  const auto grid = cooperative_groups::this_grid();
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  Findings& found = *survey.found;
  summarise_weights(survey);
  for (std::int64_t v = cuda::global_index(); v < survey.graph.n_vertices; v += threads) {
    survey.ways[0][v] = survey.ways[1][v] = v == survey.root ? 0 : unknown;
  }
  grid.sync();
  for (std::int64_t v = cuda::global_index(); v < survey.graph.n_vertices; v += threads) {
    if (survey.row_largest[v] == 0) continue;
    atomicAdd(reinterpret_cast<unsigned long long*>(&found.sum),
              static_cast<unsigned long long>(survey.row_largest[v]));
  }
  grid.sync();
  constexpr std::int64_t most_16 = ArithmeticOf<Lane::uint16>::most;
  constexpr std::int64_t most_32 = ArithmeticOf<Lane::int32>::most;
  if (found.fraction + found.negative + found.too_large > 0 || found.sum <= most_16) return;
  const bool is_long = found.sum > most_32 && suits<Lane::int32, R>;
  const int rounds = is_long ? survey.rounds.to_32_bits : survey.rounds.to_16_bits;
  for (int round = 0; round < rounds; ++round) {
    shorten_ways(survey, round);
    grid.sync();
    for (std::int64_t v = cuda::global_index(); v < survey.graph.n_vertices; v += threads) {
      for (int way = 0; way < 2; ++way) raise(found.farthest[round][way], survey.ways[way][v]);
    }
    if (cuda::global_index() == 0) found.rounds = round + 1;
    grid.sync();
    const std::int64_t there = found.farthest[round][0];
    const std::int64_t back = found.farthest[round][1];
    const bool close_enough = there != unknown && back != unknown && there + back <= most_16;
    if (close_enough || found.shortened[round] == 0) return;
  }
}

template <class R>
Findings survey_on(const CsrView<R>& graph, vertex_t root, SurveyRounds rounds,
                   const cuda::Stream& stream) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  const cuda::DeviceBuffer<std::int64_t> numbers(3 * n, stream);
  const cuda::DeviceBuffer<Findings> found(1, stream);
  cuda::fill_bytes(numbers.data(), 0, n, stream);
  cuda::fill_bytes(found.data(), 0, 1, stream);
  // A few hundred arcs a warp: enough to be worth its while, few enough for all warps to have some.
  const edge_t degree = graph.n_arcs / graph.n_vertices;
  const int warps_a_row = static_cast<int>(std::clamp<edge_t>(degree / 256, 1, 64));
  const Survey<R> survey{
      graph,
      warps_a_row,
      {std::min(rounds.to_16_bits, most_rounds), std::min(rounds.to_32_bits, most_rounds)},
      root,
      numbers.data(),
      {numbers.data() + n, numbers.data() + 2 * n},
      found.data()};
  const std::int64_t useful =
      (std::int64_t{graph.n_vertices} * warps_a_row * cuda::warp_lanes - 1) /
          cuda::threads_per_block +
      1;
  const std::int64_t resident =
      cuda::resident_blocks(stream, survey_kernel<R>, cuda::threads_per_block, 0);
  cuda::launch_cooperative(stream, std::min(resident, useful), cuda::threads_per_block, 0,
                           survey_kernel<R>, survey);
  return cuda::read_back(found.data(), stream);
}

/// The time of a step that 32 bits are added in, on the device; 16 bits take half of that, 64 bits
/// six times as long.
constexpr double seconds_a_step = 1 / 15e12;

double steps_of(const CsrPattern& graph) {
  const double n = graph.n_vertices;
  return n * n * n;
}

/// Arcs that the host may look at for each step, one by one, when it looks for a bound as well: a
/// fifth of the time that 16 bits save.
constexpr double patience_of_device = 0.2 * 0.5 * seconds_a_step / 1.5e-9;

/// Whether that is enough to find one, the host being asked because it looks at components, too.
bool is_worth_the_host(const CsrPattern& graph) {
  return patience_of_device * steps_of(graph) > 4 * static_cast<double>(graph.n_arcs);
}

vertex_t best_connected(const CsrPattern& graph) {
  vertex_t best = 0;
  for (vertex_t v = 1; v < graph.n_vertices; ++v) {
    if (graph.degree(v) > graph.degree(best)) best = v;
  }
  return best;
}

}  // namespace

SurveyRounds worthwhile_rounds(const CsrPattern& graph) {
  // All arcs and weights are read once a round, up to 12 bytes each, and the blocks meet twice.
  const double seconds_a_round = 12 / 3e12 * static_cast<double>(graph.n_arcs) + 5e-6;
  const double saved = 0.2 * seconds_a_step * steps_of(graph);  // may be spent, of each such time
  const auto rounds = [&](double times) {
    return static_cast<int>(std::min(times * saved / seconds_a_round, double{most_rounds}));
  };
  return {rounds(0.5), rounds(5)};
}

template <class R>
Lane choose_lane_on(const CsrView<R>& graph, const CsrView<R>& host, SurveyRounds rounds,
                    const cuda::Stream& stream) {
  const Findings found = survey_on(graph, best_connected(host), rounds, stream);
  if (found.too_large != 0) return choose_lane(host, patience_of_device);
  const WeightSummary weights{found.fraction == 0, found.negative != 0,
                              std::bit_cast<double>(found.largest), std::min(found.sum, no_bound)};
  std::int64_t bound = weights.integers ? weights.sum : no_bound;
  if (found.rounds > 0) {
    const auto& farthest = found.farthest[found.rounds - 1];
    if (farthest[0] < no_bound && farthest[1] < no_bound) {
      bound = std::min(bound, farthest[0] + farthest[1]);
    } else if (is_worth_the_host(host)) {
      return choose_lane(host, patience_of_device);
    }
  }
  return lane_for<R>(weights, host.n_vertices, bound);
}

#define WARPGRAPH_INSTANTIATE(R)                                                      \
  template Lane choose_lane_on<R>(const CsrView<R>&, const CsrView<R>&, SurveyRounds, \
                                  const cuda::Stream&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::apsp_steps
