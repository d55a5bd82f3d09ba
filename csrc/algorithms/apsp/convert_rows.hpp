// Rows of the matrix on the host, converted to the result's type. Not for use outside this folder.
#pragma once

#include "algorithms/apsp/accumulator.hpp"
#include "algorithms/apsp/apsp.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>

namespace warpgraph::apsp_detail {

/// Converts n rows, `stride` values apart, to the rows first .. first + n - 1 of the result. Both
/// may be the same memory. Throws std::overflow_error, naming the first distance that does not fit.
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

}  // namespace warpgraph::apsp_detail
