// The min-plus product of packed matrices, in registers: where the time goes.
#pragma once

#include "algorithms/apsp/arithmetic.hpp"

#include <cstdint>

namespace warpgraph::apsp_steps {

/// c = min(c, a (x) b) for a block of so many rows and columns that its entries stay in registers.
/// Both divide the sides of all tiles.
template <class Value>
struct BlockKernel {
  /// a: `rows` entries for each step, b: `columns` entries for each; c: rows `stride` apart.
  using Relax = void (*)(std::int64_t steps, const Value* a, const Value* b, Value* c,
                         std::int64_t stride);
  int rows;
  int columns;
  Relax relax;
};

/// As many rows and columns as any kernel's block has at most, for buffers.
inline constexpr int most_rows = 8;
inline constexpr int most_columns = 64;

/// Instructions that a kernel may use, in ascending order.
enum class VectorLevel { baseline, avx2, avx512 };

/// The best of this machine.
[[nodiscard]] VectorLevel vector_level();

/// `negative`: entries may be. All kernels of a lane have the same results.
template <Lane lane>
[[nodiscard]] BlockKernel<LaneValue<lane>> block_kernel(VectorLevel level, bool negative);

}  // namespace warpgraph::apsp_steps
