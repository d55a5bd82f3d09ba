// The edges by which new points can change the minimum spanning tree of old points.
//
// A pair of old points that is not in their tree is the last edge of some cycle among them, in the
// order of emst.hpp. That cycle remains when points are added. So the tree of all points consists
// of edges of the old tree and of pairs with a new point. Most pairs of a new point q with old
// points are the last edge of a cycle, too. If the old tree connects a cluster by edges shorter
// than the distance from q to the cluster, then q needs at most one edge into it, the shortest one.
//
// new_point_edges finds these pairs bottom-up in the single-linkage dendrogram of the old tree,
// whose nodes are the clusters. A cluster whose nearest point is no farther from q than the length
// of the cluster's next merge gets an edge to that point, and its ancestors need none. O(n) for
// each new point; new points are processed in parallel.
#pragma once

#include "graph/points/points.hpp"

#include <span>
#include <vector>

namespace warpgraph {

struct NewEdges {
  std::vector<vertex_t> ends;  // an old and a new point, in the order of the new points
  std::vector<double> weights;
};

/// Finds the edges. The first points are the old ones. Row r of `linkage`, their single-linkage
/// matrix, is the merge by the edge with the ends tree[2 r] and tree[2 r + 1]. Pairs of new points
/// are not considered.
template <class T>
NewEdges new_point_edges(PointsView<T> points, std::span<const vertex_t> tree,
                         std::span<const double> linkage);

}  // namespace warpgraph
