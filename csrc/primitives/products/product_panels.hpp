// The points of a KdTree of many dimensions in panels, one for each leaf, whose products with the
// rows of queries tell which pairs may be near: |a - b|^2 = |a|^2 + |b|^2 - 2 a b.
//
// Panels are of float32 whatever the type of the points. Their centre is moved to 0 and the largest
// coordinate is divided to 1, by a power of two, so that nothing overflows, and lengths, on which
// the error depends, are small. With u = 2^-24 and n = |a|^2 + |b|^2 of the moved points,
//   - rounding them changes the square by at most 4.1 u n,
//   - adding d products, max_product_depth of them at a time, by at most 2 m u n, where m is
//     2 max_product_depth + the number of parts + 2: twice as many as with fused multiply-add,
//   - halving, rounding and subtracting lengths by at most 8 u n.
// `error` is more than the sum of the factors. Coordinates of less than 2^-126, which are rounded
// otherwise, change no square by more than `least`.
//
// A computed key differs from the square by a part of at most 1.01 (d + 2) roundings of its type,
// and by d times the least number, below which products vanish.
#pragma once

#include "core/memory/host_vector.hpp"
#include "primitives/kd_tree/kd_tree.hpp"
#include "primitives/products/product_kernel.hpp"

#include <cmath>
#include <vector>

namespace warpgraph {

/// The change of coordinates to those of panels.
template <class T>
class PanelScale {
 public:
  explicit PanelScale(PointsView<T> points);

  /// Returns false if scale or errors would be out of range.
  [[nodiscard]] bool is_usable() const noexcept { return is_usable_; }
  [[nodiscard]] float moved(T coordinate, std::int64_t k) const noexcept {
    return static_cast<float>((static_cast<double>(coordinate) - centre_[at(k)]) * scale_);
  }

  // Squares of moved points, and keys, which are computed squares of the points themselves.

  /// Returns a number that no key is above if the square of moved points is at most `square`.
  [[nodiscard]] double largest_key(double square) const noexcept {
    return square / (scale_ * scale_) * (1 + key_error_) + vanished_;
  }
  /// Returns a number that no square of moved points is above if their key is at most `key`.
  [[nodiscard]] double largest_square(double key) const noexcept {
    return (key + vanished_) * (scale_ * scale_) * (1 + key_error_);
  }
  [[nodiscard]] double error() const noexcept { return error_; }
  static constexpr double least = 1e-34;

 private:
  static std::size_t at(std::int64_t i) noexcept { return static_cast<std::size_t>(i); }

  std::vector<double> centre_;
  double scale_ = 1;
  double error_ = 0;
  double key_error_ = 0;
  double vanished_ = 0;
  bool is_usable_ = true;
};

template <class T>
class ProductPanels {
 public:
  ProductPanels(PointsView<T> points, const KdTree<T, 0>& tree, const PanelScale<T>& scale);

  static std::size_t bytes(std::size_t n, std::size_t dimension) {
    // Leaves are at least a third full, and whole vectors more.
    const std::size_t columns = n + panel_lanes * (3 * n / leaf_capacity<0> + 1);
    return columns * (dimension + 2) * sizeof(float) + 2 * columns / panel_lanes * sizeof(Panel);
  }

  /// The panel of a leaf.
  struct Panel {
    std::int64_t first_column = 0;
    int n_columns = 0;
    [[nodiscard]] int n_vectors() const noexcept {
      return (n_columns + panel_lanes - 1) / panel_lanes;
    }
  };
  [[nodiscard]] const Panel& panel(std::int32_t leaf) const noexcept {
    return panels_[static_cast<std::size_t>(leaf)];
  }
  [[nodiscard]] const float* columns(const Panel& panel) const noexcept {
    return columns_.data() + panel.first_column * dimension_;
  }
  /// Returns half of the square lengths of the columns, less the error.
  [[nodiscard]] const float* halves(const Panel& panel) const noexcept {
    return halves_.data() + panel.first_column;
  }
  /// Returns the errors of the square lengths.
  [[nodiscard]] const float* errors(const Panel& panel) const noexcept {
    return errors_.data() + panel.first_column;
  }

 private:
  void fill(const KdTree<T, 0>& tree, const PanelScale<T>& scale, std::int32_t leaf);

  std::int64_t dimension_;
  std::vector<Panel> panels_;  // of nodes; those that are no leaves have none
  HostVector<float> columns_;
  HostVector<float> halves_;
  HostVector<float> errors_;
};

extern template class PanelScale<float>;
extern template class PanelScale<double>;
extern template class ProductPanels<float>;
extern template class ProductPanels<double>;

}  // namespace warpgraph
