// HDBSCAN* on a CUDA device: points and their places in the tree stay there; clusters, which are
// fewer, come to the host. Results are those of condense() and select_clusters(), bit for bit.
//
// condense_cuda turns the pass over rows from the last to the first into loops over all rows. The
// rows of a merge are those that join each other at one height: each finds the last of them by
// pointer jumping. The last row is kept if it is part of a cluster, that is, if it is the root's,
// or has min_cluster_size points and is joined at a finite lambda. The merges above a kept one are
// kept, so
//   - a merge is a split if at least two of its parts are kept: atomic counts. A prefix sum over
//     the merges from the last one numbers the clusters;
//   - a kept row has the cluster of the merge above it, unless that is a split: pointer jumping;
//   - a point leaves at the first kept row above it: pointer jumping over the rows that are not.
// The host orders the numbers of clusters that are born at one lambda by their first points.
// Threads take rows from the last to the first, so that of a long chain most pointers that a thread
// follows have been shortened: about one memory access a row and level of the threads in flight.
//
// Stabilities need the rows of each cluster in order: one stable radix sort of rows by cluster.
// Blocks of 256 summands are added one thread each: ordered sums (condense/dendrogram.hpp).
//
// Bytes, for n points: the linkage matrix of 32 n is read six times, by rows in order but once,
// other arrays of 4 n a score of times, half of these at random; the sort moves 16 n a pass of 8
// bits. Together about 0.6 KB a point, 1.2 ms for ten million points at 5 TB/s, and several times
// that for the accesses at random. Choosing among the clusters is sequential, on the host; per
// cluster it copies 40 bytes to it and 20 back.
#pragma once

#include "algorithms/hdbscan/selection.hpp"

#include <span>

namespace warpgraph {

namespace cuda {
class Stream;
}
class MemoryBudget;

namespace hdbscan {

/// The cluster that each point leaves and the lambda at which it does, in device memory.
struct PointPlaces {
  std::span<vertex_t> cluster;
  std::span<double> lambda;
};

struct DeviceCondensedTree {
  CondensedTree clusters;   // without points
  double least_lambda = 0;  // at which anything leaves the root
};

/// Condenses a tree of at least two points. The heights of the matrix, in device memory, are
/// finite, and otherwise as for condense(). Fills `points`.
DeviceCondensedTree condense_cuda(std::span<const double> linkage, vertex_t min_cluster_size,
                                  const PointPlaces& points, MemoryBudget budget,
                                  const cuda::Stream& stream);

/// The results of each point, in device memory.
struct PointLabels {
  std::span<vertex_t> labels;
  std::span<double> probabilities;
};

/// Selects clusters and labels points, which are in device memory: `clusters` is without them. The
/// result has no labels and probabilities, which are filled in `found`.
Selection select_clusters_cuda(const CondensedTreeView& clusters, double least_lambda,
                               const PointPlaces& points, const SelectionOptions& options,
                               const PointLabels& found, MemoryBudget budget,
                               const cuda::Stream& stream);

}  // namespace hdbscan
}  // namespace warpgraph
