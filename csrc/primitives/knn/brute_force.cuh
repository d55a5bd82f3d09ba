// The k nearest neighbours of points, or of queries among points, by comparing all pairs. A thread
// searches for one query, and keeps its list as a heap (tile_search.cuh).
#pragma once

#include "primitives/knn/device_lists.cuh"
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

/// Returns the bytes that for_each_slice allocates for n points with keys of this type.
template <class Key>
std::size_t slice_bytes(std::size_t n, int length) {
  const auto most = static_cast<std::size_t>(points_per_slice(length));
  return OwnedLists<Key>::bytes(std::min(n, most), static_cast<std::size_t>(length));
}

/// Searches for the queries, in launches of about a hundredth of a second. Neighbours are ids,
/// their keys distances. If not `sorted`, only the last neighbour is in its place: at the top of
/// its heap, the first place. Compiled once, in tile_search*_cuda.cu: by all metrics of devices for
/// points in columns, and by SquaredDistances for points in rows, too.
template <class Points, class MetricOf>
void search_tiles_for(const Points& points, const MetricOf& metric, const Queries<Points>& queries,
                      const DeviceLists<distance_t<MetricOf>>& lists, int length, bool sorted,
                      const cuda::Stream& stream);

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
