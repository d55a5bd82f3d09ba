// Points in the type in which a metric compares them.
#pragma once

#include "core/containers/at.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"
#include "graph/points/points.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpgraph {

/// Points of float or double, whose rows are read as double: what compares rows by a metric is
/// compiled once for both.
class NumberRows {
 public:
  NumberRows(PointsView<double> points) noexcept
      : n_points(points.n_points),
        dimension(points.dimension),
        doubles_(points.coordinates),
        are_doubles_(true) {}
  NumberRows(PointsView<float> points) noexcept
      : n_points(points.n_points), dimension(points.dimension), floats_(points.coordinates) {}

  using Item = double;

  vertex_t n_points;
  std::int64_t dimension;

  /// Returns a row, where it is or in a buffer of one row.
  [[nodiscard]] const double* row(std::int64_t point, double* buffer) const noexcept {
    if (doubles_ != nullptr) return doubles_ + point * dimension;
    std::copy_n(floats_ + point * dimension, dimension, buffer);
    return buffer;
  }

  /// Returns the bytes of a copy in double, or 0 if they are double.
  [[nodiscard]] std::size_t bytes_of_doubles() const noexcept {
    return are_doubles_ ? 0 : at(n_points) * at(dimension) * sizeof(double);
  }
  /// Returns all points as double: where they are, or in `copy`.
  [[nodiscard]] PointsView<double> doubles(HostVector<double>& copy) const {
    if (doubles_ != nullptr) return {doubles_, n_points, dimension};
    copy.resize(at(n_points) * at(dimension));
    parallel_for(std::ssize(copy), [&](std::int64_t i) { copy[at(i)] = floats_[i]; });
    return {copy.data(), n_points, dimension};
  }

 private:
  const double* doubles_ = nullptr;
  const float* floats_ = nullptr;
  bool are_doubles_ = false;
};

/// Points of bits that are packed into words.
struct BitRows : PointsView<std::uint64_t> {
  using Item = std::uint64_t;

  BitRows(PointsView<std::uint64_t> points) noexcept : PointsView(points) {}
  [[nodiscard]] const Item* row(std::int64_t point, Item*) const noexcept {
    return PointsView::row(point);
  }
};

/// The rows of points with this type of coordinates.
template <class Coordinate>
using RowsOf = std::conditional_t<std::is_same_v<Coordinate, std::uint64_t>, BitRows, NumberRows>;

}  // namespace warpgraph
