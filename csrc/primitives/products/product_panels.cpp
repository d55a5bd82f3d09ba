#include "primitives/products/product_panels.hpp"

#include "core/threads/parallel.hpp"

#include <algorithm>
#include <limits>

namespace warpgraph {

template <class T>
PanelScale<T>::PanelScale(PointsView<T> points) : centre_(at(points.dimension), 0) {
  const std::int64_t n = points.n_points;
  const std::int64_t d = points.dimension;
  constexpr std::int64_t axes_per_block = 16;  // a cache line of a row
  const double share = 1 / static_cast<double>(n);
  std::vector<double> largest(at(d), 0);
  parallel_blocks(d, axes_per_block, [&](int, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = 0; i < n; ++i) {
      const T* row = points.row(i);
      for (std::int64_t k = first; k < last; ++k) {
        centre_[at(k)] += static_cast<double>(row[k]) * share;
      }
    }
    for (std::int64_t i = 0; i < n; ++i) {
      const T* row = points.row(i);
      for (std::int64_t k = first; k < last; ++k) {
        const double apart = std::abs(static_cast<double>(row[k]) - centre_[at(k)]);
        largest[at(k)] = std::max(largest[at(k)], apart);
      }
    }
  });
  const double most = *std::max_element(largest.begin(), largest.end());
  constexpr int most_exponent = 400;
  int exponent = 0;
  std::frexp(most, &exponent);
  const bool has_scale = std::isfinite(most) && std::abs(exponent) <= most_exponent;
  scale_ = has_scale ? std::ldexp(1.0, -exponent) : 1;
  constexpr double rounding = 0x1p-24;
  const auto parts = static_cast<double>(d / max_product_depth + 1);
  error_ = (2 * (2 * max_product_depth + parts + 2) + 16) * 1.01 * rounding;
  const auto width = static_cast<double>(d);
  key_error_ = 1.03 * (width + 2) * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  is_usable_ = has_scale && error_ < 0.01 && key_error_ < 0.01;
  vanished_ = 2 * width * static_cast<double>(std::numeric_limits<T>::denorm_min());
}

template <class T>
ProductPanels<T>::ProductPanels(PointsView<T> points, const KdTree<T, 0>& tree,
                                const PanelScale<T>& scale)
    : dimension_(points.dimension), panels_(tree.nodes().size()) {
  std::int64_t n_columns = 0;
  for (const std::int32_t leaf : tree.leaves()) {
    const KdNode& node = tree.nodes()[static_cast<std::size_t>(leaf)];
    Panel& panel = panels_[static_cast<std::size_t>(leaf)];
    panel = {n_columns, node.last - node.first};
    n_columns += std::int64_t{panel.n_vectors()} * panel_lanes;
  }
  columns_.resize(static_cast<std::size_t>(n_columns * dimension_));
  halves_.resize(static_cast<std::size_t>(n_columns));
  errors_.resize(static_cast<std::size_t>(n_columns));
  parallel_for(
      std::ssize(tree.leaves()),
      [&](std::int64_t i) { fill(tree, scale, tree.leaves()[static_cast<std::size_t>(i)]); }, 4);
}

template <class T>
void ProductPanels<T>::fill(const KdTree<T, 0>& tree, const PanelScale<T>& scale,
                            std::int32_t leaf) {
  const Panel& panel = panels_[static_cast<std::size_t>(leaf)];
  const T* const from = tree.block(tree.nodes()[static_cast<std::size_t>(leaf)]);
  const int width = panel.n_vectors() * panel_lanes;
  float* const to = columns_.data() + panel.first_column * dimension_;
  std::array<double, max_panel_columns> squares{};
  for (std::int64_t k = 0; k < dimension_; ++k) {
    for (int c = 0; c < width; ++c) {
      const float moved =
          c < panel.n_columns ? scale.moved(from[k * panel.n_columns + c], k) : 0.0F;
      to[k * width + c] = moved;
      squares[static_cast<std::size_t>(c)] += double{moved} * double{moved};
    }
  }
  for (int c = 0; c < width; ++c) {
    const double square = squares[static_cast<std::size_t>(c)];
    const auto place = static_cast<std::size_t>(panel.first_column + c);
    halves_[place] = static_cast<float>(square * (1 - scale.error()) / 2);
    errors_[place] = static_cast<float>(square * scale.error() * (1 + 1e-6));
  }
}

template class PanelScale<float>;
template class PanelScale<double>;
template class ProductPanels<float>;
template class ProductPanels<double>;

}  // namespace warpgraph
