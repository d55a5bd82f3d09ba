// k-means: k centres, each the mean of the points that are nearer to it than to the others.
//
// Lloyd's algorithm [1]. An iteration assigns every point to its nearest centre and moves every
// centre to the mean of its points. It ends when no point changes its centre, when the centres'
// squared moves sum to no more than the tolerance, or after max_iterations. The labels returned are
// always those of the centres returned.
//
// What makes the result the same for any number of threads: squared distances are computed in the
// points' own type, coordinate by coordinate from the first, no fused multiply-add; of equally near
// centres the first wins; sums are of doubles, point by point within the blocks that block_size
// names, then block by block.
//
// A centre without points moves to the point that is farthest from its own centre, ties to the
// first point; several such centres take turns, the first one first. Only points that do not lie
// at their centre and are not alone there can be taken; if there are none, the centre stays where
// it is and remains without points: there are fewer distinct points than centres.
//
// kmeans_cpu does not compute distances that cannot matter: each point has an upper bound of the
// distance to its own centre and a lower bound of all others, moved along with the centres [2].
// Bounds allow for rounding, so what they rule out could not have won: the result is that of
// the plain algorithm bit for bit (`bounds` = false is that algorithm, for tests).
//
// kmeans_cuda computes all distances: a GPU makes them faster than it could tell which matter. Its
// sums are those of the same blocks in the same order, so its result is that of kmeans_cpu bit for
// bit: points are sorted by their centre, and a group of threads adds what a block has of one.
//
// farthest_points starts from k points far apart [3]: the first is the one farthest from the mean,
// each next one the farthest from those chosen before; ties to the first point.
//
// [1] Lloyd: Least squares quantization in PCM. IEEE Transactions on Information Theory 28, 1982.
// [2] Hamerly: Making k-means even faster. SIAM Data Mining 2010.
// [3] Gonzalez: Clustering to minimize the maximum intercluster distance. Theoretical Computer
//     Science 38, 1985.
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

struct KMeansOptions {
  int max_iterations = 300;
  double tolerance = 0;  // of the sum of the centres' squared moves; 0: until nothing moves
  bool bounds = true;
};

template <class T>
struct KMeansResult {
  std::vector<T> centres;  // as many rows as there were at the start
  HostVector<vertex_t> labels;
  double inertia = 0;  // sum of the squared distances between points and their centres
  int iterations = 0;
};

/// Points whose sum is one block: depends on the sizes alone, never on threads.
[[nodiscard]] std::int64_t block_size(std::int64_t n_points, std::int64_t n_centres) noexcept;

/// `start`: the centres' coordinates, one centre after the other, at least one. Host memory.
template <class T>
KMeansResult<T> kmeans_cpu(PointsView<T> points, std::span<const T> start,
                           const KMeansOptions& options, const MemoryBudget& budget);

/// The points lie on the stream's device; waits for the result.
template <class T>
KMeansResult<T> kmeans_cuda(PointsView<T> points, std::span<const T> start,
                            const KMeansOptions& options, const MemoryBudget& budget,
                            const cuda::Stream& stream);

/// Fills `labels` with the nearest centre of every point; returns the inertia.
template <class T>
double nearest_centres(PointsView<T> points, std::span<const T> centres,
                       std::span<vertex_t> labels);

/// The points lie on the stream's device; labels, as the centres, in host memory.
template <class T>
double nearest_centres_cuda(PointsView<T> points, std::span<const T> centres,
                            std::span<vertex_t> labels, const cuda::Stream& stream);

/// k rows of points, k <= n_points.
template <class T>
std::vector<vertex_t> farthest_points(PointsView<T> points, vertex_t k);
/// The points lie on the stream's device.
template <class T>
std::vector<vertex_t> farthest_points_cuda(PointsView<T> points, vertex_t k,
                                           const cuda::Stream& stream);

}  // namespace warpgraph
