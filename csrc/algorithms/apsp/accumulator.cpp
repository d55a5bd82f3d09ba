#include "algorithms/apsp/accumulator.hpp"

#include "algorithms/connected_components/connected_components.hpp"
#include "core/error.hpp"
#include "graph/checks/entry_errors.hpp"
#include "primitives/distance_bounds/distance_bound.hpp"
#include "primitives/relaxation/overflow.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace warpgraph::apsp_detail {
namespace {

using shortest_paths::bound_through_roots;
using shortest_paths::no_bound;

/// Checks that sums do not reach -inf. Float sums saturate at inf, which then means unreachable. A
/// sum of -inf would be a wrong distance, and inf + -inf is NaN.
template <class R>
void check_range(const WeightSummary& weights, vertex_t n_vertices) {
  if (!weights.negative || !std::is_floating_point_v<R>) return;
  constexpr auto max_value = static_cast<double>(std::numeric_limits<R>::max());
  if (weights.largest * n_vertices <= max_value) return;
  throw std::overflow_error(concat("weights as large as ", weights.largest, " on paths of ",
                                   n_vertices, " vertices may add up to -inf; scale them down"));
}

/// Returns how many rounds over the arcs cost less than they can save. 32 bits instead of 64 save
/// three times as much as 16 instead of 32.
template <class R>
std::int64_t affordable_rounds(const CsrView<R>& graph, const WeightSummary& weights,
                               double scans_per_relaxation) {
  const double n = graph.n_vertices;
  const auto arcs = static_cast<double>(std::max<edge_t>(graph.n_arcs, 1));
  const bool needs_64_bits =
      sizeof(R) == 8 && weights.sum > ArithmeticOf<Accumulator::int32>::max_finite;
  return static_cast<std::int64_t>((needs_64_bits ? 3 : 1) * scans_per_relaxation * n * n * n /
                                   arcs);
}

/// Bounds the distances by searches through one root for the whole graph, then, if these find no
/// bound, through one root for each strong component.
template <class R>
std::optional<std::int64_t> bound_by_search(const CsrView<R>& graph, std::int64_t rounds) {
  constexpr std::int64_t close_enough = ArithmeticOf<Accumulator::uint16>::max_finite;
  if (rounds == 0) return std::nullopt;
  std::vector<vertex_t> component(static_cast<std::size_t>(graph.n_vertices), 0);
  const auto bound = bound_through_roots<R>(graph, component, 1, close_enough, rounds);
  if (bound) return bound;
  const vertex_t n_components = strong_components_cpu(graph, component);
  return bound_through_roots<R>(graph, component, n_components, close_enough, rounds);
}

/// Returns a number that no finite distance exceeds and, where weights are negative, that no simple
/// path or cycle exceeds in magnitude; no_bound if not all finite weights are integers.
template <class R>
std::int64_t bound_of(const CsrView<R>& graph, const WeightSummary& weights,
                      double scans_per_relaxation) {
  const bool is_narrow = weights.sum <= ArithmeticOf<Accumulator::uint16>::max_finite;
  if (!weights.integers || weights.negative || is_narrow) return weights.bound();
  const std::int64_t rounds = affordable_rounds(graph, weights, scans_per_relaxation);
  return std::min(weights.sum, bound_by_search(graph, rounds).value_or(no_bound));
}

}  // namespace

template <class R>
Accumulator choose_accumulator(const CsrView<R>& graph, double scans_per_relaxation) {
  const WeightSummary weights = shortest_paths::summarise(graph);
  return accumulator_for<R>(weights, graph.n_vertices,
                            bound_of(graph, weights, scans_per_relaxation));
}

template <class R>
Accumulator accumulator_for(const WeightSummary& weights, vertex_t n_vertices, std::int64_t bound) {
  check_range<R>(weights, n_vertices);
  if (!weights.negative && bound <= ArithmeticOf<Accumulator::uint16>::max_finite) {
    return Accumulator::uint16;
  }
  if constexpr (std::is_same_v<R, float>) {
    return Accumulator::float32;
  } else {
    // Doubles hold 53-bit integers and are as wide as int64, so only int32 is better.
    if (bound <= ArithmeticOf<Accumulator::int32>::max_finite) return Accumulator::int32;
    if constexpr (std::is_same_v<R, double>) return Accumulator::float64;
  }
  // Sums of 32-bit weights reach 2^61 only in graphs whose matrix fits no memory.
  const bool exact =
      std::is_same_v<R, std::int32_t> || bound <= ArithmeticOf<Accumulator::int64>::max_finite;
  return exact ? Accumulator::int64 : Accumulator::saturating_int64;
}

void throw_distance_overflow(vertex_t from, vertex_t to, std::int64_t distance) {
  throw LengthOverflow(from, to,
                       {"the distance ", distance, " from vertex ", ByName{from}, " to vertex ",
                        ByName{to}, " does not fit the distances' type; ask for a wider dtype"});
}

template <class R>
void check_saturation(const CsrView<R>& graph, const R* row) {
  shortest_paths::check_overflow<R>(graph, {row, static_cast<std::size_t>(graph.n_vertices)});
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(choose_accumulator)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(accumulator_for)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(check_saturation)

}  // namespace warpgraph::apsp_detail
