// The tail of the arc at a position, on a device.
#pragma once

#include "graph/csr.hpp"

namespace warpgraph {

/// The last of the rows low .. high that starts at or before position e, by binary search. One of
/// these rows must contain e.
__device__ inline vertex_t tail_between(const CsrPattern& graph, vertex_t low, vertex_t high,
                                        edge_t e) {
  while (low < high) {
    const vertex_t middle = low + (high - low + 1) / 2;
    if (graph.begin(middle) <= e) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace warpgraph
