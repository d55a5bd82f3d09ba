# Written by scripts/stubs/public.py from the signatures of functions: make stub.
from typing import Literal, overload

from warpgraph._arguments import types
from warpgraph.distributed._clusters import cluster_labels, single_linkage
from warpgraph.distributed._components import connected_components
from warpgraph.distributed._engine import Engine
from warpgraph.distributed._forest import PartitionedForest, minimum_spanning_forest
from warpgraph.distributed._graph import PartitionedGraph, graph
from warpgraph.distributed._local import LocalEngine
from warpgraph.distributed._many_to_many import DistanceRows, many_to_many
from warpgraph.distributed._pagerank import pagerank
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

@overload
def bfs(
    graph: PartitionedGraph,
    source: types.Vertex,
    *,
    directed: bool = True,
    return_predecessors: Literal[False] = False,
) -> VertexValues: ...
@overload
def bfs(
    graph: PartitionedGraph,
    source: types.Vertex,
    *,
    directed: bool = True,
    return_predecessors: Literal[True],
) -> tuple[VertexValues, VertexValues]: ...
@overload
def bfs(
    graph: PartitionedGraph,
    source: types.Vertex,
    *,
    directed: bool = True,
    return_predecessors: bool = False,
) -> VertexValues | tuple[VertexValues, VertexValues]: ...
@overload
def sssp(
    graph: PartitionedGraph,
    source: types.Vertex,
    *,
    directed: bool = True,
    unweighted: bool = False,
    delta: float | None = None,
    return_predecessors: Literal[False] = False,
) -> VertexValues: ...
@overload
def sssp(
    graph: PartitionedGraph,
    source: types.Vertex,
    *,
    directed: bool = True,
    unweighted: bool = False,
    delta: float | None = None,
    return_predecessors: Literal[True],
) -> tuple[VertexValues, VertexValues]: ...
@overload
def sssp(
    graph: PartitionedGraph,
    source: types.Vertex,
    *,
    directed: bool = True,
    unweighted: bool = False,
    delta: float | None = None,
    return_predecessors: bool = False,
) -> VertexValues | tuple[VertexValues, VertexValues]: ...
