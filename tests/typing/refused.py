"""Wrong calls, each of which type checkers must report; test_types.py has them checked.

This file is not run.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import warpgraph as wg
from warpgraph import csgraph

graph = wg.generators.grid(20, 30)
points = wg.generators.random_points(100, 2)
forest = wg.minimum_spanning_forest(graph)

wg.no_such_name  # noqa: B018
wg.plot.no_such_name  # noqa: B018
csgraph.no_such_name  # noqa: B018
wg.sssp(graph)
wg.sssp(graph, [0, 1])
wg.sssp(graph, 0, False)
wg.sssp(graph, 0, method="fastest")
wg.sssp(graph, 0, direct=False)
wg.sssp(graph, 0, directed="no")
wg.sssp(graph, 0, return_predecessors="yes")
wg.sssp(graph, 0, device=0)
wg.sssp(graph, 0, targets=3)
wg.sssp(graph, 0, memory_limit=[1])
wg.sssp(graph, 0, progress="bar")
wg.sssp(graph, 0, out=[0.0])
wg.sssp(graph, 0).no_such_method()
wg.sssp(graph, 0, return_predecessors=True).max()
float_hops: npt.NDArray[np.float64] = wg.bfs(graph, 0)
one_distance: float = wg.apsp(graph)
wg.bfs(graph, 0, unweighted=True)
wg.bfs(graph, 0, limit="3")
wg.bfs(graph, 0, targets=3)
wg.within(graph, [0])
wg.within(graph, 0, 3)
wg.accessibility(graph, [0], "near")
wg.nearest_facilities(graph, [0], to_facilities=1.5)
wg.breadth_first_order(graph, [0])
wg.breadth_first_order(graph, 0, limit=3)
wg.apsp(graph, 0)
wg.apsp(graph, method="dijkstra")
wg.many_to_many(graph)
wg.many_to_many(graph, 3)
wg.many_to_many(graph, [0], min_only=True, method="hierarchy")
wg.shortest_path(graph, 0)
length: str = wg.shortest_path(graph, 0, 9)[0]
wg.k_shortest_paths(graph, 0, 9)
wg.connected_components(graph, connection="both")
wg.betweenness_centrality(graph, [0, 9])
wg.pagerank(graph, damping=0.85)
wg.pagerank(graph, alpha="0.85")
wg.minimum_spanning_forest(graph, maximum="yes")
wg.steiner_tree(graph, 0)
wg.leiden_communities(graph, quality="potts")
wg.minimum_arborescence(graph, root=[0])
wg.bottleneck_paths(graph, [0])
wg.minimum_spanning_forest(graph, method="prim")
wg.minimum_spanning_forest(graph).no_such_attribute  # noqa: B018
wg.generators.random_points(9, 2, dist="cauchy")
wg.cluster.single_linkage(points, metric="canberra")
wg.cluster.euclidean_mst(points, out=points)
wg.cluster.HDBSCAN().sweep([5], out=points)
wg.cluster.MSTClustering(n_clusters="3")
wg.plot.weights(points)
wg.runtime.Context(["cpu"]).run(print, 3)
csgraph.shortest_path(graph, "dijkstra")
csgraph.dijkstra(graph, min_only="yes")
csgraph.connected_components(graph, connection="both")
csgraph.yen(graph, 0, 9)
