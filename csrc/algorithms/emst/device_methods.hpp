// The two methods on a CUDA device, and their common types.
#pragma once

#include "algorithms/emst/pair_order.hpp"
#include "core/atomics.hpp"

#include <cstddef>

namespace warpgraph::emst {

/// Coordinate k of point p is at coordinates[p * dimension + k], in device memory.
template <class T>
struct DevicePoints {
  const T* coordinates;
  vertex_t n;
  int dimension;

  WARPGRAPH_HOST_DEVICE T at(vertex_t p, int axis) const {
    return coordinates[static_cast<std::int64_t>(p) * dimension + axis];
  }
};

/// Atomic minimum of keys. They compare like the integers with the same bits, also identical_key,
/// since it is the only negative one.
template <class T>
WARPGRAPH_HOST_DEVICE void lower_key(T& place, T key) {
  if (key < relaxed_load(place)) lower_non_negative(place, key);
}

/// In more dimensions, bounding boxes do not help.
inline constexpr int max_bvh_dimensions = max_fixed_dimension;

/// Over a BVH: see bvh_boruvka.cuh. At most max_bvh_dimensions.
template <class T>
void emst_by_bvh(const DevicePoints<T>& points, const TreeView& tree, const cuda::Stream& stream);
template <class T>
std::size_t bvh_bytes(std::size_t n, std::size_t dimension);

/// Over all pairs: see brute_force_cuda.cu.
template <class T>
void emst_by_brute_force(const DevicePoints<T>& points, const TreeView& tree,
                         const cuda::Stream& stream);
template <class T>
std::size_t brute_force_bytes(std::size_t n, std::size_t dimension);

}  // namespace warpgraph::emst
