// k-means: k centres, each of which is the mean of the points that are nearest to it.
//
// Lloyd's algorithm [1]. An iteration assigns every point to its nearest centre and moves every
// centre to the mean of its points. It ends when no point changes its centre, when the sum of the
// centres' squared moves is at most the tolerance, or after max_iterations. The returned labels
// always belong to the returned centres.
//
// A point may have a weight w >= 0. Sums, means and the inertia count it w times. A point of weight
// 0 gets a label and changes nothing else: it is not relocated, and a centre whose points all have
// weight 0 is a centre without points.
//
// The result is the same for any number of threads. Squared distances are computed in the points'
// own type, coordinate by coordinate from the first, without fused multiply-add. Of equally near
// centres the first wins. Sums are accumulated in double, point by point within blocks of
// block_size points, then block by block.
//
// A centre without points moves to the point that is farthest from its own centre; ties go to the
// first point. Several such centres are filled in order. Only a point that differs from its centre
// and is not its only point can be relocated. If there is no such point, there are fewer distinct
// points than centres: the centre stays where it is, without points.
//
// kmeans_cpu skips distances that cannot matter: each point has an upper bound on the distance to
// its own centre and a lower bound on the distances to all others. The bounds are updated when
// centres move [2] and allow for rounding, so a skipped centre could not have won: the result is
// that of the plain algorithm bit for bit.
//
// kmeans_cuda computes all distances: a GPU computes them faster than it could decide which ones
// matter. Its sums use the same blocks in the same order, so its result is that of kmeans_cpu bit
// for bit: points are sorted by centre, and a warp adds the points that a block has of one centre.
//
// farthest_points is the farthest-first traversal [3] for k start centres: the first is the point
// farthest from the mean, each next one is the point farthest from those chosen before. Ties go to
// the first point. Points of weight 0 are not chosen.
//
// plus_plus_points is k-means++ [4] for k start centres, in the greedy variant; see
// starts/plus_plus.hpp.
//
// [1] Lloyd: Least squares quantization in PCM. IEEE Transactions on Information Theory 28, 1982.
// [2] Hamerly: Making k-means even faster. SIAM Data Mining 2010.
// [3] Gonzalez: Clustering to minimize the maximum intercluster distance. Theoretical Computer
//     Science 38, 1985.
// [4] Arthur, Vassilvitskii: k-means++: The advantages of careful seeding. SODA 2007.
#pragma once

#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/points/points.hpp"

#include <span>
#include <vector>

namespace warpgraph {

namespace cuda {
class Stream;
}

/// The points, and the weight of each in double; null: all weights are 1.
template <class T>
struct WeightedPoints : PointsView<T> {
  const double* weights = nullptr;

  WARPGRAPH_HOST_DEVICE WeightedPoints(PointsView<T> points, const double* weight_of = nullptr)
      : PointsView<T>(points), weights(weight_of) {}
  [[nodiscard]] WARPGRAPH_HOST_DEVICE double weight(std::int64_t point) const noexcept {
    return weights == nullptr ? 1.0 : weights[point];
  }
  /// Returns whether the point has an effect on centres.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE bool counts(std::int64_t point) const noexcept {
    return weights == nullptr || weights[point] > 0;
  }
};

struct KMeansOptions {
  int max_iterations = 300;
  double tolerance = 0;  // on the sum of the centres' squared moves; 0: until nothing moves
};

template <class T>
struct KMeansResult {
  std::vector<T> centres;  // row by row, as many as `start` has
  HostVector<vertex_t> labels;
  // Weighted sum of the squared distances of the points to their centres; not finite if one of
  // these overflows, whatever its weight: no nearest centre is defined then.
  double inertia = 0;
  int iterations = 0;
};

/// Returns the number of points in a block of the sums. It does not depend on the number of
/// threads.
[[nodiscard]] std::int64_t block_size(std::int64_t n_points, std::int64_t n_centres) noexcept;

/// Returns what kmeans_cpu asks for. Reads no coordinates or weights.
template <class T>
[[nodiscard]] MemoryNeed need_of_kmeans(const WeightedPoints<T>& points, std::int64_t n_centres);

/// Runs k-means on CPU cores. `start` has the coordinates of the centres, row by row, at least one,
/// in host memory.
template <class T>
KMeansResult<T> kmeans_cpu(const WeightedPoints<T>& points, std::span<const T> start,
                           const KMeansOptions& options, MemoryBudget budget);

/// Runs k-means on the stream's device. Points and weights are in its memory. Waits for the result.
template <class T>
KMeansResult<T> kmeans_cuda(const WeightedPoints<T>& points, std::span<const T> start,
                            const KMeansOptions& options, MemoryBudget budget,
                            const cuda::Stream& stream);

/// Returns the number of centres that have points of positive weight; weights are in host memory,
/// or null.
[[nodiscard]] std::int64_t count_used(std::span<const vertex_t> labels, const double* weights,
                                      std::int64_t n_centres);

/// Fills `labels` with the nearest centre of every point. Returns the inertia.
template <class T>
double nearest_centres(const WeightedPoints<T>& points, std::span<const T> centres,
                       std::span<vertex_t> labels);

/// Does the work of nearest_centres on the stream's device, in whose memory points and weights are;
/// labels and centres are in host memory.
template <class T>
double nearest_centres_cuda(const WeightedPoints<T>& points, std::span<const T> centres,
                            std::span<vertex_t> labels, const cuda::Stream& stream);

/// Returns the indices of k points. At least k points must have positive weights.
template <class T>
std::vector<vertex_t> farthest_points(const WeightedPoints<T>& points, vertex_t k);
/// Does the work of farthest_points on the stream's device, in whose memory points and weights are.
template <class T>
std::vector<vertex_t> farthest_points_cuda(const WeightedPoints<T>& points, vertex_t k,
                                           const cuda::Stream& stream);

/// Returns what plus_plus_points asks for, on any device, to draw from k points by so many random
/// numbers.
template <class T>
[[nodiscard]] MemoryNeed need_of_plus_plus(std::int64_t n_points, vertex_t k,
                                           std::int64_t n_uniforms);
/// Returns the indices of k points, drawn by `uniforms`: 1 + (k - 1) * n_trials random numbers in
/// [0, 1), n_trials >= 1 candidates for each centre but the first.
template <class T>
std::vector<vertex_t> plus_plus_points(const WeightedPoints<T>& points, vertex_t k,
                                       std::span<const double> uniforms, MemoryBudget budget);
/// Does the work of plus_plus_points on the stream's device, in whose memory points and weights
/// are.
template <class T>
std::vector<vertex_t> plus_plus_points_cuda(const WeightedPoints<T>& points, vertex_t k,
                                            std::span<const double> uniforms, MemoryBudget budget,
                                            const cuda::Stream& stream);

}  // namespace warpgraph
