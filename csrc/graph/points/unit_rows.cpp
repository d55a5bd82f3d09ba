#include "graph/points/unit_rows.hpp"

#include "core/threads/parallel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <numeric>

namespace warpgraph {
namespace {

/// Returns a power of two that is about 1 over the largest coordinate; near the ends of the range
/// of exponents, one whose products with coordinates have squares in range.
template <class T>
double scale_of(const T* row, std::int64_t dimension) {
  T largest = 0;
  for (std::int64_t k = 0; k < dimension; ++k) largest = std::max(largest, std::abs(row[k]));
  if (largest == 0) return 0;
  constexpr int most = 1000;
  return std::ldexp(1.0, -std::clamp(std::ilogb(largest), -most, most));
}

/// Returns the length of a row times `scale`. The sums of every eighth square are added up apart,
/// so that one does not wait for the other.
template <class T>
double length_of(const T* row, std::int64_t dimension, double scale) {
  constexpr std::int64_t n_sums = 8;
  std::array<double, n_sums> sums{};
  std::int64_t k = 0;
  for (; k + n_sums <= dimension; k += n_sums) {
    for (std::int64_t j = 0; j < n_sums; ++j) {
      const double scaled = static_cast<double>(row[k + j]) * scale;
      sums[static_cast<std::size_t>(j)] += scaled * scaled;
    }
  }
  double sum = std::accumulate(sums.begin(), sums.end(), 0.0);
  for (; k < dimension; ++k) sum += std::pow(static_cast<double>(row[k]) * scale, 2);
  return std::sqrt(sum);
}

}  // namespace

template <class T>
std::int64_t unit_rows(const PointsView<T>& points, std::span<T> units) {
  constexpr std::int64_t coordinates_per_block = 1 << 14;
  const std::int64_t d = points.dimension;
  std::atomic<std::int64_t> first_zero{points.n_points};
  const std::int64_t rows_per_block =
      std::max<std::int64_t>(coordinates_per_block / std::max<std::int64_t>(d, 1), 1);
  parallel_blocks(points.n_points, rows_per_block, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const T* const row = points.row(i);
      const double scale = scale_of(row, d);
      if (scale == 0) {
        std::int64_t before = first_zero.load();
        while (i < before && !first_zero.compare_exchange_weak(before, i)) {
        }
        continue;
      }
      const double share = 1 / length_of(row, d, scale);
      T* const to = units.data() + i * d;
      for (std::int64_t k = 0; k < d; ++k) {
        to[k] = static_cast<T>(static_cast<double>(row[k]) * scale * share);
      }
    }
  });
  return first_zero.load();
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(unit_rows)

}  // namespace warpgraph
