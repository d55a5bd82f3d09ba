// The min-plus product of packed matrices in registers, which takes nearly all of the time.
#pragma once

#include "algorithms/apsp/accumulator.hpp"

#include <cstdint>

namespace warpgraph::apsp_detail {

/// c = min(c, a (x) b) for a block of `rows` x `columns` entries that stay in registers. Both
/// divide the sides of all tiles.
template <class Value>
struct MicroKernel {
  /// a: `rows` entries for each step; b: `columns` entries for each step; c: rows `stride` apart.
  using Relax = void (*)(std::int64_t steps, const Value* a, const Value* b, Value* c,
                         std::int64_t stride);
  int rows;
  int columns;
  Relax relax;
};

/// Upper limits of all kernels, for buffers.
inline constexpr int max_kernel_rows = 8;
inline constexpr int max_kernel_columns = 64;

/// Instruction sets that a kernel may use, in ascending order.
enum class SimdLevel { baseline, avx2, avx512 };

/// The best level of this machine.
[[nodiscard]] SimdLevel simd_level();

/// `negative`: entries may be. All kernels of an accumulator have the same results.
template <Accumulator acc>
[[nodiscard]] MicroKernel<AccumulatorValue<acc>> micro_kernel(SimdLevel level, bool negative);

}  // namespace warpgraph::apsp_detail
