// Relaxing arcs: weights, saturating sums, and the radius of a search.
#pragma once

#include "core/types.hpp"
#include "graph/csr.hpp"

#include <span>
#include <type_traits>

namespace warpgraph::shortest_paths {

/// Returns the weight of an arc. The branch is the same for all arcs of a graph.
template <class W>
WARPGRAPH_HOST_DEVICE W weight_of(const CsrView<W>& graph, edge_t arc) {
  return graph.weights != nullptr ? graph.weights[arc] : W{1};
}

/// The type in which distance + weight is computed if neither is negative. Integers need no
/// saturation then: the sum of two fits their unsigned type, and exceeds infinity if it overflows
/// W.
template <class W>
using NonNegativeSum = typename std::conditional_t<std::is_integral_v<W>, std::make_unsigned<W>,
                                                   std::type_identity<W>>::type;

/// Returns extend() of a distance and a weight that are not negative. Branch-free, which shortens
/// the hops of near_far on a device.
template <class W>
WARPGRAPH_HOST_DEVICE constexpr W extend_non_negative(W distance, W weight) noexcept {
  if constexpr (std::is_integral_v<W>) {
    using Unsigned = NonNegativeSum<W>;
    const Unsigned sum = static_cast<Unsigned>(distance) + static_cast<Unsigned>(weight);
    constexpr auto most = static_cast<Unsigned>(infinity<W>());
    return static_cast<W>(sum < most ? sum : most);
  } else {
    return distance + weight;
  }
}

/// Returns whether no overflow is visible at an arc from a vertex with distance `from` to one with
/// distance `to`. `extend` saturates at both ends of the range. Saturation at infinity is harmless
/// if another path to the head is shorter.
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

/// The arcs of a sample: runs of consecutive ones, since cache misses take nearly all the time.
class SampledArcs {
 public:
  explicit SampledArcs(edge_t n_arcs)
      : n_arcs_(n_arcs), stride_(n_arcs / runs > run ? n_arcs / runs : run) {}
  [[nodiscard]] std::int64_t size() const noexcept {
    if (n_arcs_ == 0) return 0;
    const edge_t last_run = (n_arcs_ - 1) / stride_;
    const edge_t rest = n_arcs_ - last_run * stride_;
    return last_run * run + (rest < run ? rest : run);
  }
  WARPGRAPH_HOST_DEVICE edge_t operator[](std::int64_t i) const noexcept {
    return i / run * stride_ + i % run;
  }

 private:
  static constexpr edge_t runs = 128;
  static constexpr edge_t run = 8;
  edge_t n_arcs_;
  edge_t stride_;
};

/// Returns the mean of the finite weights of a sample without its upper quarter, so that a few
/// enormous weights do not count. The mean of the whole sample if the lower three quarters are 0; 0
/// if the whole sample is.
template <class W>
double trimmed_mean(std::span<const W> sample);
/// Returns trimmed_mean() of the SampledArcs, 1 without weights.
template <class W>
double trimmed_mean_weight(const CsrView<W>& graph);

/// Sets distances beyond the limit to infinity.
template <class W>
void set_infinite_beyond(W limit, std::span<W> distances);

/// Returns the distance beyond which the caller needs no results: the limit, or the distance of the
/// farthest target if that is smaller.
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
