// Kernels on accumulators of at most 32 bits, compiled for each architecture: Hopper's minima of
// sums are among its instructions.
#include "algorithms/apsp/tiles/blocked_rounds.cuh"
#include "algorithms/apsp/tiles/device_tiles.cuh"

namespace warpgraph::apsp_detail {

WARPGRAPH_FOR_EACH_NARROW_ACCUMULATOR(WARPGRAPH_INSTANTIATE_FUNCTION, close_tile)
WARPGRAPH_FOR_EACH_NARROW_ACCUMULATOR(WARPGRAPH_INSTANTIATE_FUNCTION, update_row_panel)
WARPGRAPH_FOR_EACH_NARROW_ACCUMULATOR(WARPGRAPH_INSTANTIATE_FUNCTION, update_column_panel)
WARPGRAPH_FOR_EACH_NARROW_ACCUMULATOR(WARPGRAPH_INSTANTIATE_FUNCTION, multiply_into)
WARPGRAPH_FOR_EACH_NARROW_ACCUMULATOR(WARPGRAPH_INSTANTIATE_FUNCTION, run_blocked_rounds)

}  // namespace warpgraph::apsp_detail
