// Floyd's outer loop runs on the host, with a launch for each k, and the two inner loops on the
// device. Threads take pairs in a grid-stride loop. Each round, the launch for one k, reads the
// matrix once, and writes the distances that get shorter: this is the baseline of the blocked
// method.
#include "algorithms/apsp/tiles/device_rounds.hpp"
#include "core/cuda/launch.cuh"

#include <algorithm>

namespace warpgraph::apsp_detail {
namespace {

/// Relaxes all pairs through k. Diagonals are at most 0. Row and column k do not change: the
/// distance from k to k is 0, or a negative cycle has been found; then distances are not used, and
/// races and wrapped sums do no harm. One thread writes `negative`, once; the host may read it
/// before or after.
template <Accumulator acc>
__global__ void relax_through(DistanceView<acc> matrix, vertex_t k, vertex_t n_vertices,
                              vertex_t* negative) {
  const std::int64_t n = n_vertices;
  const AccumulatorValue<acc>* const row_k = matrix.row(k);
  if constexpr (acc != Accumulator::uint16) {
    if (cuda::global_index() == 0 && row_k[k] < 0 && *negative == no_vertex) *negative = k;
  }
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t pair = cuda::global_index(); pair < n * n; pair += stride) {
    AccumulatorValue<acc>* const row = matrix.row(pair / n);
    const std::int64_t j = pair % n;
    const auto sum = ArithmeticOf<acc>::add(row[k], row_k[j]);
    if (sum < row[j]) row[j] = sum;
  }
}

}  // namespace

template <Accumulator acc>
void run_naive_rounds(DistanceView<acc> matrix, vertex_t n_vertices, vertex_t* negative,
                      BatchQueue& batches, const cuda::Stream& stream) {
  // A round reads each pair, and writes it at most once: these are the pairs a second at 3.2 TB/s,
  // between the 2.9 of an H100's memory and the 4.3 of an H200's. On another GPU, batches are only
  // shorter or longer than seconds_per_batch. A launch takes microseconds however small the matrix
  // is, hence at most 1024 rounds.
  constexpr double pairs_per_second = 3.2e12 / (2 * sizeof(AccumulatorValue<acc>));
  constexpr std::int64_t max_blocks = 1 << 16;  // enough to fill any device
  const std::int64_t pairs = std::int64_t{n_vertices} * n_vertices;
  const std::int64_t blocks =
      std::min((pairs + cuda::threads_per_block - 1) / cuda::threads_per_block, max_blocks);
  const auto batch = static_cast<vertex_t>(std::clamp(
      seconds_per_batch * pairs_per_second / static_cast<double>(pairs), 1.0, double{1 << 10}));
  for (vertex_t k = 0; k < n_vertices; ++k) {
    cuda::launch(stream, blocks, cuda::threads_per_block, 0, relax_through<acc>, matrix, k,
                 n_vertices, negative);
    if ((k + 1) % batch == 0 || k + 1 == n_vertices) batches.submit(k + 1, n_vertices);
  }
}

WARPGRAPH_INSTANTIATE_FOR_EACH_ACCUMULATOR(run_naive_rounds)

}  // namespace warpgraph::apsp_detail
