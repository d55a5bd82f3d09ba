// Floyd's outer loop on the host, a launch for each k, and the two inner ones on the device: a
// thread takes pair after pair, as far apart as the grid has threads, so that a matrix may be
// larger than any grid. Each step reads and writes the matrix once: this is what the blocked method
// is measured against.
#include "algorithms/apsp/tiles/device_rounds.hpp"
#include "core/cuda/launch.cuh"

#include <algorithm>

namespace warpgraph::apsp_steps {
namespace {

/// Row and column k do not change, since the way from k to k is of length 0, or a cycle is found.
template <Lane lane>
__global__ void try_ways_through(LaneRectangle<lane> matrix, vertex_t k, vertex_t n_vertices,
                                 vertex_t* negative) {
  const std::int64_t n = n_vertices;
  const LaneValue<lane>* const from_k = matrix.row(k);
  if constexpr (lane != Lane::uint16) {
    if (cuda::global_index() == 0 && from_k[k] < 0 && *negative == no_vertex) *negative = k;
  }
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t pair = cuda::global_index(); pair < n * n; pair += stride) {
    LaneValue<lane>* const row = matrix.row(pair / n);
    const std::int64_t j = pair % n;
    const auto sum = ArithmeticOf<lane>::add(row[k], from_k[j]);
    if (sum < row[j]) row[j] = sum;
  }
}

}  // namespace

template <Lane lane>
void run_naive_rounds(LaneRectangle<lane> matrix, vertex_t n_vertices, vertex_t* negative,
                      RoundsAhead& ahead, const cuda::Stream& stream) {
  constexpr double pairs_a_second = 4e11;  // 8 bytes a pair, there and back
  constexpr std::int64_t most_blocks = 1 << 16;
  const std::int64_t pairs = std::int64_t{n_vertices} * n_vertices;
  const std::int64_t blocks =
      std::min((pairs + cuda::threads_per_block - 1) / cuda::threads_per_block, most_blocks);
  const auto batch = static_cast<vertex_t>(std::clamp(
      seconds_a_batch * pairs_a_second / static_cast<double>(pairs), 1.0, double{1 << 10}));
  for (vertex_t k = 0; k < n_vertices; ++k) {
    cuda::launch(stream, blocks, cuda::threads_per_block, 0, try_ways_through<lane>, matrix, k,
                 n_vertices, negative);
    if ((k + 1) % batch == 0 || k + 1 == n_vertices) ahead.put(k + 1, n_vertices);
  }
}

#define WARPGRAPH_INSTANTIATE(lane)                                                            \
  template void run_naive_rounds<lane>(LaneRectangle<lane>, vertex_t, vertex_t*, RoundsAhead&, \
                                       const cuda::Stream&);
WARPGRAPH_FOR_EACH_LANE(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::apsp_steps
