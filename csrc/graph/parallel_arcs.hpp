// Parallel arcs: entries of a row with the same head.
#pragma once

#include "graph/csr.hpp"

namespace warpgraph {

/// Number of arcs beside the first of each (tail, head). Reads rows whose heads ascend once; sorts
/// a copy of each other row, one at a time in each thread.
[[nodiscard]] edge_t count_parallel_arcs(const CsrPattern& graph);

}  // namespace warpgraph
