#include "algorithms/apsp/arithmetic.hpp"

#include "algorithms/apsp/bound.hpp"
#include "core/error.hpp"
#include "primitives/relaxation/overflow.hpp"

#include <algorithm>
#include <limits>

namespace warpgraph::apsp_steps {
namespace {

/// Sums of floats stick at inf, which then reads as unreachable. -inf would be a distance that is
/// none, and with inf it makes NaN.
template <class R>
void check_range(const WeightSummary& weights, vertex_t n_vertices) {
  if (!weights.negative || !std::is_floating_point_v<R>) return;
  constexpr auto most = static_cast<double>(std::numeric_limits<R>::max());
  if (weights.largest * n_vertices <= most) return;
  throw std::overflow_error(concat("weights as large as ", weights.largest, " on paths of ",
                                   n_vertices, " vertices may add up to -inf; scale them down"));
}

/// How many rounds over the arcs are worth their time. 32 bits instead of 64 save thrice as much as
/// 16 instead of 32.
template <class R>
std::int64_t rounds_worth(const CsrView<R>& graph, const WeightSummary& weights, double patience) {
  const double n = graph.n_vertices;
  const auto arcs = static_cast<double>(std::max<edge_t>(graph.n_arcs, 1));
  const bool takes_64_bits = sizeof(R) == 8 && weights.sum > ArithmeticOf<Lane::int32>::most;
  return static_cast<std::int64_t>((takes_64_bits ? 3 : 1) * patience * n * n * n / arcs);
}

template <class R>
std::int64_t bound_of(const CsrView<R>& graph, const WeightSummary& weights,
                      std::int64_t close_enough, double patience) {
  if (!weights.integers) return no_bound;
  if (weights.negative || weights.sum <= close_enough) return weights.sum;
  const std::int64_t rounds = rounds_worth(graph, weights, patience);
  return std::min(weights.sum, bound_through_roots(graph, close_enough, rounds).value_or(no_bound));
}

}  // namespace

template <class R>
std::optional<std::int64_t> distance_bound(const CsrView<R>& graph, std::int64_t close_enough,
                                           double patience) {
  const std::int64_t bound = bound_of(graph, summarise(graph), close_enough, patience);
  if (bound >= no_bound) return std::nullopt;
  return bound;
}

template <class R>
Lane choose_lane(const CsrView<R>& graph, double patience) {
  const WeightSummary weights = summarise(graph);
  return lane_for<R>(weights, graph.n_vertices,
                     bound_of(graph, weights, ArithmeticOf<Lane::uint16>::most, patience));
}

template <class R>
Lane lane_for(const WeightSummary& weights, vertex_t n_vertices, std::int64_t bound) {
  check_range<R>(weights, n_vertices);
  if (!weights.negative && bound <= ArithmeticOf<Lane::uint16>::most) return Lane::uint16;
  if constexpr (std::is_same_v<R, float>) {
    return Lane::float32;
  } else {
    // Doubles hold integers of 53 bits: as narrow as 64-bit ones, so only 32-bit ones are better.
    if (bound <= ArithmeticOf<Lane::int32>::most) return Lane::int32;
    if constexpr (std::is_same_v<R, double>) return Lane::float64;
  }
  // 32-bit weights add up to 2^61 only in graphs whose matrix fits no memory.
  const bool exact = std::is_same_v<R, std::int32_t> || bound <= ArithmeticOf<Lane::int64>::most;
  return exact ? Lane::int64 : Lane::wide;
}

void throw_too_far(vertex_t from, vertex_t to, std::int64_t distance) {
  throw std::overflow_error(concat("the distance ", distance, " from vertex ", from, " to vertex ",
                                   to, " does not fit the distances' type; ask for a wider dtype"));
}

template <class R>
void check_stuck(const CsrView<R>& graph, const R* row) {
  shortest_paths::check_overflow<R>(graph, {row, static_cast<std::size_t>(graph.n_vertices)});
}

#define WARPGRAPH_INSTANTIATE(R)                                                                   \
  template std::optional<std::int64_t> distance_bound<R>(const CsrView<R>&, std::int64_t, double); \
  template Lane choose_lane<R>(const CsrView<R>&, double);                                         \
  template Lane lane_for<R>(const WeightSummary&, vertex_t, std::int64_t);                         \
  template void check_stuck<R>(const CsrView<R>&, const R*);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::apsp_steps
