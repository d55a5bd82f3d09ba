// Products of rows with the columns of a panel, by fused multiply-add in float32 where the
// processor has it: the inner loop of a product of matrices.
#pragma once

#include <cstdint>

namespace warpgraph {

/// Rows whose sums of a whole panel stay in registers.
inline constexpr int rows_of_product = 6;
/// Upper bound on the columns of a panel; they are stored in whole vectors of 16.
inline constexpr int max_panel_columns = 64;
inline constexpr int panel_lanes = 16;
/// Coordinates that a call adds up. Panels of so many stay in the L1 cache for all rows.
inline constexpr std::int64_t max_product_depth = 96;

/// Adds to sums[r * max_panel_columns + c] the product of row r and column c, for all columns of
/// `n_vectors` vectors. Rows are interleaved: coordinate k of row r is at k * rows_of_product + r,
/// that of column c at k * n_vectors * panel_lanes + c. depth: at most max_product_depth.
///
/// Each sum has an error of at most depth * 2^-24 times the sum of the absolute products, and one
/// more rounding when it is added.
void add_products(const float* rows, const float* columns, std::int64_t depth, int n_vectors,
                  float* sums) noexcept;

}  // namespace warpgraph
