// The change of coordinates to those of panels, and the errors of squares from products of panels:
// |a - b|^2 = |a|^2 + |b|^2 - 2 a b.
//
// Panels are of float32 whatever the type of the points. Their centre is moved to 0 and the largest
// coordinate is divided to 1, by a power of two, so that nothing overflows, and lengths, on which
// the error depends, are small. With u = 2^-24 and n = |a|^2 + |b|^2 of the moved points,
//   - rounding them changes the square by at most 4.1 u n,
//   - adding up products with m roundings by at most 2 m u n,
//   - halving, rounding and subtracting lengths by at most 8 u n.
// `of_square` is more than the sum of the factors. Coordinates of less than 2^-126, which are
// rounded otherwise, change no square by more than `least`.
//
// A computed key differs from the square by a part of at most 1.01 (d + 2) roundings of its type,
// and by d times the least number, below which products vanish.
#pragma once

#include "graph/points/points.hpp"

#include <vector>

namespace warpgraph {

/// The bounds that squares and keys set each other. Squares are those of moved points, keys the
/// computed squares of the points themselves.
struct SquareErrors {
  static constexpr double least = 1e-34;

  double scale = 1;
  double of_square = 0;  // the error of a square from products
  double of_key = 0;
  double vanished = 0;
  double largest_finite_key = 0;

  /// Returns a number that no key is above if the square of moved points is at most `square`.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE double largest_key(double square) const noexcept {
    return square / (scale * scale) * (1 + of_key) + vanished;
  }
  /// Returns a number that no square of moved points is above if their key is at most `key`.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE double largest_square(double key) const noexcept {
    return (key + vanished) * (scale * scale) * (1 + of_key);
  }
};

template <class T>
class PanelScale {
 public:
  /// Takes the centre of points, and the largest distance of a coordinate from it. `n_roundings`:
  /// of the sum of a product.
  PanelScale(std::vector<double> centre, double largest, double n_roundings);

  /// Returns false if scale or errors would be out of range.
  [[nodiscard]] bool is_usable() const noexcept { return is_usable_; }
  [[nodiscard]] float moved(T coordinate, std::int64_t k) const noexcept {
    return static_cast<float>(
        (static_cast<double>(coordinate) - centre_[static_cast<std::size_t>(k)]) * errors_.scale);
  }
  [[nodiscard]] const SquareErrors& errors() const noexcept { return errors_; }
  [[nodiscard]] const std::vector<double>& centre() const noexcept { return centre_; }

 private:
  std::vector<double> centre_;
  SquareErrors errors_;
  bool is_usable_ = true;
};

/// Returns the scale of the panels of host points.
template <class T>
PanelScale<T> panel_scale(PointsView<T> points);

extern template class PanelScale<float>;
extern template class PanelScale<double>;

}  // namespace warpgraph
