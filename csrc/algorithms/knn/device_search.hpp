// The methods on a CUDA device. Points and results are in device memory; null results are not
// wanted. They return before their work on the stream is complete.
#pragma once

#include "algorithms/knn/knn.hpp"
#include "graph/points/device_points.hpp"
#include "graph/points/dimensions.hpp"

#include <cstddef>

namespace warpgraph::knn {

/// Searches a hierarchy of boxes (primitives/bvh), for at most max_fixed_dimension dimensions.
template <class T>
void search_boxes(const DevicePoints<T>& points, const KnnOptions& options,
                  const NeighboursView& out, const cuda::Stream& stream);
/// Returns the bytes that it takes, with lists of `length` neighbours besides the point itself.
template <class T>
std::size_t boxes_bytes(std::size_t n, std::size_t dimension, int length);

/// Searches all pairs (primitives/knn/brute_force.cuh).
template <class T>
void search_tiles(const DevicePoints<T>& points, const KnnOptions& options,
                  const NeighboursView& out, const cuda::Stream& stream);
template <class T>
std::size_t tiles_bytes(std::size_t n, std::size_t dimension, int length);

/// Searches by products of matrices (primitives/products/near_pairs.cuh), for at most
/// products::most_neighbours neighbours besides the point itself.
template <class T>
void search_products(const DevicePoints<T>& points, const KnnOptions& options,
                     const NeighboursView& out, const cuda::Stream& stream);
template <class T>
std::size_t products_bytes(std::size_t n, std::size_t dimension, int length);
/// Searches for the neighbours of other points, which are not among the points themselves.
template <class T>
void search_products_of_queries(const DevicePoints<T>& points, const DevicePoints<T>& queries,
                                const KnnOptions& options, const NeighboursView& out,
                                const cuda::Stream& stream);
template <class T>
std::size_t products_of_queries_bytes(std::size_t n, std::size_t n_queries, std::size_t dimension,
                                      int length);

}  // namespace warpgraph::knn
