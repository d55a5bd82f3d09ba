// Kernels on accumulators of 64 bits. They are compiled once for all architectures: compiling them
// for Hopper gives the same machine code as the portable code does.
#include "algorithms/apsp/tiles/blocked_rounds.cuh"
#include "algorithms/apsp/tiles/device_tiles.cuh"

namespace warpgraph::apsp_detail {

WARPGRAPH_FOR_EACH_WIDE_ACCUMULATOR(WARPGRAPH_INSTANTIATE_FUNCTION, close_tile)
WARPGRAPH_FOR_EACH_WIDE_ACCUMULATOR(WARPGRAPH_INSTANTIATE_FUNCTION, update_row_panel)
WARPGRAPH_FOR_EACH_WIDE_ACCUMULATOR(WARPGRAPH_INSTANTIATE_FUNCTION, update_column_panel)
WARPGRAPH_FOR_EACH_WIDE_ACCUMULATOR(WARPGRAPH_INSTANTIATE_FUNCTION, multiply_into)
WARPGRAPH_FOR_EACH_WIDE_ACCUMULATOR(WARPGRAPH_INSTANTIATE_FUNCTION, run_blocked_rounds)

}  // namespace warpgraph::apsp_detail
