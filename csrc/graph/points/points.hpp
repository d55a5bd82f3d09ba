// Points in row-major order.
#pragma once

#include "core/types.hpp"

namespace warpgraph {

/// n_points points of `dimension` finite coordinates each, row by row. T: float or double.
template <class T>
struct PointsView {
  const T* coordinates = nullptr;
  vertex_t n_points = 0;
  std::int64_t dimension = 0;

  [[nodiscard]] WARPGRAPH_HOST_DEVICE const T* row(std::int64_t point) const noexcept {
    return coordinates + point * dimension;
  }
};

/// Returns the squared distance of two points. It is equal on every device: the squares are added
/// in the order of the coordinates.
template <class T>
[[nodiscard]] WARPGRAPH_HOST_DEVICE T squared_distance(const T* a, const T* b,
                                                       std::int64_t dimension) noexcept {
  T sum = 0;
  for (std::int64_t j = 0; j < dimension; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

}  // namespace warpgraph
