"""Graphs whose edges lie on several machines, on the engine that these run: Dask or Ray.

`warpgraph.dask.graph` and `warpgraph.ray.graph` make a `PartitionedGraph` of a collection of edges
or of files; the functions here take it. Results stay on the workers until they are gathered.
"""

from warpgraph.distributed._clusters import cluster_labels, single_linkage
from warpgraph.distributed._components import connected_components
from warpgraph.distributed._engine import Engine
from warpgraph.distributed._forest import PartitionedForest, minimum_spanning_forest
from warpgraph.distributed._graph import PartitionedGraph, graph
from warpgraph.distributed._local import LocalEngine
from warpgraph.distributed._many_to_many import DistanceRows, many_to_many
from warpgraph.distributed._pagerank import pagerank
from warpgraph.distributed._search import bfs, sssp
from warpgraph.distributed._statistics import GraphStatistics, degrees, statistics
from warpgraph.distributed._values import VertexValues

__all__ = [
    "DistanceRows",
    "Engine",
    "GraphStatistics",
    "LocalEngine",
    "PartitionedForest",
    "PartitionedGraph",
    "VertexValues",
    "bfs",
    "cluster_labels",
    "connected_components",
    "degrees",
    "graph",
    "many_to_many",
    "minimum_spanning_forest",
    "pagerank",
    "single_linkage",
    "sssp",
    "statistics",
]


def __dir__() -> list[str]:
    return sorted(__all__)
