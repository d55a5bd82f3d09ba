#include "graph/points/unit_rows.hpp"

#include "core/threads/parallel.hpp"
#include "graph/points/integer_ratios.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <vector>

namespace warpgraph {
namespace {

/// Returns the root of the sum of squares. The sum is off by about one rounding, however many there
/// are: what each addition loses is added up apart (Knuth's two-sum). So are the sums of every
/// eighth square, so that one does not wait for the other.
double length_of(std::span<const double> row) {
  constexpr std::size_t n_sums = 8;
  std::array<double, n_sums> sums{}, lost{};
  const auto add = [](double& to, double& lost_there, double term) {
    const double before = to;
    to += term;
    const double added = to - before;
    lost_there += (before - (to - added)) + (term - added);
  };
  std::size_t k = 0;
  for (; k + n_sums <= row.size(); k += n_sums) {
    for (std::size_t j = 0; j < n_sums; ++j) add(sums[j], lost[j], row[k + j] * row[k + j]);
  }
  double sum = 0, rest = 0;
  for (; k < row.size(); ++k) add(sum, rest, row[k] * row[k]);
  for (std::size_t j = 0; j < n_sums; ++j) {
    add(sum, rest, sums[j]);
    rest += lost[j];
  }
  return std::sqrt(sum + rest);
}

/// Writes a row divided by its largest magnitude, if that is not 0. Quotients of a row and of a
/// multiple are the same bits if the multiple is exact.
template <class T>
bool write_quotients(const T* row, std::span<double> quotients) {
  T largest = 0;
  for (std::size_t k = 0; k < quotients.size(); ++k) largest = std::max(largest, std::abs(row[k]));
  if (largest == 0) return false;
  for (std::size_t k = 0; k < quotients.size(); ++k) {
    quotients[k] = static_cast<double>(row[k]) / static_cast<double>(largest);
  }
  return true;
}

void note_first(std::atomic<std::int64_t>& first, std::int64_t i) {
  std::int64_t before = first.load();
  while (i < before && !first.compare_exchange_weak(before, i)) {
  }
}

}  // namespace

template <class T>
std::int64_t unit_rows(const PointsView<T>& points, std::span<T> units, NearDirections near) {
  constexpr std::int64_t coordinates_per_block = 1 << 14;
  const std::int64_t d = points.dimension;
  std::vector<std::uint8_t> are_integers(static_cast<std::size_t>(points.n_points));
  std::atomic<std::int64_t> first_zero{points.n_points};
  std::atomic<bool> are_all_integers{true};
  const std::int64_t rows_per_block =
      std::max<std::int64_t>(coordinates_per_block / std::max<std::int64_t>(d, 1), 1);
  parallel_blocks(points.n_points, rows_per_block, [&](int, std::int64_t begin, std::int64_t end) {
    std::vector<double> row(static_cast<std::size_t>(d));
    for (std::int64_t i = begin; i < end; ++i) {
      if (!write_quotients(points.row(i), std::span(row))) {
        note_first(first_zero, i);
        continue;
      }
      const bool is_of_integers = write_integer_ratios(row, integer_ratios<T>(), row);
      are_integers[static_cast<std::size_t>(i)] = is_of_integers ? 1 : 0;
      if (!is_of_integers) are_all_integers.store(false, std::memory_order_relaxed);
      const double length = length_of(row);
      // Of -0, the sum with 0 is 0.
      const auto divided = [&](double x) { return static_cast<T>(x / length + 0.0); };
      std::transform(row.begin(), row.end(), units.data() + i * d, divided);
    }
  });
  // Directions of small integers differ by more than rounding, or not at all.
  const bool may_be_near = near == NearDirections::joined && !are_all_integers.load();
  if (may_be_near && first_zero.load() == points.n_points) {
    join_near_rows(units, d, rounding_of_directions<T>(), are_integers);
  }
  return first_zero.load();
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(unit_rows)

}  // namespace warpgraph
