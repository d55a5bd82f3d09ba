// The min-plus product of packed matrices in registers, which takes nearly all of the time.
#pragma once

#include "algorithms/apsp/accumulator.hpp"

#include <cstdint>

namespace warpgraph::apsp_detail {

/// A kernel that computes c = min(c, a (x) b) for a block of `rows` x `columns` entries that stay
/// in registers. Both divide the sides of all tiles.
template <class Value>
struct MicroKernel {
  /// The function of a kernel: a has `rows` entries for each step, b has `columns` entries for each
  /// step, and the rows of c are `stride` apart.
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

/// Returns the best level of this machine.
[[nodiscard]] SimdLevel simd_level();

/// Returns the kernel of an accumulator; `negative` tells whether entries may be negative. All
/// kernels of an accumulator have the same results.
template <Accumulator acc>
[[nodiscard]] MicroKernel<AccumulatorValue<acc>> micro_kernel(SimdLevel level, bool negative);

}  // namespace warpgraph::apsp_detail
