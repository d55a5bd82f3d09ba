"""Calls that type checkers accept, and the types of their results; test_types.py has them checked.

This file is not run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

import warpgraph as wg
from warpgraph import csgraph

if TYPE_CHECKING:
    from typing_extensions import assert_type

Distances: TypeAlias = npt.NDArray[np.float32 | np.float64 | np.int32 | np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int32]
Values: TypeAlias = wg.distributed.VertexValues
Path: TypeAlias = npt.NDArray[Any]  # numbers, or names


class OnDevice:
    """An array on a CUDA device."""

    __cuda_array_interface__: dict[str, object]


graph = wg.generators.grid(20, 30)
flag = bool(graph.n_vertices)
matrix = np.zeros((3, 3))
single = np.zeros(600, np.float32)
on_device = OnDevice()
parts = wg.distributed.graph(["edges.parquet"], wg.distributed.LocalEngine())

# Searches: the flag decides on a tuple, `dtype` or `out` on the type of the distances.
assert_type(wg.sssp(graph, 0), Distances)
assert_type(wg.sssp(graph, 0, dtype="float64"), Distances)
assert_type(wg.sssp(graph, 0, dtype=np.float64), Floats)
assert_type(wg.sssp(graph, 0, dtype=np.dtype(np.int32), limit=np.float32(3)), Ints)
assert_type(wg.sssp(graph, 0, out=single), npt.NDArray[np.float32])
assert_type(wg.sssp(graph, 0, out=on_device), OnDevice)
assert_type(wg.sssp(graph, 0, out=on_device, return_predecessors=True), tuple[OnDevice, Ints])
assert_type(wg.sssp(graph, "Paris", targets=["Rome"], device=["cpu"] * 3), Distances)
assert_type(wg.sssp(graph, 0, return_predecessors=True), tuple[Distances, Ints])
assert_type(wg.sssp(graph, 0, return_predecessors=True, dtype=np.float64), tuple[Floats, Ints])
assert_type(wg.sssp(graph, 0, return_predecessors=flag), Distances | tuple[Distances, Ints])
assert_type(wg.sssp(graph, 0) < 2, npt.NDArray[np.bool])
declared: Floats = wg.sssp(graph, 0)  # the caller knows the weights

assert_type(wg.apsp(matrix), Distances)
assert_type(wg.apsp(matrix, return_predecessors=True, method="auto"), tuple[Distances, Ints])
assert_type(wg.apsp(matrix, dtype=np.float64, device="cuda:all"), Floats)

assert_type(wg.many_to_many(graph, [0, 1]), Distances)
assert_type(wg.many_to_many(graph, range(3), np.arange(2), dtype=np.float64), Floats)
assert_type(wg.many_to_many(graph, [0], return_predecessors=True), tuple[Distances, Ints])
assert_type(wg.many_to_many(graph, [0], min_only=True), tuple[Distances, Ints])
assert_type(
    wg.many_to_many(graph, [0], min_only=True, return_predecessors=True, dtype=np.float64),
    tuple[Floats, Ints, Ints],
)

assert_type(wg.bfs(graph, 0), Ints)
assert_type(wg.bfs(graph, [0, 1], limit=3), Ints)
assert_type(wg.bfs(graph, 0, targets=[3, 7]), Ints)
assert_type(wg.bfs(graph, 0, return_predecessors=True), tuple[Ints, Ints])
assert_type(wg.bfs(graph, 0, return_predecessors=flag), Ints | tuple[Ints, Ints])
assert_type(wg.bfs(graph, 0, out=on_device), OnDevice)
assert_type(wg.breadth_first_order(graph, 0), Ints)
assert_type(wg.breadth_first_order(graph, 0, return_predecessors=True), tuple[Ints, Ints])
assert_type(wg.depth_first_order(graph, 0, directed=False), Ints)
assert_type(wg.depth_first_order(graph, 0, return_predecessors=True), tuple[Ints, Ints])

assert_type(wg.shortest_path(graph, 0, 9), tuple[int | float, Path])
assert_type(wg.k_shortest_paths(graph, 0, 9, 2), tuple[Distances, list[Path]])
assert_type(wg.k_shortest_paths(graph, 0, 9, 2, dtype=np.float64), tuple[Floats, list[Path]])
assert_type(
    wg.shortest_paths(graph, [0], [9]),
    tuple[npt.NDArray[Any], npt.NDArray[np.int64], npt.NDArray[Any]],
)
assert_type(wg.shortest_paths(graph, [0], [9], return_paths=False), npt.NDArray[Any])
tree = wg.sssp(graph, 0, return_predecessors=True)[1]
assert_type(wg.reconstruct_path(tree, 0, 9), Path)
assert_type(wg.reconstruct_paths(tree, 0, [9]), tuple[npt.NDArray[np.int64], Path])

near = wg.nearest_facilities(graph, [0, 9], 2, dtype=np.float64)
assert_type(near, tuple[Floats, Ints])
assert_type(wg.within(graph, None, 3.5), sp.csr_array)
assert_type(wg.accessibility(graph, [0], [1, 2.5]), npt.NDArray[np.int64])
assert_type(wg.accessibility(graph, [0], 1, opportunities=[1.0] * 600), Floats)
dag = wg.shortest_path_dag(graph, 0, device=["cpu"] * 2)
assert_type(dag, wg.ShortestPathDag)
assert_type(dag.distances, Distances)
assert_type(dag.counts(), Floats)
assert_type(dag.n_paths(9), int)
assert_type(list(dag.edge_paths(9)), list[npt.NDArray[np.int64]])

# The rest of the package.
assert_type(wg.connected_components(graph), tuple[int, Ints])
assert_type(wg.connected_components(graph, out=on_device), tuple[int, OnDevice])
assert_type(wg.betweenness_centrality(graph, sources=100, seed=1), Floats)
assert_type(wg.edge_betweenness_centrality(graph, sources=[0, 9], targets=[3]), Floats)
assert_type(wg.pagerank(graph, alpha=0.9, personalization={3: 1.0}), Floats)
assert_type(wg.pagerank(graph, out=on_device), OnDevice)
assert_type(wg.steiner_tree(graph, [0, 9]), wg.SpanningForest)
assert_type(wg.core_numbers(graph), Ints)
assert_type(wg.truss_numbers(graph), sp.csr_array)
assert_type(wg.transitivity(graph), float)
assert_type(wg.leiden_communities(graph, quality="cpm", resolution=0.1), wg.Communities)
assert_type(wg.louvain_communities(graph).labels, Ints)
assert_type(wg.louvain_communities(graph).members(), list[Path])
assert_type(graph.with_turns(corners=[("a", "b", "c", 2.5)]), wg.TurnGraph)
assert_type(graph.with_turns([0], [2], 2.5), wg.TurnGraph)
assert_type(wg.minimum_arborescence(graph, 0), wg.Arborescence)
assert_type(wg.bottleneck_paths(graph, [0], [9]), Distances)
assert_type(
    wg.bottleneck_paths(graph, [0], [9], return_edges=True),
    tuple[Distances, npt.NDArray[np.int64]],
)
assert_type(wg.predicate_filter(single, low=3), npt.NDArray[np.float32])
assert_type(wg.predicate_filter(on_device, 1, 2), OnDevice)

forest = wg.minimum_spanning_forest(graph)
assert_type(forest, wg.SpanningForest)
assert_type(forest.edges, Ints)
assert_type(forest.edge_ids, npt.NDArray[np.int64] | None)
assert_type(forest.labels, Ints)
assert_type(forest.n_trees, int)
assert_type(wg.minimum_spanning_forest(graph, out=on_device), int)
assert_type(graph.to_edges(), tuple[Ints, Ints, Distances])
assert_type(graph.n_edges, int)

assert_type(
    wg.sssp(graph, 0, out=on_device, return_predecessors=flag), OnDevice | tuple[OnDevice, Ints]
)
assert_type(wg.show_config("dicts"), dict[str, Any])

# Modules that are imported at first use.
points = wg.generators.random_points(100, 2, dist="blobs")
assert_type(points, Floats)
assert_type(
    wg.generators.random_points(9, 2, return_labels=True, dtype=np.float32),
    tuple[npt.NDArray[np.float32], Ints],
)
assert_type(wg.cluster.euclidean_mst(points), wg.SpanningForest)
assert_type(wg.cluster.euclidean_mst(points, out=(tree, points)), tuple[Ints, Floats])
assert_type(wg.cluster.single_linkage(points), Floats)
assert_type(wg.cluster.single_linkage(points, metric="euclidean", out=on_device), OnDevice)
assert_type(wg.cluster.MSTClustering(n_clusters=3).fit(points), wg.cluster.MSTClustering)
assert_type(wg.cluster.MSTClustering(n_clusters=3).fit(points).labels_, Ints)
assert_type(wg.cluster.MSTClustering(n_clusters=3).fit_predict(points), Ints)
assert_type(wg.cluster.HDBSCAN().sweep([5, 10]).labels, Ints)
assert_type(wg.cluster.HDBSCAN().sweep([5, 10], out=(on_device, on_device)), Ints)
assert_type(wg.cluster.mst_of_points(points, metric="minkowski", p=3), wg.SpanningForest)
assert_type(wg.cluster.mst_of_points(matrix, metric="precomputed"), wg.SpanningForest)
assert_type(wg.cluster.mst_of_points(points, metric=lambda x, y: 0.0), wg.SpanningForest)
assert_type(wg.cluster.single_linkage(points, metric=lambda x, y: 0), Floats)
assert_type(wg.cluster.HDBSCAN(metric=lambda x, y: np.float32(0)).fit_predict(points), Ints)
assert_type(wg.cluster.nearest_neighbors(points, 5), wg.cluster.Neighbors)
assert_type(wg.cluster.nearest_neighbors(points, 5, queries=points).indices, Ints)
assert_type(wg.cluster.validity_index(points, [0, 1]), float)
assert_type(
    wg.cluster.validity_index(points, [0, 1], per_cluster_scores=True), tuple[float, Floats]
)
assert_type(wg.cluster.RobustSingleLinkage(k=3).fit(points).labels_, Ints)
assert_type(wg.cluster.Leiden(0.5).fit(graph).labels_, Ints)
assert_type(wg.cluster.KMeans(3).fit(points).labels_, Ints)
assert_type(wg.cluster.KMeans(3).fit_predict(points), Ints)
assert_type(wg.generators.random_points(9, 2, return_labels=flag), Floats | tuple[Floats, Ints])
assert_type(wg.dask.bfs(parts, 0), Values)
assert_type(wg.distributed.sssp(parts, 0, return_predecessors=True), tuple[Values, Values])
assert_type(wg.datasets.names(), list[str])
assert_type(wg.datasets.load("model-roads"), wg.Graph)
assert_type(wg.io.read("roads.gr")[0], wg.Graph)
assert_type(wg.transform.compress(graph).n_edges, int)
context = wg.runtime.Context(["cpu"])
assert_type(context.run(print), None)
assert_type(context.run(print, lambda: 3), int)
wg.plot.weights(forest)

# SciPy's names and signatures.
assert_type(csgraph.shortest_path(matrix), Floats)
assert_type(csgraph.shortest_path(matrix, return_predecessors=True), tuple[Floats, Ints])
assert_type(csgraph.dijkstra(matrix, True, 0), Floats)
assert_type(csgraph.dijkstra(matrix, indices=[0], return_predecessors=True), tuple[Floats, Ints])
assert_type(csgraph.dijkstra(matrix, True, 0, flag), Floats | tuple[Floats, Ints])
assert_type(csgraph.dijkstra(matrix, min_only=True), Floats)
assert_type(
    csgraph.dijkstra(matrix, min_only=True, return_predecessors=True), tuple[Floats, Ints, Ints]
)
assert_type(csgraph.bellman_ford(matrix, return_predecessors=True), tuple[Floats, Ints])
assert_type(csgraph.johnson(matrix), Floats)
assert_type(csgraph.floyd_warshall(matrix, False), Floats)
assert_type(csgraph.connected_components(matrix), tuple[int, Ints])
assert_type(csgraph.connected_components(matrix, return_labels=False), int)
assert_type(csgraph.breadth_first_order(matrix, 0), tuple[Ints, Ints])
assert_type(csgraph.depth_first_order(matrix, 0, return_predecessors=False), Ints)
assert_type(csgraph.yen(matrix, 0, 2, 1, return_predecessors=True), tuple[Floats, Ints])
