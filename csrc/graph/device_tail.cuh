// The tail of the arc at a position, on a device.
#pragma once

#include "graph/csr.hpp"

namespace warpgraph {

/// Returns the tail of the arc at position e, by binary search for the last row that starts there
/// or before.
__device__ inline vertex_t tail_on_device(const CsrPattern& graph, edge_t e) {
  vertex_t low = 0;
  vertex_t high = graph.n_vertices - 1;
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
