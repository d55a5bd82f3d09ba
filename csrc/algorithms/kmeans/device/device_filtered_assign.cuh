// Nearest centres with one instruction per coordinate, where the result is certain.
//
// Squared distances by definition take three instructions per coordinate. The expanded form |c|^2 -
// 2 x c takes one. It differs from the squared distance by |x|^2, which is the same for all
// centres, and by rounding. If one centre is nearer by more than the bound on all rounding errors,
// it is also the nearest by definition. Otherwise the point is ambiguous, and distances by
// definition are computed for the centres within that bound. If many points are ambiguous, as with
// points far from the origin, later iterations use the definition for all.
#pragma once

#include "algorithms/kmeans/device/register_points.cuh"

#include <cmath>
#include <limits>

namespace warpgraph::kmeans_detail {

template <class T>
inline constexpr T epsilon = std::numeric_limits<T>::epsilon();
template <class T>
inline constexpr T smallest_normal = std::numeric_limits<T>::min();

/// Computes |c|^2 - 2 x c, always added in the same order.
template <class T, int padded>
__device__ T expanded_distance(const T (&row)[padded], const T* times_minus_2, T square) {
  T sum = square;
#pragma unroll
  for (int j = 0; j < padded; j += Pack<T>::size) {
    const Pack<T> pack = *reinterpret_cast<const Pack<T>*>(times_minus_2 + j);
#pragma unroll
    for (int k = 0; k < Pack<T>::size; ++k) sum = std::fma(row[j + k], pack.items[k], sum);
  }
  return sum;
}

/// Returns more than twice the sum of the errors of an expanded and a defined distance. Let u be
/// half an epsilon and R = (|x| + |c|)^2, which bounds |c|^2 + 2 |x c| and the squared distance.
/// The expanded distance is off by (padded + 1) u R and the defined one by (padded + 2) u R.
/// Underflow adds less than one smallest normal number per coordinate.
template <class T, int padded>
__device__ T rounding_bound(const T (&row)[padded], T max_squared_norm) {
  T square = 0;
#pragma unroll
  for (int j = 0; j < padded; ++j) square = std::fma(row[j], row[j], square);
  const T norm_sum = std::sqrt(square) + std::sqrt(max_squared_norm);
  // Squares the sum first: if it overflows, what it bounds may overflow too, and every point is
  // ambiguous.
  return 2 * (padded + 4) * epsilon<T> * (norm_sum * norm_sum) + 8 * padded * smallest_normal<T>;
}

/// Returns the nearest centre by definition among those with an expanded distance of at most
/// `threshold`.
template <class T, int padded>
__device__ vertex_t nearest_within(const PointsView<T>& points, std::int64_t p,
                                   const Centres<T>& centres, T threshold) {
  T row[padded];
  load_row(points, p, row);
  T best = infinity<T>();
  vertex_t nearest = 0;
  for (vertex_t c = 0; c < centres.n; ++c) {
    const std::int64_t offset = static_cast<std::int64_t>(c) * padded;
    if (expanded_distance<T, padded>(row, centres.times_minus_2 + offset,
                                     centres.squared_norms[c]) > threshold) {
      continue;
    }
    const T distance =
        squared_distance(points.row(p), centres.coordinates + offset, points.dimension);
    if (distance < best) {
      best = distance;
      nearest = c;
    }
  }
  return nearest;
}

/// Assigns n points per thread.
template <class T, int padded, int n>
__global__ void __launch_bounds__(assign_threads)
    assign_points_filtered(PointsView<T> points, Centres<T> centres, vertex_t tile_size,
                           vertex_t* labels, AssignCounts* counts) {
  const RegisterPoints<T, padded, n> local(points);
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
  sum_over_centres<true>(local, centres, tile_size, add, compare);
  int ambiguous = 0;
#pragma unroll
  for (int i = 0; i < n; ++i) {
    const T rounding = rounding_bound(local.row[i], centres.max_squared_norm);
    if (second[i] - best[i] > rounding) continue;  // false for NaN as well
    const std::int64_t p = local.point(i);
    if (p >= points.n_points) continue;
    ++ambiguous;
    nearest[i] = nearest_within<T, padded>(points, p, centres, best[i] + rounding);
  }
  if (ambiguous > 0) atomicAdd(&counts->ambiguous, static_cast<unsigned long long>(ambiguous));
  write_labels(nearest, local.first, points.n_points, labels, &counts->changed);
}

}  // namespace warpgraph::kmeans_detail
