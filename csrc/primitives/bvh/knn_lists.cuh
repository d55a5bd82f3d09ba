// Finds the lists of the k nearest neighbours of all points, a slice of the points at a time.
#pragma once

#include "core/interrupt.hpp"
#include "primitives/bvh/knn_search.cuh"

#include <algorithm>

namespace warpgraph::bvh {

/// Number of warps of a launch: some hundredths of a second in many dimensions; in few dimensions
/// enough that the idle time at the end of each launch does not matter.
template <int D>
inline constexpr std::int64_t warps_per_launch = D <= 4 ? 1 << 18 : 1 << 16;

/// Calls launch(first, count) for slices of n warps, short enough that Ctrl-C is handled between
/// them.
template <int D, class Launch>
void launch_in_slices(std::int64_t n, const cuda::Stream& stream, Launch&& launch) {
  for (std::int64_t first = 0; first < n; first += warps_per_launch<D>) {
    if (first != 0) stream.synchronize();
    poll();
    launch(first, std::min(warps_per_launch<D>, n - first));
  }
}

/// Length of the longest list in registers; longer lists are heaps.
inline constexpr int max_register_list = 16;

namespace detail {

/// Returns the number of leaves whose points form a slice.
inline std::int64_t leaves_per_slice(std::int64_t length) {
  return std::max<std::int64_t>(knn::points_per_slice(length) / branching_factor, 1);
}

/// Returns the length of the shortest list in registers that has `length` entries.
inline int register_length(int length) { return length <= 8 ? 8 : max_register_list; }

}  // namespace detail

/// Returns the bytes that for_each_knn_slice allocates for n points.
template <class T>
std::size_t knn_slice_bytes(std::size_t n, int length) {
  const int stored = length > max_register_list ? length : detail::register_length(length);
  const auto most = static_cast<std::size_t>(detail::leaves_per_slice(stored)) * branching_factor;
  return knn::OwnedLists<T>::bytes(std::min(n, most), static_cast<std::size_t>(stored));
}

/// Calls use(slice) for the lists of all points, slice by slice. `length` is positive. If not
/// `sorted`, only the last neighbour of a list need be in its place.
template <class T, int D, class Use>
void for_each_knn_slice(const Bvh<T, D>& bvh, const vertex_t* ids, int length, bool sorted,
                        const cuda::Stream& stream, Use&& use) {
  const bool has_heaps = length > max_register_list;
  const int stored = has_heaps ? length : detail::register_length(length);
  const std::int64_t slice_leaves = detail::leaves_per_slice(stored);
  const auto n_stored =
      static_cast<vertex_t>(std::min<std::int64_t>(slice_leaves * branching_factor, bvh.n_points));
  const knn::OwnedLists<T> memory(n_stored, stored, stream);
  for (std::int64_t begin = 0; begin < bvh.n_leaves(); begin += slice_leaves) {
    const std::int64_t n_leaves = std::min(slice_leaves, bvh.n_leaves() - begin);
    knn::DeviceLists<T> lists = memory.view();
    lists.first_position = begin * branching_factor;
    launch_in_slices<D>(n_leaves, stream, [&](std::int64_t first, std::int64_t n_warps) {
      const std::int64_t n_threads = n_warps * branching_factor;
      if (has_heaps) {
        cuda::launch_for(stream, n_threads, find_knn_by_heaps<T, D>, bvh, ids, lists, length,
                         sorted, begin + first);
      } else {
        const auto kernel = stored == 8 ? find_knn<T, D, 8> : find_knn<T, D, max_register_list>;
        cuda::launch_for(stream, n_threads, kernel, bvh, ids, lists, begin + first);
      }
    });
    const std::int64_t n_points =
        std::min(n_leaves * branching_factor, bvh.n_points - lists.first_position);
    use(knn::Slice<T>{lists, static_cast<vertex_t>(n_points), length, has_heaps,
                      has_heaps && !sorted ? 0 : length - 1});
  }
}

}  // namespace warpgraph::bvh
