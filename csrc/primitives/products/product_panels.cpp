#include "primitives/products/product_panels.hpp"

#include "core/threads/parallel.hpp"

#include <algorithm>

namespace warpgraph {

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
    halves_[place] = static_cast<float>(square * (1 - scale.errors().of_square) / 2);
    errors_[place] = static_cast<float>(square * scale.errors().of_square * (1 + 1e-6));
  }
}

template class ProductPanels<float>;
template class ProductPanels<double>;

}  // namespace warpgraph
