// The k nearest neighbours of every point, exact.
//
// Neighbours are ordered by (squared distance, smaller id). Squared distances are computed in the
// points' own type, coordinate by coordinate from the first, no fused multiply-add. The point
// itself is always the first, also where others are identical to it. This order is strict and
// total, so every function below returns the same lists, bit for bit. A squared distance that
// overflows is inf, and such neighbours are ordered by their ids.
//
// knn_reference compares all pairs: O(n^2 (d + log k)) time, sequential.
//
// knn_cpu searches a k-d tree [1] from its leaves, on all cores: all points of a leaf share one
// traversal (primitives/kd_tree/knn_search.hpp). Identical points share one list. Memory is O(n d),
// besides the results. In many dimensions, products of matrices in float32 leave out most pairs of
// two leaves (primitives/products/product_search.hpp).
//
// knn_cuda searches a bounding volume hierarchy of the points in Hilbert order in up to 8
// dimensions, a warp for 32 points (primitives/bvh/knn_search.cuh). In more, products of matrices
// in float32 leave out most pairs (primitives/products/near_pairs.cuh); for long lists it compares
// all pairs in tiles (primitives/knn/brute_force.cuh). It keeps the lists of a slice of the points
// at a time.
//
// knn_by_metric_cuda does so by other metrics (primitives/metric/device_metrics.hpp) in any number
// of dimensions. Its order is by the distance, which is a double, and the id, and its lists are
// those of algorithms/metric_points.
//
// [1] Friedman, Bentley, Finkel: An algorithm for finding best matches in logarithmic expected
//     time. ACM Transactions on Mathematical Software 3(3), 1977.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "graph/points/points.hpp"

namespace warpgraph {
namespace cuda {
class Stream;
}
struct Metric;

struct KnnOptions {
  std::int32_t n_neighbors = 1;  // 1 .. n, or .. n - 1 without the point itself
  bool include_self = true;      // as the first neighbour
  bool by_products = false;      // of many coordinates, on cores
};

/// The arrays of the caller; null: not wanted. Distances are the square roots, in double, of the
/// squared distances. Row p of a matrix begins at p * n_neighbors.
struct NeighboursView {
  vertex_t* neighbours = nullptr;  // matrix: ids, nearest first
  double* distances = nullptr;     // matrix: to the neighbours
  double* farthest = nullptr;      // one of each point: the distance to its last neighbour

  /// Writes the k neighbours of a point, whose distances are functions of their keys.
  template <class Row, class Distance>
  void put(const Row& row, std::int64_t k, Distance&& distance) const {
    const std::int64_t point = row.point();
    if (farthest != nullptr) farthest[point] = distance(row.last_key());
    if (neighbours == nullptr && distances == nullptr) return;
    row.for_each([&](std::int64_t i, vertex_t neighbour, auto key) {
      if (neighbours != nullptr) neighbours[point * k + i] = neighbour;
      if (distances != nullptr) distances[point * k + i] = distance(key);
    });
  }
};

template <class T>
void knn_reference(PointsView<T> points, const KnnOptions& options, const NeighboursView& out);
/// Returns what knn_cpu asks for. Reads no coordinates.
template <class T>
[[nodiscard]] MemoryNeed need_of_knn(PointsView<T> points, const KnnOptions& options);
template <class T>
void knn_cpu(PointsView<T> points, const KnnOptions& options, const NeighboursView& out,
             MemoryBudget budget);
/// Finds the neighbours on the stream's device. Points and results are each in host memory or
/// there.
template <class T>
void knn_cuda(PointsView<T> points, const KnnOptions& options, const NeighboursView& out,
              MemoryBudget budget, const cuda::Stream& stream);
/// Finds the nearest points of queries, none of which is itself among the points, by products: in
/// more than max_fixed_dimension dimensions, and at most products::most_neighbours. Arrays are each
/// in host memory or there.
template <class T>
void nearest_of_queries_cuda(PointsView<T> points, PointsView<T> queries, const KnnOptions& options,
                             const NeighboursView& out, MemoryBudget budget,
                             const cuda::Stream& stream);

/// Finds the neighbours by a metric. Coordinate: float, double, or std::uint64_t for bits. Throws
/// DeviceError for a metric that devices do not have.
template <class Coordinate>
void knn_by_metric_cuda(PointsView<Coordinate> points, const Metric& metric,
                        const KnnOptions& options, const NeighboursView& out, MemoryBudget budget,
                        const cuda::Stream& stream);

}  // namespace warpgraph
