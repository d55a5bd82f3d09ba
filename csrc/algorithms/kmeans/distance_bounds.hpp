// Bounds of true distances from computed squared distances, and back: what may be concluded about
// computed distances in spite of rounding, underflow and overflow.
//
// A computed squared distance is off by a relative error of at most (dimension + 2) roundings, and
// by what underflowed, less than `dimension` smallest normal numbers. `slack` and `tiny` are a
// multiple of both.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace warpgraph::kmeans_steps {

template <class T>
class DistanceBounds {
 public:
  explicit DistanceBounds(std::int64_t dimension)
      : slack_(static_cast<T>(dimension + 4) * std::numeric_limits<T>::epsilon()),
        tiny_(std::sqrt(static_cast<T>(dimension) * std::numeric_limits<T>::min())) {}

  /// False: so many coordinates that rounding could outweigh everything.
  [[nodiscard]] bool usable() const noexcept { return slack_ < T(0.05); }

  /// No smaller than the true distance.
  [[nodiscard]] T upper(T squared) const noexcept {
    return std::sqrt(squared) * (1 + slack_) + tiny_;
  }
  /// No larger than the true distance, and no larger than most().
  [[nodiscard]] T lower(T squared) const noexcept {
    return std::max(std::min(std::sqrt(squared), most()) * (1 - slack_) - tiny_, T(0));
  }
  /// Squares of what is below do not overflow.
  [[nodiscard]] static T most() noexcept { return std::sqrt(std::numeric_limits<T>::max()) / 2; }
  /// Whether a squared distance is computed smaller when the true distance is at most `upper`, than
  /// when it is at least `lower`.
  [[nodiscard]] bool surely_less(T upper, T lower) const noexcept {
    return upper * (1 + 4 * slack_) + 4 * tiny_ < lower;
  }

  /// A computed squared distance below this is computed smaller than that to any point which is
  /// at least `squared` minus it away: the triangle's other side.
  [[nodiscard]] T square_below_half(T squared) const noexcept {
    const T half = (lower(squared) / 2 - 4 * tiny_) * (1 - 8 * slack_);
    return half > T(0) ? half * half : T(0);
  }

  /// The bounds after the centre has moved by at most `move`.
  [[nodiscard]] static T raised(T upper, T move) noexcept { return (upper + move) * (1 + round); }
  [[nodiscard]] static T lowered(T lower, T move) noexcept {
    return std::max((lower - move) * (1 - round), T(0));
  }

 private:
  static constexpr T round = 4 * std::numeric_limits<T>::epsilon();
  T slack_;
  T tiny_;
};

}  // namespace warpgraph::kmeans_steps
