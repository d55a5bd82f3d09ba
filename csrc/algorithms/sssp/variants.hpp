// Ways to run the searches of sssp_cuda that differ in time only: for benchmarks and tests.
#pragma once

#include "algorithms/sssp/sssp.hpp"

namespace warpgraph::shortest_paths {

/// The two optimisations that [5 in sssp.hpp] describes; separate switches, so that each can be
/// measured.
struct BellmanFordVariant {
  /// Reads distances through the read-only data cache.
  bool read_only_loads = true;
  /// Sorts edges so that those read together have their ends in few segments of the distances.
  bool segments = true;
  /// Vertices per segment; 0: such that three segments fit half the device's L2 cache.
  vertex_t segment_length = 0;
};

struct NearFarVariant {
  double width = 0;     // of the near window; 0: derived from weights and degrees
  int fused_hops = -1;  // that a block may run between two grid barriers; -1: derived from degrees
  int threads = 512;    // per block: 32, 64, ... 512
  int blocks = 0;       // upper bound; 0: as many as can be resident
};

struct SsspVariant {
  BellmanFordVariant bellman_ford;
  NearFarVariant near_far;
};

/// Searches as sssp_cuda does, by a given variant.
template <class W>
void sssp_cuda_variant(const CsrView<W>& graph, const CsrView<W>& host,
                       std::span<const vertex_t> sources, const SsspOptions<W>& options,
                       const SsspVariant& variant, SsspResult<W> result,
                       const cuda::Stream& stream);

}  // namespace warpgraph::shortest_paths
