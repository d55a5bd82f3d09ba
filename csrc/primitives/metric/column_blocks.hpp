// Points in blocks whose coordinates are stored axis by axis, for distances from a point to a whole
// block by vector instructions. What compares points block by block is compiled once for all
// metrics: a call computes the distances of a block.
#pragma once

#include "core/memory/host_vector.hpp"
#include "core/processor/vectors.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/metric/metrics.hpp"
#include "primitives/metric/number_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

namespace warpgraph {

/// Points of a block: sums of a block stay in registers or the L1 cache.
inline constexpr std::int64_t block_lanes = 64;
using BlockDistances = std::array<double, block_lanes>;

/// Points of numbers, or of bits in words, under any metric of these.
template <class Item>
class PointBlocks {
 public:
  virtual ~PointBlocks() = default;

  static std::int64_t n_blocks(std::int64_t n) { return (n + block_lanes - 1) / block_lanes; }
  static std::size_t bytes(std::int64_t n, std::int64_t width) {
    return at(n_blocks(n) * block_lanes * width) * sizeof(Item);
  }

  [[nodiscard]] std::int64_t width() const noexcept { return width_; }
  /// Computes the distances from a point to those of a block; lanes beyond the last point have
  /// distances, too.
  virtual void distances(const Item* point, std::int64_t block, BlockDistances& to) const = 0;

  void copy_point(std::int64_t i, Item* to) const noexcept {
    for (std::int64_t k = 0; k < width_; ++k) to[k] = items_[place(i, k)];
  }
  /// Overwrites point `to` by point `from`.
  void move_point(std::int64_t from, std::int64_t to) noexcept {
    for (std::int64_t k = 0; k < width_; ++k) items_[place(to, k)] = items_[place(from, k)];
  }

 protected:
  template <class Rows>
  explicit PointBlocks(const Rows& rows) : n_(rows.n_points), width_(rows.dimension) {
    items_.resize(bytes(n_, width_) / sizeof(Item));
    parallel_for(
        n_blocks(n_), [&](std::int64_t block) { fill(rows, block); }, 1);
  }

  [[nodiscard]] const Item* block_at(std::int64_t block) const noexcept {
    return items_.data() + block * width_ * block_lanes;
  }

 private:
  template <class Rows>
  void fill(const Rows& rows, std::int64_t block) {
    std::vector<Item> buffer(at(width_));
    Item* to = items_.data() + block * width_ * block_lanes;
    std::fill_n(to, width_ * block_lanes, Item{});
    const std::int64_t first = block * block_lanes;
    const std::int64_t last = std::min(n_, first + block_lanes);
    for (std::int64_t i = first; i < last; ++i) {
      const Item* const row = rows.row(i, buffer.data());
      for (std::int64_t k = 0; k < width_; ++k) to[k * block_lanes + i - first] = row[k];
    }
  }
  [[nodiscard]] std::size_t place(std::int64_t i, std::int64_t k) const noexcept {
    return at((i / block_lanes * width_ + k) * block_lanes + i % block_lanes);
  }

  std::int64_t n_;
  std::int64_t width_;
  HostVector<Item> items_;
};

template <class MetricOf>
class ColumnBlocks final : public PointBlocks<typename MetricOf::Item> {
 public:
  using Item = typename MetricOf::Item;

  template <class Rows>
  ColumnBlocks(const Rows& rows, MetricOf metric) : PointBlocks<Item>(rows), metric_(metric) {}

  void distances(const Item* point, std::int64_t block, BlockDistances& to) const override {
    const Item* const from = this->block_at(block);
    const std::int64_t width = this->width();
    with_longest_vectors([&]<int bytes>() __attribute__((always_inline)) {
      std::array<typename MetricOf::Sum, block_lanes> sums{};
      for (std::int64_t k = 0; k < width; ++k) {
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
            to[j] = metric_.by_largest(point, 1, from + j, block_lanes, width);
          }
        }
      }
    });
  }

 private:
  MetricOf metric_;
};

/// Returns the points in blocks.
std::unique_ptr<PointBlocks<double>> make_point_blocks(const NumberRows& rows,
                                                       const Metric& metric);
std::unique_ptr<PointBlocks<std::uint64_t>> make_point_blocks(const BitRows& rows,
                                                              const Metric& metric);

}  // namespace warpgraph
