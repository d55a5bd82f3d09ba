// The kernel of brute_force.cuh and its launches. Only the sources that compile them for all others
// include this: a kernel takes half a second, and there are two for each kind of points and metric.
#pragma once

#include "core/interrupt.hpp"
#include "primitives/knn/brute_force.cuh"
#include "primitives/knn/neighbour_heap.cuh"

#include <algorithm>

namespace warpgraph::knn {

/// Searches for the queries, a thread for each.
template <class Points, int axes, class MetricOf>
__global__ void __launch_bounds__(search_threads)
    find_knn_of_tiles(Points points, MetricOf metric, Queries<Points> queries,
                      DeviceLists<distance_t<MetricOf>> lists, int length, bool sorted) {
  using Key = distance_t<MetricOf>;
  constexpr int tile = tile_size<typename MetricOf::Item>;
  __shared__ typename MetricOf::Item shared_coordinates[axes][tile];
  const std::int64_t index = cuda::global_index();
  // Threads without a query help to load the tiles.
  const bool active = index < queries.count;
  const std::int64_t of = min(index, queries.count - 1);
  const std::int64_t query = queries.id(of);
  const std::int64_t at = queries.place(of, lists.first_position);
  HeapList<Key> list{{lists.key + at, lists.neighbour + at, lists.stride, length}, {}};
  if (active) list.clear();
  for (std::int64_t first = 0; first < points.n; first += tile) {
    typename MetricOf::Sum sums[tile] = {};
    add_distances(queries.of, points, metric, query, first, points.n, shared_coordinates, sums,
                  [](unsigned, std::int64_t) {});
    if (!active) continue;
    // Sums are in registers, where a place is a constant: code that inserts one stands there for
    // every point of the tile. So points within the radius, which are few, take a copy.
    unsigned near = 0;
#pragma unroll
    for (int i = 0; i < tile; ++i) {
      near |= metric.distance(sums[i]) <= list.radius() ? 1u << i : 0u;
    }
    if (near == 0) continue;
    typename MetricOf::Sum copies[tile];
#pragma unroll
    for (int i = 0; i < tile; ++i) copies[i] = sums[i];
    for (; near != 0; near &= near - 1) {
      const int i = __ffs(static_cast<int>(near)) - 1;
      const std::int64_t point = first + i;
      const Key distance = metric.distance(copies[i]);
      if (distance <= list.radius() && point < points.n && !(queries.are_own && point == query)) {
        list.insert(distance, static_cast<vertex_t>(point));
      }
    }
  }
  if (active && sorted) list.heap.sort();
}

template <class Points, class MetricOf>
void search_tiles_for(const Points& points, const MetricOf& metric, const Queries<Points>& queries,
                      const DeviceLists<distance_t<MetricOf>>& lists, int length, bool sorted,
                      const cuda::Stream& stream) {
  const std::int64_t per_launch = queries_per_launch(points.n, points.dimension);
  auto* const kernel = points.dimension <= 4 ? find_knn_of_tiles<Points, 4, MetricOf>
                                             : find_knn_of_tiles<Points, 8, MetricOf>;
  const std::int64_t end = queries.first + queries.count;
  for (Queries<Points> some = queries; some.first < end; some.first += per_launch) {
    if (some.first != 0) stream.synchronize();
    poll();
    some.count = std::min(per_launch, end - some.first);
    cuda::launch(stream, (some.count + search_threads - 1) / search_threads, search_threads, 0,
                 kernel, points, metric, some, lists, length, sorted);
  }
}

}  // namespace warpgraph::knn
