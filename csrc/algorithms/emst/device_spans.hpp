// The two ways to span points on a CUDA device, and what they share.
#pragma once

#include "algorithms/emst/emst.hpp"

#include <cstddef>

namespace warpgraph::emst {

/// Coordinate k of point p is at coordinates[p * dimension + k], in the device's memory.
template <class T>
struct DeviceRows {
  const T* coordinates;
  vertex_t n;
  int dimension;

  WARPGRAPH_HOST_DEVICE T at(vertex_t p, int axis) const {
    return coordinates[static_cast<std::int64_t>(p) * dimension + axis];
  }
};

/// More dimensions than this no tree of boxes helps with.
inline constexpr int most_tree_dimensions = 8;

/// By a tree of boxes: see tree_search.cuh. At most most_tree_dimensions.
template <class T>
void span_by_tree(const DeviceRows<T>& points, const TreeView& tree, const cuda::Stream& stream);
template <class T>
std::size_t tree_bytes(std::size_t n, std::size_t dimension);

/// Over all pairs: see brute_force_cuda.cu.
template <class T>
void span_by_brute_force(const DeviceRows<T>& points, const TreeView& tree,
                         const cuda::Stream& stream);
template <class T>
std::size_t brute_force_bytes(std::size_t n, std::size_t dimension);

}  // namespace warpgraph::emst
