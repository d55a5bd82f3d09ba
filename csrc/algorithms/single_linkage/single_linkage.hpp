// Single linkage: the dendrogram of a forest, in SciPy's format.
//
// Cutting a minimum spanning tree at a height leaves the clusters that single linkage has there, so
// merging along the tree's edges, lightest first, yields the whole hierarchy [1]. Row i of the
// linkage matrix is the i-th merge: the two clusters (the smaller number first; vertices are
// clusters 0 .. n-1, the cluster made by row i is n + i), the height, the number of vertices.
//
// The trees of a forest are merged at height inf after everything else, in the order of their
// smallest vertices: the tree of vertex 0 with the next, the result with the one after that, and so
// on.
//
// single_linkage_reference merges the edges in order with a union-find structure: linear after the
// sort. The sort uses all cores; the merges are sequential, since each depends on earlier ones.
// Prefetching hides the memory latency.
//
// single_linkage_cpu and single_linkage_cuda contract the tree instead, all edges at once that do
// not branch in the dendrogram [2]: see contraction.hpp. That takes several times the work, so it
// is not used with few cores.
//
// [1] Gower, Ross: Minimum spanning trees and single linkage cluster analysis. Applied Statistics
//     18, 1969.
// [2] Sao, Prokopenko, Lebrun-Grandie: PANDORA: A parallel dendrogram construction algorithm for
//     single linkage clustering on GPU. ICPP 2024.
#pragma once

#include "core/types.hpp"

#include <cstddef>
#include <span>

namespace warpgraph {

namespace cuda {
class Stream;
}
class MemoryBudget;

/// A forest: ends[2 e] and ends[2 e + 1] are the ends of edge e.
struct ForestView {
  vertex_t n_vertices = 0;
  std::span<const vertex_t> ends;
  std::span<const double> weights;
};

/// Fills 4 (n_vertices - 1) numbers, as all these functions do. Edges of equal weight merge in
/// input order. All throw std::invalid_argument that names the first edge, in the order of merges,
/// that closes a cycle.
void single_linkage_reference(const ForestView& forest, std::span<double> linkage);

/// The methods. fastest: the reference for small forests or few threads, else contraction.
enum class LinkageMethod { fastest, reference, contraction };

void single_linkage_cpu(const ForestView& forest, std::span<double> linkage,
                        LinkageMethod method = LinkageMethod::fastest);

/// The alignment in bytes that a linkage matrix needs on a device, whose rows are written by wide
/// stores. Other arrays need none beyond that of their items.
inline constexpr std::size_t linkage_alignment = 2 * sizeof(double);

/// Fills the linkage matrix on the stream's device, where the forest is, too. Waits until it is
/// filled.
void single_linkage_cuda(const ForestView& forest, std::span<double> linkage, MemoryBudget budget,
                         const cuda::Stream& stream);

}  // namespace warpgraph
