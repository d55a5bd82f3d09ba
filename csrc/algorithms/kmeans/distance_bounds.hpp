// Bounds on true distances from computed squared distances, and conclusions about computed
// distances from such bounds. They hold in spite of rounding, underflow and overflow.
//
// A computed squared distance has a relative error of at most (dimension + 2) roundings, and an
// absolute error by underflow of less than `dimension` smallest normal numbers. `slack_` and
// `underflow_` are multiples of these.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace warpgraph::kmeans_detail {

template <class T>
class DistanceBounds {
 public:
  explicit DistanceBounds(std::int64_t dimension)
      : slack_(static_cast<T>(dimension + 4) * std::numeric_limits<T>::epsilon()),
        underflow_(std::sqrt(static_cast<T>(dimension) * std::numeric_limits<T>::min())) {}

  /// Returns false if there are so many coordinates that rounding could dominate.
  [[nodiscard]] bool usable() const noexcept { return slack_ < T(0.05); }

  /// Returns an upper bound on the true distance.
  [[nodiscard]] T upper(T squared) const noexcept {
    return std::sqrt(squared) * (1 + slack_) + underflow_;
  }
  /// Returns a lower bound on the true distance that is at most max_distance().
  [[nodiscard]] T lower(T squared) const noexcept {
    return std::max(std::min(std::sqrt(squared), max_distance()) * (1 - slack_) - underflow_, T(0));
  }
  /// Returns a distance below which squares do not overflow.
  [[nodiscard]] static T max_distance() noexcept {
    return std::sqrt(std::numeric_limits<T>::max()) / 2;
  }
  /// Returns whether every point at true distance <= `upper` has a smaller computed squared
  /// distance than every point at true distance >= `lower`.
  [[nodiscard]] bool certainly_less(T upper, T lower) const noexcept {
    return upper * (1 + 4 * slack_) + 4 * underflow_ < lower;
  }

  /// Returns a threshold for the computed squared distance `squared` of two centres a and b: a
  /// point whose computed squared distance to a is below it has a larger computed distance to b
  /// (triangle inequality).
  [[nodiscard]] T triangle_threshold(T squared) const noexcept {
    const T half = (lower(squared) / 2 - 4 * underflow_) * (1 - 8 * slack_);
    return half > T(0) ? half * half : T(0);
  }

  /// Returns the bounds after the centre has moved by at most `move`.
  [[nodiscard]] static T raised(T upper, T move) noexcept { return (upper + move) * (1 + margin); }
  [[nodiscard]] static T lowered(T lower, T move) noexcept {
    return std::max((lower - move) * (1 - margin), T(0));
  }

 private:
  static constexpr T margin = 4 * std::numeric_limits<T>::epsilon();
  T slack_;
  T underflow_;
};

}  // namespace warpgraph::kmeans_detail
