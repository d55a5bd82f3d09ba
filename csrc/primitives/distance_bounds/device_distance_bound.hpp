// The bounds of distance_bound.hpp through one root, computed on a device. A dense graph has so
// many arcs that a few passes over them on the host take longer than all distances on the device.
#pragma once

#include "primitives/distance_bounds/weight_summary.hpp"

namespace warpgraph::cuda {
class Stream;
}

namespace warpgraph::shortest_paths {

inline constexpr int max_bound_rounds = 16;

/// Effort of the search for a bound that is smaller than WeightSummary::bound().
struct BoundEffort {
  std::int64_t close_enough = 0;  // the search stops at such a bound
  int rounds = 0;                 // number of rounds over all arcs, at most max_bound_rounds
  /// Value that the bound without a search must exceed for the other limit of rounds.
  std::int64_t far = no_bound;
  int rounds_if_far = 0;
};

struct DeviceBound {
  /// False if a weight is so large that its sum may not fit; the other members then mean nothing.
  bool is_complete = false;
  /// True if the rounds have run, but within them the root does not reach all vertices, or not all
  /// reach it.
  bool search_failed = false;
  WeightSummary weights;
  /// Upper bound on the finite distances and, where weights are negative, on the magnitude of
  /// simple paths and cycles; or no_bound.
  std::int64_t bound = no_bound;
};

/// Computes a bound. `graph` lies on the stream's device and has vertices. A root of large degree
/// needs few rounds.
template <class R>
[[nodiscard]] DeviceBound bound_on_device(const CsrView<R>& graph, vertex_t root,
                                          const BoundEffort& effort, const cuda::Stream& stream);

}  // namespace warpgraph::shortest_paths
