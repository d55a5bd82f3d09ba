// Single linkage: the dendrogram of a forest, as SciPy writes it.
//
// Cutting a minimum spanning tree at a height leaves the clusters that single linkage has there,
// so joining the tree's edges from the lightest on gives the whole hierarchy [1]. Row i of the
// linkage matrix is the i-th join: the two clusters (the smaller number first; vertices are
// clusters 0 .. n-1, the cluster made by row i is n + i), the height, the number of vertices.
//
// A forest has no edges to join its trees by. They are joined at height inf after everything else,
// in the order of their smallest vertices: the tree of vertex 0 with the next, the result with the
// one after that, and so on.
//
// single_linkage_reference walks over the edges once with a union-find structure: linear after the
// sort, which takes all cores, and sequential, since every join waits for the ones below. It waits
// for them, not for memory: what later joins need is asked for beforehand.
// single_linkage_cpu and single_linkage_cuda contract the tree instead, all edges at once that do
// not branch in the dendrogram [2]: see contraction.hpp. That takes several times the work, so few
// cores do not do it.
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

/// Each fills 4 (n_vertices - 1) numbers. Equally heavy edges join in the order in which they are
/// given. Each throws std::invalid_argument naming the first edge, in the order of joins, that
/// closes a cycle.
void single_linkage_reference(const ForestView& forest, std::span<double> linkage);

/// By contraction; `contract` false: the reference where that is faster, as it is for small forests
/// and few threads.
void single_linkage_cpu(const ForestView& forest, std::span<double> linkage, bool contract = false);

/// Of the address of a linkage matrix on a device, whose rows are written by wide stores. Views of
/// other arrays may begin elsewhere.
inline constexpr std::size_t linkage_alignment = 2 * sizeof(double);

/// The forest and the linkage matrix lie on the stream's device; waits until it is filled.
void single_linkage_cuda(const ForestView& forest, std::span<double> linkage,
                         const MemoryBudget& budget, const cuda::Stream& stream);

}  // namespace warpgraph
