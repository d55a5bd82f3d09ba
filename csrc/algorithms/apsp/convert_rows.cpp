#include "algorithms/apsp/convert_rows.hpp"

#include "core/threads/parallel.hpp"

#include <algorithm>

namespace warpgraph::apsp_detail {

template <Accumulator acc, class R>
void convert_rows(const AccumulatorValue<acc>* from, std::int64_t stride, std::int64_t first,
                  std::int64_t n, vertex_t n_vertices, const ApspResult<R>& result,
                  std::int64_t rows_per_block) {
  const auto convert_row = [&](std::int64_t i) {
    const AccumulatorValue<acc>* const values = from + i * stride;
    R* const to = result.distances + (first + i) * result.row_stride;
    bool fit = true;
    for (vertex_t v = 0; v < n_vertices; ++v) {
      fit &= fits_result<acc, R>(values[v]);
      to[v] = from_accumulator<acc, R>(values[v]);
    }
    return fit ? n : i;
  };
  const std::int64_t bad = parallel_reduce(
      n, n, convert_row, [](std::int64_t a, std::int64_t b) { return std::min(a, b); },
      rows_per_block);
  if (bad == n) return;
  const AccumulatorValue<acc>* const values = from + bad * stride;
  vertex_t v = 0;
  while (fits_result<acc, R>(values[v])) ++v;
  throw_distance_overflow(static_cast<vertex_t>(first + bad), v,
                          static_cast<std::int64_t>(values[v]));
}

#define WARPGRAPH_INSTANTIATE(acc, R) WARPGRAPH_INSTANTIATE_FUNCTION(convert_rows, acc, R)
WARPGRAPH_FOR_EACH_ACCUMULATOR_AND_RESULT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::apsp_detail
