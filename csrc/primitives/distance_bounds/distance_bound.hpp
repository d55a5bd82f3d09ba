// Upper bounds on all finite distances of a graph with nonnegative integer weights, without
// computing the distances. The bound that needs no search is WeightSummary::bound().
//
// Any path within a component is at most as long as the longest shortest path to the component's
// root plus the longest from it. A path through several components is at most a longest path in the
// acyclic graph of components, in which each component costs its own bound.
#pragma once

#include "graph/csr.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace warpgraph::shortest_paths {

/// Returns a bound through one root per component, or nothing if none is found in `rounds` rounds
/// over the arcs. Stops when all bounds of components are at most `close_enough`. Arcs between
/// components must close no cycle: they are the strong components, or one is the whole graph.
template <class R>
[[nodiscard]] std::optional<std::int64_t> bound_through_roots(const CsrView<R>& graph,
                                                              std::span<const vertex_t> component,
                                                              vertex_t n_components,
                                                              std::int64_t close_enough,
                                                              std::int64_t rounds);

/// Returns the largest finite distance itself, by Bellman and Ford's algorithm from every vertex.
template <class R>
[[nodiscard]] std::int64_t largest_distance_reference(const CsrView<R>& graph);

}  // namespace warpgraph::shortest_paths
