// The edges by which new points can change the minimum spanning tree of old ones.
//
// A pair of old points that is not in their tree is the last of some cycle among them, in the order
// of emst.hpp, and so it stays when points are added: the tree of all points consists of edges of
// the old tree, and of pairs with a new point. Of these, between one new point q and the old ones,
// most are last in a cycle, too: q needs no more than one edge into a cluster that the old tree
// holds together by shorter edges than the distance to it, the shortest one.
//
// new_point_edges finds them by walking up the single-linkage dendrogram of the old tree, from
// which it knows the clusters: a cluster whose nearest point is no farther from q than the cluster
// is from the one that it joins next gets an edge to that point, and all that it is part of later
// needs none. O(n) for each new point, the new points in parallel.
#pragma once

#include "graph/points/points.hpp"

#include <span>
#include <vector>

namespace warpgraph {

struct NewEdges {
  std::vector<vertex_t> ends;  // an old and a new point, in the order of the new ones
  std::vector<double> weights;
};

/// The first points are the old ones. Row r of `linkage`, their single-linkage matrix, is made by
/// the edge with the ends tree[2 r] and tree[2 r + 1]. Pairs of new points are not looked at.
template <class T>
NewEdges new_point_edges(PointsView<T> points, std::span<const vertex_t> tree,
                         std::span<const double> linkage);

}  // namespace warpgraph
