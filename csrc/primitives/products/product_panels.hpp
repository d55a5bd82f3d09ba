// The points of a KdTree of many dimensions in panels, one for each leaf, whose products with the
// rows of queries tell which pairs may be near: |a - b|^2 = |a|^2 + |b|^2 - 2 a b.
//
// Products are added max_product_depth at a time, which takes 2 max_product_depth + the number of
// parts + 2 roundings: twice as many as with fused multiply-add.
#pragma once

#include "core/memory/host_vector.hpp"
#include "primitives/kd_tree/kd_tree.hpp"
#include "primitives/products/panel_scale.hpp"
#include "primitives/products/product_kernel.hpp"

#include <vector>

namespace warpgraph {

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

extern template class ProductPanels<float>;
extern template class ProductPanels<double>;

}  // namespace warpgraph
