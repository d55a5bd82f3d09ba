// Points in blocks whose coordinates are stored axis by axis, for distances from a point to a whole
// block by vector instructions.
#pragma once

#include "core/memory/host_vector.hpp"
#include "core/processor/vectors.hpp"
#include "core/threads/parallel.hpp"
#include "graph/points/points.hpp"
#include "primitives/metric/metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace warpgraph {

/// Points of a block: sums of a block stay in registers or the L1 cache.
inline constexpr std::int64_t block_lanes = 64;
using BlockDistances = std::array<double, block_lanes>;

template <class MetricOf>
class ColumnBlocks {
 public:
  using Item = typename MetricOf::Item;

  template <class Coordinate>
  ColumnBlocks(PointsView<Coordinate> points, MetricOf metric)
      : metric_(metric), n_(points.n_points), width_(points.dimension) {
    items_.resize(bytes(n_, width_) / sizeof(Item));
    parallel_for(
        n_blocks(n_),
        [&](std::int64_t block) {
          Item* to = items_.data() + block * width_ * block_lanes;
          std::fill_n(to, width_ * block_lanes, Item{});
          const std::int64_t first = block * block_lanes;
          const std::int64_t last = std::min(n_, first + block_lanes);
          for (std::int64_t i = first; i < last; ++i) {
            for (std::int64_t k = 0; k < width_; ++k) {
              to[k * block_lanes + i - first] = static_cast<Item>(points.row(i)[k]);
            }
          }
        },
        1);
  }

  static std::int64_t n_blocks(std::int64_t n) { return (n + block_lanes - 1) / block_lanes; }
  static std::size_t bytes(std::int64_t n, std::int64_t width) {
    return static_cast<std::size_t>(n_blocks(n) * block_lanes * width) * sizeof(Item);
  }

  [[nodiscard]] std::int64_t width() const noexcept { return width_; }
  void copy_point(std::int64_t i, Item* to) const noexcept {
    for (std::int64_t k = 0; k < width_; ++k) to[k] = items_[place(i, k)];
  }
  /// Overwrites point `to` by point `from`.
  void move_point(std::int64_t from, std::int64_t to) noexcept {
    for (std::int64_t k = 0; k < width_; ++k) items_[place(to, k)] = items_[place(from, k)];
  }

  /// Computes the distances from a point to those of a block; lanes beyond the last point have
  /// distances, too.
  void distances(const Item* point, std::int64_t block, BlockDistances& to) const {
    const Item* from = items_.data() + block * width_ * block_lanes;
    with_longest_vectors([&]<int bytes>() __attribute__((always_inline)) {
      std::array<typename MetricOf::Sum, block_lanes> sums{};
      for (std::int64_t k = 0; k < width_; ++k) {
        const Item coordinate = point[k];
        const Item* column = from + k * block_lanes;
        for (std::int64_t j = 0; j < block_lanes; ++j) {
          metric_.add(sums[static_cast<std::size_t>(j)], coordinate, column[j]);
        }
      }
      for (std::size_t j = 0; j < sums.size(); ++j) to[j] = metric_.distance(sums[j]);
      if constexpr (requires { MetricOf::powers; }) {
        for (std::size_t j = 0; j < sums.size(); ++j) {
          if (MetricOf::is_lost(sums[j])) {
            to[j] = metric_.by_largest(point, 1, from + j, block_lanes, width_);
          }
        }
      }
    });
  }

 private:
  [[nodiscard]] std::size_t place(std::int64_t i, std::int64_t k) const noexcept {
    return static_cast<std::size_t>((i / block_lanes * width_ + k) * block_lanes + i % block_lanes);
  }

  MetricOf metric_;
  std::int64_t n_;
  std::int64_t width_;
  HostVector<Item> items_;
};

}  // namespace warpgraph
