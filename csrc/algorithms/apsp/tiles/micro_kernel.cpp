// Blocks of 8 x 2 vectors with AVX-512, which fill half of its 32 registers, and of 4 x 2 with the
// 16 registers of other instruction sets. That is more than enough to hide the minimum's latency,
// and each load is reused often enough that arithmetic is the bottleneck. Each step takes an
// addition and a minimum for each vector.
//
// The minimum of nonnegative floats is that of the integers with the same bits. Where floats are
// added and compared by the same units, as on AMD's Zen 5, integer minima share the work with other
// units: 1.7 times as fast with 32 bits and 1.4 times with 64.
#include "algorithms/apsp/tiles/micro_kernel.hpp"

#include "core/processor/instructions.hpp"
#include "core/processor/vectors.hpp"

#include <type_traits>

namespace warpgraph::apsp_detail {
namespace {

template <class T>
using IntegerOfSize = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

enum class Minimum { by_value, by_bits };

template <Minimum minimum, class Value, class Vector>
[[gnu::always_inline]] inline void lower(Vector& best, const Vector& through) {
  if constexpr (minimum == Minimum::by_bits) {
    using Bits = typename VectorOf<IntegerOfSize<Value>, sizeof(Vector)>::type;
    const Bits a = (Bits)through;
    const Bits b = (Bits)best;
    best = (Vector)(a < b ? a : b);
  } else {
    best = through < best ? through : best;
  }
}

template <int bytes, int rows, int vectors, Minimum minimum, class Value>
[[gnu::always_inline]] inline void relax_block(std::int64_t steps, const Value* a, const Value* b,
                                               Value* c, std::int64_t stride) {
  using Vector = typename VectorOf<Value, bytes>::type;
  using Unaligned = typename VectorOf<Value, bytes>::unaligned;
  constexpr int lanes = bytes / static_cast<int>(sizeof(Value));
  Vector best[rows][vectors];
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 16
    for (int j = 0; j < vectors; ++j) {
      best[i][j] = *reinterpret_cast<const Unaligned*>(c + i * stride + j * lanes);
    }
  }
  for (std::int64_t k = 0; k < steps; ++k, a += rows, b += vectors * lanes) {
    Vector b_row[vectors];
#pragma GCC unroll 16
    for (int j = 0; j < vectors; ++j) b_row[j] = *reinterpret_cast<const Unaligned*>(b + j * lanes);
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 16
      for (int j = 0; j < vectors; ++j) {
        lower<minimum, Value>(best[i][j], static_cast<Vector>(a[i] + b_row[j]));
      }
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 16
    for (int j = 0; j < vectors; ++j) {
      *reinterpret_cast<Unaligned*>(c + i * stride + j * lanes) = best[i][j];
    }
  }
}

/// The block of saturating sums, for which there is no vector instruction.
constexpr int saturating_rows = 4;
constexpr int saturating_columns = 16;

void relax_saturating(std::int64_t steps, const std::int64_t* a, const std::int64_t* b,
                      std::int64_t* c, std::int64_t stride) {
  using Sums = ArithmeticOf<Accumulator::saturating_int64>;
  for (std::int64_t k = 0; k < steps; ++k, a += saturating_rows, b += saturating_columns) {
    for (int i = 0; i < saturating_rows; ++i) {
      if (!Sums::is_reachable(a[i])) continue;
      for (int j = 0; j < saturating_columns; ++j) {
        const std::int64_t through = Sums::add(a[i], b[j]);
        if (through < c[i * stride + j]) c[i * stride + j] = through;
      }
    }
  }
}

template <int bytes, int rows, Minimum minimum, class Value>
void relax(std::int64_t steps, const Value* a, const Value* b, Value* c, std::int64_t stride) {
  relax_block<bytes, rows, 2, minimum>(steps, a, b, c, stride);
}

#if WARPGRAPH_X86_64
template <Minimum minimum, class Value>
[[gnu::target("avx2")]] void relax_avx2(std::int64_t steps, const Value* a, const Value* b,
                                        Value* c, std::int64_t stride) {
  relax_block<32, 4, 2, minimum>(steps, a, b, c, stride);
}

template <Minimum minimum, class Value>
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] void relax_avx512(std::int64_t steps,
                                                                        const Value* a,
                                                                        const Value* b, Value* c,
                                                                        std::int64_t stride) {
  relax_block<64, 8, 2, minimum>(steps, a, b, c, stride);
}
#endif

/// Returns the kernel for a block of `rows` x 2 vectors.
template <class Value>
MicroKernel<Value> kernel(int rows, int bytes, typename MicroKernel<Value>::Relax function) {
  return {rows, 2 * bytes / static_cast<int>(sizeof(Value)), function};
}

template <Minimum minimum, class Value>
MicroKernel<Value> kernel_for(SimdLevel level) {
#if WARPGRAPH_X86_64
  if (level == SimdLevel::avx512) return kernel<Value>(8, 64, relax_avx512<minimum, Value>);
  if (level == SimdLevel::avx2) return kernel<Value>(4, 32, relax_avx2<minimum, Value>);
#else
  static_cast<void>(level);
#endif
  return kernel<Value>(4, 16, relax<16, 4, minimum, Value>);
}

/// The lowest level with a vector minimum of the integers: AVX2 has none of 64 bits, and the
/// baseline has none of 32 bits.
template <class Value>
constexpr SimdLevel min_level_by_bits = sizeof(Value) == 8 ? SimdLevel::avx512 : SimdLevel::avx2;

}  // namespace

SimdLevel simd_level() {
  if (has_avx512()) return SimdLevel::avx512;
  if (has_avx2()) return SimdLevel::avx2;
  return SimdLevel::baseline;
}

template <Accumulator acc>
MicroKernel<AccumulatorValue<acc>> micro_kernel(SimdLevel level, bool negative) {
  using Value = AccumulatorValue<acc>;
  if constexpr (acc == Accumulator::saturating_int64) {
    return {saturating_rows, saturating_columns, relax_saturating};
  } else if constexpr (std::is_floating_point_v<Value>) {
    if (!negative && level >= min_level_by_bits<Value>) {
      return kernel_for<Minimum::by_bits, Value>(level);
    }
  }
  return kernel_for<Minimum::by_value, Value>(level);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_ACCUMULATOR(micro_kernel)

}  // namespace warpgraph::apsp_detail
