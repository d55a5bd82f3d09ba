// The k nearest neighbours of points, or of queries among points, by comparing all pairs. A thread
// searches for one query, and keeps its list as a heap.
#pragma once

#include "core/interrupt.hpp"
#include "primitives/knn/device_lists.cuh"
#include "primitives/knn/neighbour_heap.cuh"
#include "primitives/knn/point_tiles.cuh"

namespace warpgraph::knn {

/// The queries: the points themselves from the first one on, some of them, or other points.
template <class Points>
struct Queries {
  Points of;
  std::int64_t first;
  std::int64_t count;
  bool are_own = true;  // no neighbours of themselves
  const vertex_t* ids = nullptr;
  const vertex_t* places = nullptr;  // in the lists, of `ids`

  __device__ std::int64_t id(std::int64_t i) const {
    return ids == nullptr ? first + i : ids[first + i];
  }
  __device__ std::int64_t place(std::int64_t i, std::int64_t first_position) const {
    return places == nullptr ? first + i - first_position : places[first + i];
  }
};

/// Searches for the queries. Neighbours are ids, their keys distances. If not `sorted`, only the
/// last neighbour is in its place: at the top of its heap, the first place.
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
#pragma unroll
    for (int i = 0; i < tile; ++i) {
      const std::int64_t point = first + i;
      const Key distance = metric.distance(sums[i]);
      if (distance <= list.radius() && point < points.n && !(queries.are_own && point == query)) {
        list.insert(distance, static_cast<vertex_t>(point));
      }
    }
  }
  if (active && sorted) list.heap.sort();
}

/// Returns the bytes that for_each_slice allocates for n points with keys of this type.
template <class Key>
std::size_t slice_bytes(std::size_t n, int length) {
  const auto most = static_cast<std::size_t>(points_per_slice(length));
  return OwnedLists<Key>::bytes(std::min(n, most), static_cast<std::size_t>(length));
}

/// Searches for the queries, in launches of about a hundredth of a second.
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

/// Calls use(slice) for the lists of all queries, slice by slice. `length` is positive. If not
/// `sorted`, only the last neighbour of a list is in its place.
template <class Points, class MetricOf, class Use>
void for_each_slice(const Points& points, const Queries<Points>& queries, const MetricOf& metric,
                    int length, bool sorted, const cuda::Stream& stream, Use&& use) {
  using Key = distance_t<MetricOf>;
  const std::int64_t per_slice = std::min<std::int64_t>(points_per_slice(length), queries.count);
  const OwnedLists<Key> memory(static_cast<vertex_t>(per_slice), length, stream);
  for (std::int64_t begin = 0; begin < queries.count; begin += per_slice) {
    Queries<Points> some = queries;
    some.first = begin;
    some.count = std::min<std::int64_t>(per_slice, queries.count - begin);
    DeviceLists<Key> lists = memory.view();
    lists.first_position = begin;
    search_tiles_for(points, metric, some, lists, length, sorted, stream);
    use(Slice<Key>{lists, static_cast<vertex_t>(some.count), length, true,
                   sorted ? length - 1 : 0});
  }
}

/// Calls use(slice) for the lists of the points themselves, as queries.
template <class Points, class MetricOf, class Use>
void for_each_slice(const Points& points, const MetricOf& metric, int length, bool sorted,
                    const cuda::Stream& stream, Use&& use) {
  for_each_slice(points, Queries<Points>{points, 0, points.n}, metric, length, sorted, stream, use);
}

}  // namespace warpgraph::knn
