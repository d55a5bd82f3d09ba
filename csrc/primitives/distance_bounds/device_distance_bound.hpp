// The bounds of distance_bound.hpp through one root, computed on a device. A dense graph has so
// many arcs that a few passes over them on the host take longer than all distances on the device.
#pragma once

#include "primitives/distance_bounds/weight_summary.hpp"

namespace warpgraph::cuda {
class Stream;
}

namespace warpgraph::shortest_paths {

inline constexpr int max_bound_rounds = 16;

/// How long to search for a bound that is smaller than WeightSummary::bound().
struct BoundEffort {
  std::int64_t close_enough = 0;  // the search stops at such a bound
  int rounds = 0;                 // over all arcs, at most max_bound_rounds
  /// The limit of rounds if the bound without a search exceeds `far`.
  std::int64_t far = no_bound;
  int rounds_if_far = 0;
};

struct DeviceBound {
  /// Otherwise a weight is so large that its sum may not fit, and the rest means nothing.
  bool is_complete = false;
  /// The rounds have run, but within them the root does not reach all vertices, or not all reach
  /// it.
  bool search_failed = false;
  WeightSummary weights;
  /// No finite distance exceeds it and, where weights are negative, no simple path or cycle in
  /// magnitude; or no_bound.
  std::int64_t bound = no_bound;
};

/// `graph` lies on the stream's device and has vertices. A root of large degree needs few rounds.
template <class R>
[[nodiscard]] DeviceBound bound_on_device(const CsrView<R>& graph, vertex_t root,
                                          const BoundEffort& effort, const cuda::Stream& stream);

}  // namespace warpgraph::shortest_paths
