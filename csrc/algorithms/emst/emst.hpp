// Euclidean minimum spanning tree: the lightest tree over all pairs of n points, exact, without
// storing the pairs.
//
// Pairs are ordered by (key, smaller id, larger id). T is the points' own type, in which keys are
// computed. The core of a point is the squared distance to its min_samples-th nearest neighbour,
// itself included as the first: 0 if min_samples is 1, which makes the plain Euclidean tree. The
// key of a pair is its squared mutual-reachability distance [5]
//   key(u, v) = max(core(u), core(v), d(u, v) * f),  f = i * i,  i = T(1 / alpha).
// d is the squared distance, coordinate by coordinate from the first, no fused multiply-add. 1 /
// alpha is rounded to double and then to T, and each product to T; with alpha = 1 no product
// rounds. alpha does not change cores.
//
// A pair of identical points whose core is 0 comes before every other. Identical points with
// another core are an ordinary pair. This order is strict and total, so the tree is unique, and
// every function below returns it: bit for bit, with duplicates, ties, underflow and overflow (a
// squared distance that overflows is inf, and such pairs are ordered by their ids).
//
// emst_reference is Prim's algorithm [1]: O(n^2) time, O(n) memory, sequential.
//
// emst_cpu is Boruvka's algorithm [2] over a k-d tree [3], on all cores: see kd_tree_boruvka.hpp.
//
// emst_by_metric is emst_cpu with other keys, of double: the distances of a metric, divided by
// alpha (primitives/metric/metric_tree.hpp). Cores are distances, too, and keys are the weights.
//
// emst_cuda is Boruvka's algorithm on a device [4]: up to 8 dimensions over a bounding volume
// hierarchy of points in Hilbert order (bvh_boruvka.cuh); beyond, where boxes do not prune but the
// device's arithmetic is fast, by brute force in tiles (brute_force_cuda.cu). Both trees have the
// same kernels, with other keys of pairs (pair_keys.cuh).
//
// emst_by_metric_cuda is the brute force with keys of double, which are the weights: no pair of
// identical points comes before others at the same distance.
//
// [1] Prim: Shortest connection networks and some generalizations. Bell System Technical
//     Journal 36, 1957.
// [2] Boruvka: O jistem problemu minimalnim. Prace Moravske Prirodovedecke Spolecnosti 3, 1926.
// [3] March, Ram, Gray: Fast Euclidean minimum spanning tree: algorithm, analysis, and
//     applications. KDD 2010.
// [4] Prokopenko, Sao, Lebrun-Grandie: A single-tree algorithm to compute the Euclidean minimum
//     spanning tree on GPUs. ICPP 2022.
// [5] Campello, Moulavi, Sander: Density-based clustering based on hierarchical density estimates.
//     PAKDD 2013.
#pragma once

#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/points/points.hpp"
#include "primitives/metric/metrics.hpp"

#include <optional>

namespace warpgraph {
namespace cuda {
class Stream;
}

struct EmstOptions {
  std::int32_t min_samples = 1;  // 1 .. n
  double alpha = 1;              // positive; T(1 / alpha) squared must be finite and above 0
};

/// The tree's n - 1 edges in the order of their pairs, lightest first.
struct EuclideanTree {
  HostVector<vertex_t> edges;  // smaller id, larger id; smaller id, larger id; ...
  HostVector<double> weights;  // the square root, in double, of the key
};

/// The output arrays of the caller, with space for n - 1 edges.
struct TreeView {
  vertex_t* edges;
  double* weights;
  int exponent = 0;  // weights are multiplied by 2 to the power of it
};

// Functions need_of... return what the function of that name asks for, and read no coordinates.

template <class T>
EuclideanTree emst_reference(PointsView<T> points, const EmstOptions& options);
template <class T>
[[nodiscard]] MemoryNeed need_of_emst(PointsView<T> points, const EmstOptions& options);
template <class T>
EuclideanTree emst_cpu(PointsView<T> points, const EmstOptions& options, MemoryBudget budget);
template <class T>
[[nodiscard]] MemoryNeed need_of_emst_by_metric(PointsView<T> points, const Metric& metric,
                                                const EmstOptions& options);
/// Finds the tree under manhattan, chebyshev or minkowski. Returns none if alpha makes the distance
/// of different points 0: identical points come before them here.
template <class T>
std::optional<EuclideanTree> emst_by_metric(PointsView<T> points, const Metric& metric,
                                            const EmstOptions& options, MemoryBudget budget);
/// Finds the tree on the stream's device. Points and tree are each in host memory or on that
/// device.
template <class T>
void emst_cuda(PointsView<T> points, const EmstOptions& options, const TreeView& tree,
               MemoryBudget budget, const cuda::Stream& stream);
/// Finds the tree by a metric there. Coordinate: float, double, or std::uint64_t for bits. Throws
/// DeviceError for a metric that devices do not have.
template <class Coordinate>
void emst_by_metric_cuda(PointsView<Coordinate> points, const Metric& metric,
                         const EmstOptions& options, const TreeView& tree, MemoryBudget budget,
                         const cuda::Stream& stream);

}  // namespace warpgraph
