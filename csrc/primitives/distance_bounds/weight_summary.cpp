#include "primitives/distance_bounds/weight_summary.hpp"

#include "core/threads/parallel.hpp"

namespace warpgraph::shortest_paths {
namespace {

constexpr std::int64_t rows_per_block = 16;
constexpr double max_small_integer = 0x1p51;

/// Returns whether a weight below 2^51 is an integer: adding 1.5 * 2^52 rounds to integers. Unlike
/// std::floor, this needs no instruction that only newer machines have.
template <class R>
bool is_small_integer(R weight) {
  constexpr double rounder = 0x1.8p52;
  const auto value = static_cast<double>(weight);
  return value + rounder - rounder == value;
}

WeightSummary combine(const WeightSummary& a, const WeightSummary& b) {
  return {a.integers && b.integers, a.negative || b.negative, std::max(a.largest, b.largest),
          add_bounds(a.sum, b.sum)};
}

template <class R>
WeightSummary summarise_row(const CsrView<R>& graph, vertex_t u, R never_used) {
  R least{};
  R most{};
  bool integers = true;
  for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
    const R weight = graph.weights[e] == never_used ? R{} : graph.weights[e];
    least = weight < least ? weight : least;
    most = weight > most ? weight : most;
    if constexpr (std::is_floating_point_v<R>) integers &= is_small_integer(weight);
  }
  const double largest = std::max(-static_cast<double>(least), static_cast<double>(most));
  if (std::is_floating_point_v<R> && largest >= max_small_integer) {
    integers = std::all_of(graph.weights + graph.begin(u), graph.weights + graph.end(u),
                           [](R weight) { return weight == std::floor(weight); });
  }
  return {integers, least < R{}, largest, std::max(magnitude_of(least), magnitude_of(most))};
}

}  // namespace

template <class R>
WeightSummary summarise(const CsrView<R>& graph, R never_used) {
  if (graph.weights == nullptr) {
    return {true, false, 1, std::min<std::int64_t>(graph.n_vertices, graph.n_arcs)};
  }
  return parallel_reduce(
      graph.n_vertices, WeightSummary{},
      [&](std::int64_t u) { return summarise_row(graph, static_cast<vertex_t>(u), never_used); },
      combine, rows_per_block);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(summarise)

}  // namespace warpgraph::shortest_paths
