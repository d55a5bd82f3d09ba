// The steps that sssp_cpu.cpp and sssp_cuda.cu put together. For this folder, and for the rooms of
// searches from many sources, many_to_many and hierarchy.
#pragma once

#include "algorithms/sssp/sssp.hpp"
#include "core/types.hpp"

#include <span>
#include <type_traits>

namespace warpgraph::sssp_steps {

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

// Searches. On entry distances are 0 for the source and infinite for all others; on return no arc
// can lower one. After an early end that holds for the vertices up to the farthest target. Those
// that return something return false if a sum of integers on the way did not fit: see
// check_overflow().

template <class W>
void dijkstra(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
              std::span<W> distances);
template <class W>
bool delta_stepping(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
                    std::span<W> distances);
template <class W>
bool near_far(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
              std::span<W> distances);
template <class W>
void bellman_ford(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
                  std::span<W> distances);

/// Throws NegativeCycle if a search that is still lowering `distances` goes round in one. A search
/// of floats that has done fewer than n_vertices rounds may be on its way to an end although a
/// cycle's weight rounds to less than zero; `beyond_rounding` asks for a cycle that is lighter than
/// any rounding could make it.
template <class W>
void look_for_negative_cycle(const CsrView<W>& graph, std::span<const W> distances,
                             bool beyond_rounding);

/// Throws std::overflow_error, naming the arc, if the distance of a vertex does not fit W; or
/// NegativeCycle if one is the reason.
template <class W>
void check_overflow(const CsrView<W>& graph, std::span<const W> distances);

/// Distances beyond the limit become infinite.
template <class W>
void forget_beyond(W limit, std::span<W> distances);

/// Predecessors by the rule in sssp.hpp.
template <class W>
void recover_predecessors(const CsrView<W>& graph, vertex_t source, bool negative_weights,
                          std::span<const W> distances, std::span<vertex_t> predecessors);

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

template <class W, class DistanceOf>
W farthest_wanted(const SsspOptions<W>& options, DistanceOf&& distance_of) {
  return farthest_wanted(options.limit, options.targets, distance_of);
}

}  // namespace warpgraph::sssp_steps
