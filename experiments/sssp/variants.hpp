// Searches on a CUDA device whose optimisations are switched one by one.
//
// sssp.hpp has the references: Bellman-Ford over edges with the two optimisations of [5], and
// near-far search [6]. All variants find the same distances.
#pragma once

#include "algorithms/sssp/sssp.hpp"

namespace warpgraph::experiments {

struct BellmanFordVariant {
  /// Reads distances through the read-only data cache.
  bool read_only_loads = true;
  /// Sorts edges so that those read together have their ends in few segments of the distances.
  bool segments = true;
  /// Vertices per segment; 0: those that the library chooses for the device.
  vertex_t segment_length = 0;
  /// Relaxes only the rows of the vertices that the round before has lowered, if they are few.
  bool frontier_rounds = true;
};

struct NearFarVariant {
  double width = 0;     // of the near window; 0: derived from weights and degrees
  int fused_hops = -1;  // that a block may run between two grid barriers; -1: derived from degrees
  int threads = 512;    // per block: 32, 64, ... 512
  int blocks = 0;       // upper bound; 0: as many as can be resident
};

/// Searches from `source` on the stream's device, where `graph` is; `host` is the same graph on the
/// host. `distances` are on the device. With targets, distances beyond the farthest are infinite.
template <class W>
void bellman_ford(const CsrView<W>& graph, const CsrView<W>& host, vertex_t source,
                  const SsspOptions<W>& options, const BellmanFordVariant& variant,
                  std::span<W> distances, const cuda::Stream& stream);
template <class W>
void near_far(const CsrView<W>& graph, const CsrView<W>& host, vertex_t source,
              const SsspOptions<W>& options, const NearFarVariant& variant, std::span<W> distances,
              const cuda::Stream& stream);

}  // namespace warpgraph::experiments
