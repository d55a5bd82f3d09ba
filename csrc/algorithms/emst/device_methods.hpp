// The methods on a CUDA device, and their common types.
#pragma once

#include "algorithms/emst/pair_order.hpp"
#include "core/atomics.hpp"
#include "graph/points/device_points.hpp"

#include <cstddef>

namespace warpgraph::emst {

/// Lowers a key atomically. Keys compare like the integers with the same bits, also identical_key,
/// since it is the only negative one.
template <class T>
WARPGRAPH_HOST_DEVICE void lower_key(T& place, T key) {
  if (key < relaxed_load(place)) lower_non_negative(place, key);
}

/// The options of the tree of mutual-reachability distances.
template <class T>
struct ReachabilityOptions {
  int min_samples;
  T factor;  // of squared distances

  /// Returns whether keys are squared distances.
  [[nodiscard]] bool is_plain() const { return min_samples == 1 && factor == T(1); }
};

/// The most dimensions in which bounding boxes help.
inline constexpr int max_bvh_dimensions = max_fixed_dimension;

/// Finds the tree over a BVH of at most max_bvh_dimensions: see bvh_boruvka.cuh.
template <class T>
void emst_by_bvh(const DevicePoints<T>& points, const TreeView& tree, const cuda::Stream& stream);
template <class T>
std::size_t bvh_bytes(std::size_t n, std::size_t dimension);
template <class T>
void reachability_tree_by_bvh(const DevicePoints<T>& points, const ReachabilityOptions<T>& options,
                              const TreeView& tree, const cuda::Stream& stream);
template <class T>
std::size_t reachability_bvh_bytes(std::size_t n, std::size_t dimension, int min_samples);

/// Finds the tree over all pairs: see brute_force_cuda.cu.
template <class T>
void emst_by_brute_force(const DevicePoints<T>& points, const TreeView& tree,
                         const cuda::Stream& stream);
template <class T>
std::size_t brute_force_bytes(std::size_t n, std::size_t dimension);
template <class T>
void reachability_tree_by_brute_force(const DevicePoints<T>& points,
                                      const ReachabilityOptions<T>& options, const TreeView& tree,
                                      const cuda::Stream& stream);
template <class T>
std::size_t reachability_brute_force_bytes(std::size_t n, std::size_t dimension, int min_samples);

}  // namespace warpgraph::emst
