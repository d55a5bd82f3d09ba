// Rows of the matrix on the host, converted to the result's type. Not for use outside this folder.
#pragma once

#include "algorithms/apsp/accumulator.hpp"
#include "algorithms/apsp/apsp.hpp"

namespace warpgraph::apsp_detail {

/// Converts n rows, `stride` values apart, to the rows first .. first + n - 1 of the result, in
/// parallel, `rows_per_block` rows at a time. They may be the same rows, of the same type and
/// stride (in_place). Throws std::overflow_error, naming the first distance that does not fit R;
/// sums that saturated their own type are found by check_saturation().
template <Accumulator acc, class R>
void convert_rows(const AccumulatorValue<acc>* from, std::int64_t stride, std::int64_t first,
                  std::int64_t n, vertex_t n_vertices, const ApspResult<R>& result,
                  std::int64_t rows_per_block);

}  // namespace warpgraph::apsp_detail
