// Relaxing arcs: weights, sums that saturate, and how far a search has to go.
#pragma once

#include "core/types.hpp"
#include "graph/csr.hpp"

#include <span>
#include <type_traits>

namespace warpgraph::shortest_paths {

/// The weight of an arc. The branch goes the same way for every arc of a run.
template <class W>
WARPGRAPH_HOST_DEVICE W weight_of(const CsrView<W>& graph, edge_t arc) {
  return graph.weights != nullptr ? graph.weights[arc] : W{1};
}

/// As extend(), where neither is negative: no branch, which hops on a device feel.
template <class W>
WARPGRAPH_HOST_DEVICE constexpr W extend_forward(W distance, W weight) noexcept {
  if constexpr (std::is_integral_v<W>) {
    using Unsigned = std::make_unsigned_t<W>;
    const Unsigned sum = static_cast<Unsigned>(distance) + static_cast<Unsigned>(weight);
    constexpr auto most = static_cast<Unsigned>(infinity<W>());
    return static_cast<W>(sum < most ? sum : most);
  } else {
    return distance + weight;
  }
}

/// Whether the distance over an arc fits W, or need not: `extend` sticks at either end. Sticking
/// above is harmless if another way to the head is shorter.
template <class W>
WARPGRAPH_HOST_DEVICE bool fits(W from, W weight, W to) {
  if (from == infinity<W>() || weight == infinity<W>()) return true;
  if constexpr (std::is_integral_v<W>) {
    if (weight >= 0) return to != infinity<W>() || extend(from, weight) != infinity<W>();
    return from >= detail::lowest<W> - weight;
  } else {
    return to != -infinity<W>();
  }
}

/// The mean of a sample of the weights without its upper quarter, so that a few enormous weights do
/// not count, unless nothing is left then. 0 if all of the sample are.
template <class W>
double typical_weight(const CsrView<W>& graph);

/// Distances beyond the limit become infinite.
template <class W>
void forget_beyond(W limit, std::span<W> distances);

/// The distance beyond which the caller wants no results: the limit, or the farthest target if that
/// is nearer.
template <class W, class DistanceOf>
W farthest_wanted(W limit, std::span<const vertex_t> targets, DistanceOf&& distance_of) {
  if (targets.empty()) return limit;
  W farthest{};
  for (const vertex_t target : targets) {
    const W distance = distance_of(target);
    if (farthest < distance) farthest = distance;
  }
  return farthest < limit ? farthest : limit;
}

}  // namespace warpgraph::shortest_paths
