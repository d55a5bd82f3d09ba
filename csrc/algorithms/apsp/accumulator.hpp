// The accumulator type of all-pairs sums, whatever the type R of the weights and the result.
//
// It is chosen from the graph alone, by proof. If every finite weight is an integer and no finite
// distance exceeds a bound, the narrowest integers that hold the bound make the same sums exactly,
// and more of them fit a vector. For floats R must also hold every integer up to the bound, so that
// the choice never changes a bit of the result.
//
// Unreachable without a branch. A missing arc weighs `infinity`, and the accumulator holds the sum
// of two of them. So the graph is treated as complete. Let `bound` be the sum over all vertices of
// the largest |weight| of an outgoing arc, or a smaller bound where weights are nonnegative. Simple
// paths and cycles leave each vertex once, so one of real arcs alone weighs between -bound and
// bound, and one with a missing arc at least infinity - bound. With bound < infinity / 2 the two
// ranges are disjoint: values from `unreachable_from` on mean unreachable, and no cycle with a
// missing arc is negative. Floats have inf instead. `saturating_int64` is for 64-bit weights
// without such a bound: it saturates at both ends, as `extend` does, and overflow is detected
// afterwards.
#pragma once

#include "core/types.hpp"
#include "graph/csr.hpp"
#include "primitives/distance_bounds/weight_summary.hpp"

#include <type_traits>
#include <utility>

// clang-format off
// X(f, acc) for all accumulators: those of at most 32 bits, and those of 64.
#define WARPGRAPH_FOR_EACH_NARROW_ACCUMULATOR(X, f) \
  X(f, Accumulator::uint16) X(f, Accumulator::int32) X(f, Accumulator::float32)
#define WARPGRAPH_FOR_EACH_WIDE_ACCUMULATOR(X, f) \
  X(f, Accumulator::int64) X(f, Accumulator::saturating_int64) X(f, Accumulator::float64)
#define WARPGRAPH_INSTANTIATE_FOR_EACH_ACCUMULATOR(f)                       \
  WARPGRAPH_FOR_EACH_NARROW_ACCUMULATOR(WARPGRAPH_INSTANTIATE_FUNCTION, f) \
  WARPGRAPH_FOR_EACH_WIDE_ACCUMULATOR(WARPGRAPH_INSTANTIATE_FUNCTION, f)
#define WARPGRAPH_DECLARE_FOR_EACH_ACCUMULATOR(f)                       \
  WARPGRAPH_FOR_EACH_NARROW_ACCUMULATOR(WARPGRAPH_DECLARE_FUNCTION, f) \
  WARPGRAPH_FOR_EACH_WIDE_ACCUMULATOR(WARPGRAPH_DECLARE_FUNCTION, f)
// X(acc, R) for all accumulators and the types R of results that each may be chosen for.
#define WARPGRAPH_FOR_EACH_ACCUMULATOR_AND_RESULT(X)                                           \
  X(Accumulator::uint16, std::int32_t) X(Accumulator::int32, std::int32_t)                     \
  X(Accumulator::int64, std::int32_t)                                                          \
  X(Accumulator::uint16, std::int64_t) X(Accumulator::int32, std::int64_t)                     \
  X(Accumulator::int64, std::int64_t) X(Accumulator::saturating_int64, std::int64_t)           \
  X(Accumulator::uint16, float) X(Accumulator::float32, float)                                 \
  X(Accumulator::uint16, double) X(Accumulator::int32, double) X(Accumulator::float64, double)
// clang-format on

namespace warpgraph::apsp_detail {

using shortest_paths::WeightSummary;

enum class Accumulator { uint16, int32, int64, saturating_int64, float32, float64 };

/// Arithmetic of integer sums, of which those up to `max_finite` are distinct from unreachable.
template <class T, T infinity_, T unreachable_from_>
struct IntegerArithmetic {
  using Value = T;
  static constexpr T infinity = infinity_;
  static constexpr T unreachable_from = unreachable_from_;
  static constexpr std::int64_t max_finite = unreachable_from_ - 1;

  WARPGRAPH_HOST_DEVICE static constexpr T add(T a, T b) noexcept { return static_cast<T>(a + b); }
  WARPGRAPH_HOST_DEVICE static constexpr bool is_reachable(T value) noexcept {
    return value < unreachable_from;
  }
};

template <class T>
struct FloatArithmetic {
  using Value = T;
  static constexpr T infinity = warpgraph::infinity<T>();

  WARPGRAPH_HOST_DEVICE static constexpr T add(T a, T b) noexcept { return a + b; }
  WARPGRAPH_HOST_DEVICE static constexpr bool is_reachable(T value) noexcept {
    return value != infinity;
  }
};

struct SaturatingArithmetic {
  using Value = std::int64_t;
  static constexpr Value infinity = warpgraph::infinity<Value>();

  WARPGRAPH_HOST_DEVICE static constexpr Value add(Value a, Value b) noexcept {
    return a == infinity || b == infinity ? infinity : extend(a, b);
  }
  WARPGRAPH_HOST_DEVICE static constexpr bool is_reachable(Value value) noexcept {
    return value != infinity;
  }
};

template <Accumulator acc>
struct ArithmeticOf;
// 16-bit weights are nonnegative: only infinity itself is unreachable, and 2 * 32767 is less than
// 65536.
template <>
struct ArithmeticOf<Accumulator::uint16> : IntegerArithmetic<std::uint16_t, 0x7fff, 0x7fff> {};
template <>
struct ArithmeticOf<Accumulator::int32> : IntegerArithmetic<std::int32_t, (1 << 30) - 1, 1 << 29> {
};
template <>
struct ArithmeticOf<Accumulator::int64>
    : IntegerArithmetic<std::int64_t, (std::int64_t{1} << 62) - 1, std::int64_t{1} << 61> {};
template <>
struct ArithmeticOf<Accumulator::saturating_int64> : SaturatingArithmetic {};
template <>
struct ArithmeticOf<Accumulator::float32> : FloatArithmetic<float> {};
template <>
struct ArithmeticOf<Accumulator::float64> : FloatArithmetic<double> {};

template <Accumulator acc>
using AccumulatorValue = typename ArithmeticOf<acc>::Value;

/// Tells whether the accumulator's matrix may lie in the result's memory.
template <Accumulator acc, class R>
inline constexpr bool in_place = std::is_same_v<AccumulatorValue<acc>, R>;

/// Tells whether the accumulator may be chosen for weights of type R. R itself, where it is no
/// wider than the integers would be, needs no conversion.
template <Accumulator acc, class R>
inline constexpr bool is_candidate = acc == Accumulator::uint16 ||
                                     (acc == Accumulator::int32 && !std::is_same_v<R, float>) ||
                                     (acc == Accumulator::int64 && std::is_integral_v<R>) ||
                                     (acc == Accumulator::saturating_int64 &&
                                      std::is_same_v<R, std::int64_t>) ||
                                     (acc == Accumulator::float32 && std::is_same_v<R, float>) ||
                                     (acc == Accumulator::float64 && std::is_same_v<R, double>);

/// Converts a weight. An infinite weight is a missing arc, and so is one beyond the accumulator's
/// proven range: no finite distance exceeds the bound that the accumulator was chosen by, so such
/// an arc is on no shortest path. Both are compared in R, before the conversion. -0 becomes 0:
/// otherwise which of two zeros is smaller would depend on the device.
template <Accumulator acc, class R>
WARPGRAPH_HOST_DEVICE constexpr AccumulatorValue<acc> to_accumulator(R weight) noexcept {
  using Arithmetic = ArithmeticOf<acc>;
  using Value = AccumulatorValue<acc>;
  if (weight == infinity<R>()) return Arithmetic::infinity;
  if constexpr (std::is_floating_point_v<Value>) {
    return weight + Value{0};
  } else if constexpr (acc == Accumulator::saturating_int64) {
    return weight;
  } else {
    // `unreachable_from` is a power of two, or less than 2^24: every float type holds it.
    using Wider = std::conditional_t<std::is_floating_point_v<R>, R, std::int64_t>;
    if (static_cast<Wider>(weight) >= static_cast<Wider>(Arithmetic::unreachable_from)) {
      return Arithmetic::infinity;
    }
    return static_cast<Value>(weight);
  }
}

/// Returns whether a reachable distance is in R's range and distinct from R's infinity.
template <Accumulator acc, class R>
WARPGRAPH_HOST_DEVICE constexpr bool fits_result(AccumulatorValue<acc> value) noexcept {
  if constexpr (acc == Accumulator::int64 && std::is_same_v<R, std::int32_t>) {
    if (!ArithmeticOf<acc>::is_reachable(value)) return true;
    return value >= detail::lowest<R> && value < infinity<R>();
  } else {
    return true;
  }
}

/// Converts a distance that fits the result.
template <Accumulator acc, class R>
WARPGRAPH_HOST_DEVICE constexpr R from_accumulator(AccumulatorValue<acc> value) noexcept {
  return ArithmeticOf<acc>::is_reachable(value) ? static_cast<R>(value) : infinity<R>();
}

/// Tells whether the accumulator's matrix is the result as it stands, so that there is nothing to
/// convert.
template <Accumulator acc, class R>
inline constexpr bool matches_result = in_place<acc, R> && (std::is_floating_point_v<R> ||
                                                            acc == Accumulator::saturating_int64);

/// One scan of an arc for a tighter bound takes as long as hundreds of relaxations. 16 bits instead
/// of 32 halve the time of relaxations, so a scan pays for itself with a thousand.
inline constexpr double default_scans_per_relaxation = 1e-3;

/// Returns the narrowest accumulator that is proven to hold all distances of a graph on the host,
/// whose arcs weigh 1 if weights are nullptr. After the first pass, scans at most about
/// `scans_per_relaxation` arcs for each of the n^3 relaxations. Throws std::overflow_error if
/// distances may fall to -inf.
template <class R>
[[nodiscard]] Accumulator choose_accumulator(
    const CsrView<R>& graph, double scans_per_relaxation = default_scans_per_relaxation);

/// Returns the narrowest accumulator for weights with this summary. No finite distance exceeds
/// `bound`, unless that is no_bound, nor, where weights are negative, a simple path or cycle in
/// magnitude.
template <class R>
[[nodiscard]] Accumulator accumulator_for(const WeightSummary& weights, vertex_t n_vertices,
                                          std::int64_t bound);

/// Throws std::overflow_error saying that the distance between two vertices does not fit R.
[[noreturn]] void throw_distance_overflow(vertex_t from, vertex_t to, std::int64_t distance);

/// Throws std::overflow_error if a sum saturated among the distances of a row, in
/// Accumulator::saturating_int64 or in R itself. The row's source is the vertex of its number. The
/// graph lies on the host.
template <class R>
void check_saturation(const CsrView<R>& graph, const R* row);

/// Calls f.operator()<acc>() for an accumulator that choose_accumulator<R> may return.
template <class R, class F>
decltype(auto) dispatch_accumulator(Accumulator acc, F&& f) {
  if (acc == Accumulator::uint16) return f.template operator()<Accumulator::uint16>();
  if constexpr (is_candidate<Accumulator::int32, R>) {
    if (acc == Accumulator::int32) return f.template operator()<Accumulator::int32>();
  }
  if constexpr (std::is_same_v<R, std::int64_t>) {
    if (acc == Accumulator::saturating_int64) {
      return f.template operator()<Accumulator::saturating_int64>();
    }
  }
  if constexpr (std::is_integral_v<R>) {
    return f.template operator()<Accumulator::int64>();
  } else {
    constexpr Accumulator own =
        std::is_same_v<R, float> ? Accumulator::float32 : Accumulator::float64;
    return f.template operator()<own>();
  }
}

}  // namespace warpgraph::apsp_detail
