// Upper bounds on distances, without computing the distances.
#pragma once

#include "algorithms/apsp/accumulator.hpp"
#include "graph/csr.hpp"

#include <cstdint>
#include <optional>

namespace warpgraph::apsp_detail {

/// From here on a value counts as no bound; the sum of two such values fits 64 bits.
inline constexpr std::int64_t no_bound = std::int64_t{1} << 61;

/// The result of one pass over the weights.
struct WeightSummary {
  bool integers = true;   // all finite weights are
  bool negative = false;  // some weight is
  double largest = 0;     // finite magnitude
  /// The sum over all vertices of the largest magnitude of an outgoing arc: simple paths and cycles
  /// leave each vertex once. At most no_bound.
  std::int64_t sum = 0;
};

template <class R>
[[nodiscard]] WeightSummary summarise(const CsrView<R>& graph);

/// The choice of choose_accumulator() for these weights. `bound`: no finite distance exceeds it
/// and, where weights are negative, no simple path or cycle in magnitude; or no_bound.
template <class R>
[[nodiscard]] Accumulator accumulator_for(const WeightSummary& weights, vertex_t n_vertices,
                                          std::int64_t bound);

/// A bound on all finite distances of a graph with nonnegative integer weights, or nothing if none
/// is found in `rounds` rounds over the arcs. Stops when the bound is at most `close_enough`. Any
/// path within a strongly connected component is at most as long as the longest shortest path to
/// the component's root plus the longest from it. A path through several components is at most a
/// longest path in the acyclic graph of components, in which each component costs its own bound.
template <class R>
[[nodiscard]] std::optional<std::int64_t> bound_through_roots(const CsrView<R>& graph,
                                                              std::int64_t close_enough,
                                                              std::int64_t rounds);

}  // namespace warpgraph::apsp_detail
