#include "primitives/products/panel_scale.hpp"

#include "core/threads/parallel.hpp"
#include "primitives/products/product_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warpgraph {

template <class T>
PanelScale<T>::PanelScale(std::vector<double> centre, double largest, double n_roundings)
    : centre_(std::move(centre)) {
  constexpr int most_exponent = 400;  // the square of the scale must be a float64, too
  int exponent = 0;
  std::frexp(largest, &exponent);
  const bool has_scale = std::isfinite(largest) && std::abs(exponent) <= most_exponent;
  constexpr double rounding = 0x1p-24;
  const auto width = static_cast<double>(centre_.size());
  errors_.scale = has_scale ? std::ldexp(1.0, -exponent) : 1;
  // panel_scale.hpp derives these bounds. They are rounded up.
  errors_.of_square = (2 * n_roundings + 16) * 1.01 * rounding;
  errors_.of_key = 1.03 * (width + 2) * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  errors_.vanished = 2 * width * static_cast<double>(std::numeric_limits<T>::denorm_min());
  errors_.largest_finite_key = static_cast<double>(std::numeric_limits<T>::max());
  is_usable_ = has_scale && errors_.of_square < 0.01 && errors_.of_key < 0.01;
}

template <class T>
PanelScale<T> panel_scale(PointsView<T> points) {
  const std::int64_t n = points.n_points;
  const std::int64_t d = points.dimension;
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  constexpr std::int64_t axes_per_block = 16;  // a cache line of a row
  const double share = 1 / static_cast<double>(n);
  std::vector<double> centre(at(d), 0);
  std::vector<double> largest(at(d), 0);
  parallel_blocks(d, axes_per_block, [&](int, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = 0; i < n; ++i) {
      const T* row = points.row(i);
      for (std::int64_t k = first; k < last; ++k) {
        centre[at(k)] += static_cast<double>(row[k]) * share;
      }
    }
    for (std::int64_t i = 0; i < n; ++i) {
      const T* row = points.row(i);
      for (std::int64_t k = first; k < last; ++k) {
        const double apart = std::abs(static_cast<double>(row[k]) - centre[at(k)]);
        largest[at(k)] = std::max(largest[at(k)], apart);
      }
    }
  });
  const double most = *std::max_element(largest.begin(), largest.end());
  const auto parts = static_cast<double>(d / max_product_depth + 1);
  return {std::move(centre), most, 2 * max_product_depth + parts + 2};
}

template class PanelScale<float>;
template class PanelScale<double>;
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(panel_scale)

}  // namespace warpgraph
