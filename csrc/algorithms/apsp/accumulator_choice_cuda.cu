#include "algorithms/apsp/accumulator_choice.hpp"
#include "primitives/distance_bounds/device_distance_bound.hpp"
#include "primitives/graph_shape.hpp"

#include <algorithm>

namespace warpgraph::apsp_detail {
namespace {

using namespace shortest_paths;

/// The time of a 32-bit relaxation on the device, about that of an H200 (plan/rates.hpp); 16 bits
/// take half of that, 64 bits six times as long.
constexpr double seconds_per_step = 1 / 15e12;

double relaxations_of(const CsrPattern& graph) {
  const double n = graph.n_vertices;
  return n * n * n;
}

/// Arcs that the host may scan sequentially for each relaxation when it searches for a bound as
/// well: in a fifth of the time that 16 bits save, if a scan takes 1.5 ns.
constexpr double host_scans_per_relaxation = 0.2 * 0.5 * seconds_per_step / 1.5e-9;

/// Returns whether these scans are more than four rounds over the arcs, which as a rule suffice to
/// find a bound. The host's search is stronger: it considers components.
bool host_search_pays(const CsrPattern& graph) {
  return host_scans_per_relaxation * relaxations_of(graph) > 4 * static_cast<double>(graph.n_arcs);
}

}  // namespace

BoundRounds affordable_rounds(const CsrPattern& graph) {
  // A round reads all arcs and weights, up to 12 bytes each, and has two grid barriers.
  const double seconds_per_round = 12 / 3e12 * static_cast<double>(graph.n_arcs) + 5e-6;
  // A fifth of the saved time may be spent. In units of the time of all 32-bit relaxations, 16 bits
  // instead of 32 save 0.5, and 32 instead of 64 save 5.
  const double budget = 0.2 * seconds_per_step * relaxations_of(graph);
  const auto rounds = [&](double factor) {
    return static_cast<int>(
        std::min(factor * budget / seconds_per_round, double{max_bound_rounds}));
  };
  return {rounds(0.5), rounds(5)};
}

template <class R>
Accumulator choose_accumulator_on_device(const CsrView<R>& graph, const CsrView<R>& host,
                                         BoundRounds rounds, const cuda::Stream& stream) {
  constexpr std::int64_t max_16 = ArithmeticOf<Accumulator::uint16>::max_finite;
  constexpr std::int64_t max_32 = ArithmeticOf<Accumulator::int32>::max_finite;
  BoundEffort effort{max_16, rounds.to_16_bits};
  if constexpr (is_candidate<Accumulator::int32, R>) {
    effort.far = max_32;
    effort.rounds_if_far = rounds.to_32_bits;
  }
  const DeviceBound found = bound_on_device(graph, max_degree_vertex(host), effort, stream);
  if (!found.is_complete || (found.search_failed && host_search_pays(host))) {
    return choose_accumulator(host, host_scans_per_relaxation);
  }
  return accumulator_for<R>(found.weights, host.n_vertices, found.bound);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(choose_accumulator_on_device)

}  // namespace warpgraph::apsp_detail
