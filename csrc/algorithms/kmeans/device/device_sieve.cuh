// Nearest centres by one instruction a coordinate, where that tells them for certain.
//
// Squared distances as they are defined take three instructions a coordinate. |c|^2 - 2 x c takes
// one, differs from the distance by a number that is the same for all centres, and by rounding. If
// one centre is nearer by more than all rounding together, it is the nearest by the defined
// distances, too; only else are these computed, for the centres that are near enough. Where that is
// the rule, as with points far from the origin, all are computed the long way from then on.
#pragma once

#include "algorithms/kmeans/device/device_rows.cuh"

#include <cmath>
#include <limits>

namespace warpgraph::kmeans_steps {

template <class T>
inline constexpr T rounding_unit = std::numeric_limits<T>::epsilon();
template <class T>
inline constexpr T least_normal = std::numeric_limits<T>::min();

/// |c|^2 - 2 x c, always added up in the same order.
template <class T, int padded>
__device__ T offset_distance(const T (&row)[padded], const T* times_minus_2, T square) {
  T sum = square;
#pragma unroll
  for (int j = 0; j < padded; j += Pack<T>::size) {
    const Pack<T> pack = *reinterpret_cast<const Pack<T>*>(times_minus_2 + j);
#pragma unroll
    for (int k = 0; k < Pack<T>::size; ++k) sum = std::fma(row[j + k], pack.items[k], sum);
  }
  return sum;
}

/// More than an offset distance and a defined one together can be off by, twice. Let u be half an
/// epsilon and R the square of |x| + |c|, which bounds |c|^2 + 2 |x c| and the squared distance.
/// The former is off by (padded + 1) u R, the latter by (padded + 2) u R, and what underflows is
/// less than a smallest normal number a coordinate.
template <class T, int padded>
__device__ T all_rounding(const T (&row)[padded], T most_square) {
  T square = 0;
#pragma unroll
  for (int j = 0; j < padded; ++j) square = std::fma(row[j], row[j], square);
  const T reach = std::sqrt(square) + std::sqrt(most_square);
  // The square first: should it overflow, so may what it bounds, and nothing is clear.
  return 2 * (padded + 4) * rounding_unit<T> * (reach * reach) + 8 * padded * least_normal<T>;
}

/// The nearest centre by the defined distances among those no farther than `within`.
template <class T, int padded>
__device__ vertex_t nearest_within(const PointsView<T>& points, std::int64_t p,
                                   const Centres<T>& centres, T within) {
  T row[padded];
  load_row(points, p, row);
  T best = infinity<T>();
  vertex_t nearest = 0;
  for (vertex_t c = 0; c < centres.n; ++c) {
    const std::int64_t at = static_cast<std::int64_t>(c) * padded;
    if (offset_distance<T, padded>(row, centres.times_minus_2 + at, centres.squares[c]) > within) {
      continue;
    }
    const T key = squared_distance(points.row(p), centres.coordinates + at, points.dimension);
    if (key < best) {
      best = key;
      nearest = c;
    }
  }
  return nearest;
}

/// n points a thread.
template <class T, int padded, int n>
__global__ void __launch_bounds__(assign_threads)
    sieve_points(PointsView<T> points, Centres<T> centres, vertex_t at_once, vertex_t* labels,
                 Tally* tally) {
  const OwnPoints<T, padded, n> own(points);
  T best[n];
  T second[n];
  vertex_t nearest[n] = {};
#pragma unroll
  for (int i = 0; i < n; ++i) best[i] = second[i] = infinity<T>();
  const auto add = [](T& sum, T x, T y) { sum = std::fma(x, y, sum); };
  const auto compare = [&](vertex_t c, const T(&sums)[n]) {
#pragma unroll
    for (int i = 0; i < n; ++i) {
      nearest[i] = sums[i] < best[i] ? c : nearest[i];
      second[i] = min(second[i], max(best[i], sums[i]));
      best[i] = min(best[i], sums[i]);
    }
  };
  sum_over_centres<true>(own, centres, at_once, add, compare);
  int unclear = 0;
#pragma unroll
  for (int i = 0; i < n; ++i) {
    const T rounding = all_rounding(own.row[i], centres.most_square);
    if (second[i] - best[i] > rounding) continue;  // false for NaN, too
    const std::int64_t p = own.point(i);
    if (p >= points.n_points) continue;
    ++unclear;
    nearest[i] = nearest_within<T, padded>(points, p, centres, best[i] + rounding);
  }
  if (unclear > 0) atomicAdd(&tally->unclear, static_cast<unsigned long long>(unclear));
  write_labels(nearest, own.first, points.n_points, labels, &tally->changed);
}

}  // namespace warpgraph::kmeans_steps
