// The numbers that all-pairs sums are made of, whatever the type R of the weights and the result.
//
// A lane is chosen from the graph alone, by proof. If every finite weight is an integer and so
// small that no finite distance exceeds a bound, the narrowest integers that hold it make the same
// sums, exactly, and more of them fit a vector. For floats the bound must also be one up to which
// R holds every integer, so that the choice never changes a bit of the result.
//
// Unreachable without a branch. A missing arc weighs `infinity`, and the lane holds the sum of two
// of them. Then the matrix is that of a complete graph. Let `bound` be the sum over all vertices
// of the largest |weight| that leaves one, or less where weights are not negative. Simple paths and
// cycles leave each vertex once, so one of real arcs alone weighs between -bound and bound, and one
// with a missing arc at least infinity - bound. With bound < infinity / 2 the two ranges do not
// meet, what is at least `beyond` is unreachable, and no cycle with a missing arc is negative.
// Floats have inf instead. `wide` is for 64-bit weights of which no such bound is known: it sticks
// at both ends, as `extend` does, and what overflowed is found afterwards.
#pragma once

#include "core/types.hpp"
#include "graph/csr.hpp"

#include <optional>
#include <type_traits>
#include <utility>

namespace warpgraph::apsp_steps {

enum class Lane { uint16, int32, int64, wide, float32, float64 };

/// Integers up to `most` have sums that cannot be mistaken for unreachable.
template <class T, T infinity_, T beyond_>
struct ExactArithmetic {
  using Value = T;
  static constexpr T infinity = infinity_;
  static constexpr T beyond = beyond_;
  static constexpr std::int64_t most = beyond_ - 1;

  WARPGRAPH_HOST_DEVICE static constexpr T add(T a, T b) noexcept { return static_cast<T>(a + b); }
  WARPGRAPH_HOST_DEVICE static constexpr bool reached(T value) noexcept { return value < beyond; }
};

template <class T>
struct FloatArithmetic {
  using Value = T;
  static constexpr T infinity = warpgraph::infinity<T>();

  WARPGRAPH_HOST_DEVICE static constexpr T add(T a, T b) noexcept { return a + b; }
  WARPGRAPH_HOST_DEVICE static constexpr bool reached(T value) noexcept {
    return value != infinity;
  }
};

struct WideArithmetic {
  using Value = std::int64_t;
  static constexpr Value infinity = warpgraph::infinity<Value>();

  WARPGRAPH_HOST_DEVICE static constexpr Value add(Value a, Value b) noexcept {
    return a == infinity || b == infinity ? infinity : extend(a, b);
  }
  WARPGRAPH_HOST_DEVICE static constexpr bool reached(Value value) noexcept {
    return value != infinity;
  }
};

template <Lane lane>
struct ArithmeticOf;
// Weights in 16 bits are not negative: only infinity itself is unreachable, and 32767 twice is less
// than 65536.
template <>
struct ArithmeticOf<Lane::uint16> : ExactArithmetic<std::uint16_t, 0x7fff, 0x7fff> {};
template <>
struct ArithmeticOf<Lane::int32> : ExactArithmetic<std::int32_t, (1 << 30) - 1, 1 << 29> {};
template <>
struct ArithmeticOf<Lane::int64>
    : ExactArithmetic<std::int64_t, (std::int64_t{1} << 62) - 1, std::int64_t{1} << 61> {};
template <>
struct ArithmeticOf<Lane::wide> : WideArithmetic {};
template <>
struct ArithmeticOf<Lane::float32> : FloatArithmetic<float> {};
template <>
struct ArithmeticOf<Lane::float64> : FloatArithmetic<double> {};

template <Lane lane>
using LaneValue = typename ArithmeticOf<lane>::Value;

/// Whether the lane's matrix may lie where the result goes.
template <Lane lane, class R>
inline constexpr bool in_place = std::is_same_v<LaneValue<lane>, R>;

/// Whether a graph with weights of type R may get the lane. An own lane that is as narrow as
/// integers would be needs no conversion.
template <Lane lane, class R>
inline constexpr bool suits = lane == Lane::uint16 ||
                              (lane == Lane::int32 && !std::is_same_v<R, float>) ||
                              (lane == Lane::int64 && std::is_integral_v<R>) ||
                              (lane == Lane::wide && std::is_same_v<R, std::int64_t>) ||
                              (lane == Lane::float32 && std::is_same_v<R, float>) ||
                              (lane == Lane::float64 && std::is_same_v<R, double>);

/// A weight in the lane. An infinite one is no arc, and neither is one beyond what the lane's sums
/// are proven to hold: no finite distance exceeds the bound that the lane was chosen by, so an arc
/// that does is on no shortest path. Both are compared in R, before the conversion. There is no -0,
/// or which of two zeros is the lesser would depend on the device.
template <Lane lane, class R>
WARPGRAPH_HOST_DEVICE constexpr LaneValue<lane> to_lane(R weight) noexcept {
  using Arithmetic = ArithmeticOf<lane>;
  using Value = LaneValue<lane>;
  if (weight == infinity<R>()) return Arithmetic::infinity;
  if constexpr (std::is_floating_point_v<Value>) {
    return weight + Value{0};
  } else if constexpr (lane == Lane::wide) {
    return weight;
  } else {
    // `beyond` is a power of two, or less than 2^24: every float type holds it.
    using Wider = std::conditional_t<std::is_floating_point_v<R>, R, std::int64_t>;
    if (static_cast<Wider>(weight) >= static_cast<Wider>(Arithmetic::beyond)) {
      return Arithmetic::infinity;
    }
    return static_cast<Value>(weight);
  }
}

/// Whether a distance is one of R's, and not the integer that means unreachable.
template <Lane lane, class R>
WARPGRAPH_HOST_DEVICE constexpr bool fits_result(LaneValue<lane> value) noexcept {
  if constexpr (lane == Lane::int64 && std::is_same_v<R, std::int32_t>) {
    if (!ArithmeticOf<lane>::reached(value)) return true;
    return value >= detail::lowest<R> && value < infinity<R>();
  } else {
    return true;
  }
}

/// What the result says of a distance that fits it.
template <Lane lane, class R>
WARPGRAPH_HOST_DEVICE constexpr R from_lane(LaneValue<lane> value) noexcept {
  return ArithmeticOf<lane>::reached(value) ? static_cast<R>(value) : infinity<R>();
}

/// Whether the matrix in the lane is the result as it stands, so that there is nothing to convert.
template <Lane lane, class R>
inline constexpr bool is_result = in_place<lane, R> &&
                                  (std::is_floating_point_v<R> || lane == Lane::wide);

/// Looking at an arc again, for a closer bound, takes as long as hundreds of relaxations, and with
/// 16 bits instead of 32 they take half the time: a thousand pay for it.
inline constexpr double default_patience = 1e-3;

/// The narrowest lane that is proven to hold all distances of a graph on the host; weights nullptr:
/// every arc weighs 1. About `patience` arcs are looked at for each of the n^3 relaxations, beyond
/// the first pass. Throws std::overflow_error if distances may fall to -inf.
template <class R>
[[nodiscard]] Lane choose_lane(const CsrView<R>& graph, double patience = default_patience);

/// A number that no finite distance exceeds and, where weights are negative, that no simple path or
/// cycle exceeds in magnitude. Nothing if not all finite weights are integers, or if no bound below
/// 2^61 is found. It is not made closer than `close_enough`.
template <class R>
[[nodiscard]] std::optional<std::int64_t> distance_bound(const CsrView<R>& graph,
                                                         std::int64_t close_enough,
                                                         double patience = default_patience);

/// Throws std::overflow_error saying that the distance between two vertices does not fit R.
[[noreturn]] void throw_too_far(vertex_t from, vertex_t to, std::int64_t distance);

/// Throws std::overflow_error if sums stuck on the way to a row's distances, from the vertex that
/// the row belongs to, in Lane::wide or in R itself. The graph lies on the host.
template <class R>
void check_stuck(const CsrView<R>& graph, const R* row);

/// Calls f.operator()<lane>() for a lane that choose_lane<R> may return.
template <class R, class F>
decltype(auto) dispatch_lane(Lane lane, F&& f) {
  if (lane == Lane::uint16) return f.template operator()<Lane::uint16>();
  if constexpr (suits<Lane::int32, R>) {
    if (lane == Lane::int32) return f.template operator()<Lane::int32>();
  }
  if constexpr (std::is_same_v<R, std::int64_t>) {
    if (lane == Lane::wide) return f.template operator()<Lane::wide>();
  }
  if constexpr (std::is_integral_v<R>) {
    return f.template operator()<Lane::int64>();
  } else {
    constexpr Lane own = std::is_same_v<R, float> ? Lane::float32 : Lane::float64;
    return f.template operator()<own>();
  }
}

}  // namespace warpgraph::apsp_steps
