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
// single_linkage walks over the edges once with a union-find structure: linear after the sort, and
// sequential, since every join waits for the ones below. It waits for them, not for memory: what
// later joins need is asked for beforehand.
//
// [1] Gower, Ross: Minimum spanning trees and single linkage cluster analysis. Applied Statistics
//     18, 1969.
#pragma once

#include "core/types.hpp"

#include <span>

namespace warpgraph {

/// A forest: ends[2 e] and ends[2 e + 1] are the ends of edge e.
struct ForestView {
  vertex_t n_vertices = 0;
  std::span<const vertex_t> ends;
  std::span<const double> weights;
};

/// Fills 4 (n_vertices - 1) numbers. Equally heavy edges join in the order in which they are given.
/// Throws std::invalid_argument naming the first edge, in the order of joins, that closes a cycle.
void single_linkage(const ForestView& forest, std::span<double> linkage);

}  // namespace warpgraph
