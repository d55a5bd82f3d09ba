// Blocks of 8 x 2 vectors with AVX-512, which fill half of its 32 registers, and of 4 x 2 with the
// 16 registers of others: more than the minimum's latency needs, and two loads are used often
// enough that arithmetic is what takes the time. Every step costs a vector an addition and a
// minimum.
//
// The minimum of floats that are not negative is that of the integers with the same bits. Where
// floats are added and compared by the same units, as on AMD's Zen 5, the two kinds of units then
// share the work: 1.7 times as fast with 32 bits and 1.4 times with 64.
#include "algorithms/apsp/tiles/relax.hpp"

#include <type_traits>

namespace warpgraph::apsp_steps {
namespace {

template <class Number, int bytes>
struct VectorOf {
  typedef Number type __attribute__((vector_size(bytes), may_alias));
  /// In memory, where entries need not be aligned to more than their own size.
  typedef Number anywhere __attribute__((vector_size(bytes), may_alias, aligned(sizeof(Number))));
};

template <class T>
using IntegerOfSize = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

enum class Minimum { of_values, of_bits };

template <Minimum minimum, class Value, class Vector>
[[gnu::always_inline]] inline void lower(Vector& best, const Vector& through) {
  if constexpr (minimum == Minimum::of_bits) {
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
  using Anywhere = typename VectorOf<Value, bytes>::anywhere;
  constexpr int lanes = bytes / static_cast<int>(sizeof(Value));
  Vector best[rows][vectors];
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 16
    for (int j = 0; j < vectors; ++j) {
      best[i][j] = *reinterpret_cast<const Anywhere*>(c + i * stride + j * lanes);
    }
  }
  for (std::int64_t k = 0; k < steps; ++k, a += rows, b += vectors * lanes) {
    Vector onward[vectors];
#pragma GCC unroll 16
    for (int j = 0; j < vectors; ++j) onward[j] = *reinterpret_cast<const Anywhere*>(b + j * lanes);
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 16
      for (int j = 0; j < vectors; ++j) {
        lower<minimum, Value>(best[i][j], static_cast<Vector>(a[i] + onward[j]));
      }
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 16
    for (int j = 0; j < vectors; ++j) {
      *reinterpret_cast<Anywhere*>(c + i * stride + j * lanes) = best[i][j];
    }
  }
}

/// Where sums may stick, there is no vector instruction for them.
constexpr int wide_rows = 4;
constexpr int wide_columns = 16;

void relax_wide(std::int64_t steps, const std::int64_t* a, const std::int64_t* b, std::int64_t* c,
                std::int64_t stride) {
  using Sums = ArithmeticOf<Lane::wide>;
  for (std::int64_t k = 0; k < steps; ++k, a += wide_rows, b += wide_columns) {
    for (int i = 0; i < wide_rows; ++i) {
      if (!Sums::reached(a[i])) continue;
      for (int j = 0; j < wide_columns; ++j) {
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

#if defined(__x86_64__)
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

/// A block of `rows` x 2 vectors.
template <class Value>
BlockKernel<Value> kernel(int rows, int bytes, typename BlockKernel<Value>::Relax function) {
  return {rows, 2 * bytes / static_cast<int>(sizeof(Value)), function};
}

template <Minimum minimum, class Value>
BlockKernel<Value> kernel_at(VectorLevel level) {
#if defined(__x86_64__)
  if (level == VectorLevel::avx512) return kernel<Value>(8, 64, relax_avx512<minimum, Value>);
  if (level == VectorLevel::avx2) return kernel<Value>(4, 32, relax_avx2<minimum, Value>);
#else
  static_cast<void>(level);
#endif
  return kernel<Value>(4, 16, relax<16, 4, minimum, Value>);
}

/// AVX2 has no minimum of 64-bit integers, and what is below has none of 32 bits.
template <class Value>
constexpr VectorLevel bits_from = sizeof(Value) == 8 ? VectorLevel::avx512 : VectorLevel::avx2;

}  // namespace

VectorLevel vector_level() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return VectorLevel::avx512;
  }
  if (__builtin_cpu_supports("avx2")) return VectorLevel::avx2;
#endif
  return VectorLevel::baseline;
}

template <Lane lane>
BlockKernel<LaneValue<lane>> block_kernel(VectorLevel level, bool negative) {
  using Value = LaneValue<lane>;
  if constexpr (lane == Lane::wide) {
    return {wide_rows, wide_columns, relax_wide};
  } else if constexpr (std::is_floating_point_v<Value>) {
    if (!negative && level >= bits_from<Value>) return kernel_at<Minimum::of_bits, Value>(level);
  }
  return kernel_at<Minimum::of_values, Value>(level);
}

#define WARPGRAPH_INSTANTIATE(lane) \
  template BlockKernel<LaneValue<lane>> block_kernel<lane>(VectorLevel, bool);
WARPGRAPH_INSTANTIATE(Lane::uint16)
WARPGRAPH_INSTANTIATE(Lane::int32)
WARPGRAPH_INSTANTIATE(Lane::int64)
WARPGRAPH_INSTANTIATE(Lane::wide)
WARPGRAPH_INSTANTIATE(Lane::float32)
WARPGRAPH_INSTANTIATE(Lane::float64)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::apsp_steps
