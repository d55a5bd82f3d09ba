# Written by scripts/stubs/public.py from the signatures of functions: make stub.
from collections.abc import Collection, Hashable, Sequence
from typing import Any, Literal, SupportsFloat, overload

import numpy as np
import numpy.typing as npt

from warpgraph import (
    cluster,
    csgraph,
    dask,
    datasets,
    distributed,
    generators,
    io,
    nx_backend as nx_backend,
    plot,
    ray,
    runtime,
    transform,
)
from warpgraph._arguments import types, validate
from warpgraph._arguments.device import devices, get_num_threads, set_num_threads
from warpgraph._arguments.errors import ConvergenceError, DeviceError, NegativeCycleError
from warpgraph._communities.communities import (
    Communities,
    label_propagation_communities,
    leiden_communities,
    louvain_communities,
)
from warpgraph._communities.core_numbers import core_numbers
from warpgraph._communities.triangles import clustering_coefficients, transitivity, triangles
from warpgraph._communities.truss_numbers import truss_numbers
from warpgraph._config import get_include
from warpgraph._graph.explain import Plan, explain
from warpgraph._graph.graph import Graph
from warpgraph._graph.turns import TurnGraph
from warpgraph._paths.hierarchy import Hierarchy
from warpgraph._paths.k_shortest_paths import k_shortest_paths
from warpgraph._paths.reconstruct_path import reconstruct_path, reconstruct_paths
from warpgraph._paths.shortest_path import shortest_path
from warpgraph._paths.shortest_path_dag import ShortestPathDag, shortest_path_dag
from warpgraph._rank.betweenness import betweenness_centrality, edge_betweenness_centrality
from warpgraph._rates import freeze_plans
from warpgraph._reach.nearest_facilities import nearest_facilities
from warpgraph._reach.within import within
from warpgraph._trees.forest import SpanningForest
from warpgraph._trees.minimum_arborescence import Arborescence, minimum_arborescence
from warpgraph._trees.mst import extend_forest, local_forest, merge_forests
from warpgraph._trees.steiner_tree import steiner_tree
from warpgraph._version import __version__ as __version__

__all__ = [
    "Arborescence",
    "Communities",
    "ConvergenceError",
    "DeviceError",
    "Graph",
    "Hierarchy",
    "NegativeCycleError",
    "Plan",
    "ShortestPathDag",
    "SpanningForest",
    "TurnGraph",
    "accessibility",
    "apsp",
    "betweenness_centrality",
    "bfs",
    "bottleneck_paths",
    "breadth_first_order",
    "cluster",
    "clustering_coefficients",
    "connected_components",
    "core_numbers",
    "csgraph",
    "dask",
    "datasets",
    "depth_first_order",
    "devices",
    "distributed",
    "edge_betweenness_centrality",
    "explain",
    "extend_forest",
    "freeze_plans",
    "generators",
    "get_include",
    "get_num_threads",
    "io",
    "k_shortest_paths",
    "label_propagation_communities",
    "leiden_communities",
    "local_forest",
    "louvain_communities",
    "many_to_many",
    "merge_forests",
    "minimum_arborescence",
    "minimum_spanning_forest",
    "nearest_facilities",
    "pagerank",
    "plot",
    "predicate_filter",
    "ray",
    "reconstruct_path",
    "reconstruct_paths",
    "runtime",
    "set_num_threads",
    "shortest_path",
    "shortest_path_dag",
    "shortest_paths",
    "show_config",
    "sssp",
    "steiner_tree",
    "transform",
    "transitivity",
    "triangles",
    "truss_numbers",
    "within",
]

@overload
def accessibility(
    graph: types.GraphLike,
    sources: types.Vertices | None,
    limits: SupportsFloat | Collection[SupportsFloat],
    *,
    opportunities: None = None,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    dtype: types.DType[Any] | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> npt.NDArray[np.int64]: ...
@overload
def accessibility(
    graph: types.GraphLike,
    sources: types.Vertices | None,
    limits: SupportsFloat | Collection[SupportsFloat],
    *,
    opportunities: npt.ArrayLike,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    dtype: types.DType[Any] | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.FloatArray: ...
@overload
def apsp(
    graph: types.GraphLike,
    *,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.AllPairsMethod = "auto",
    return_predecessors: Literal[False] = False,
    dtype: types.DType[types.Kind] | None = None,
    out: npt.NDArray[types.Kind] | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> npt.NDArray[types.Kind]: ...
@overload
def apsp(
    graph: types.GraphLike,
    *,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.AllPairsMethod = "auto",
    return_predecessors: Literal[True],
    dtype: types.DType[types.Kind] | None = None,
    out: npt.NDArray[types.Kind] | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> tuple[npt.NDArray[types.Kind], types.Int32Array]: ...
@overload
def apsp(
    graph: types.GraphLike,
    *,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.AllPairsMethod = "auto",
    return_predecessors: bool = False,
    dtype: types.DType[types.Kind] | None = None,
    out: npt.NDArray[types.Kind] | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> npt.NDArray[types.Kind] | tuple[npt.NDArray[types.Kind], types.Int32Array]: ...
@overload
def apsp(
    graph: types.GraphLike,
    *,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.AllPairsMethod = "auto",
    return_predecessors: Literal[False] = False,
    dtype: types.DType[Any] | None = None,
    out: types.OnDevice,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.OnDevice: ...
@overload
def apsp(
    graph: types.GraphLike,
    *,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.AllPairsMethod = "auto",
    return_predecessors: Literal[True],
    dtype: types.DType[Any] | None = None,
    out: types.OnDevice,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> tuple[types.OnDevice, types.Int32Array]: ...
@overload
def apsp(
    graph: types.GraphLike,
    *,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.AllPairsMethod = "auto",
    return_predecessors: bool = False,
    dtype: types.DType[Any] | None = None,
    out: types.OnDevice,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.OnDevice | tuple[types.OnDevice, types.Int32Array]: ...
@overload
def bfs(
    graph: types.GraphLike,
    source: Hashable | types.Vertices,
    *,
    directed: bool = True,
    targets: types.Vertices | None = None,
    limit: float | None = None,
    return_predecessors: Literal[False] = False,
    out: types.Int32Array | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.Int32Array: ...
@overload
def bfs(
    graph: types.GraphLike,
    source: Hashable | types.Vertices,
    *,
    directed: bool = True,
    targets: types.Vertices | None = None,
    limit: float | None = None,
    return_predecessors: Literal[True],
    out: types.Int32Array | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> tuple[types.Int32Array, types.Int32Array]: ...
@overload
def bfs(
    graph: types.GraphLike,
    source: Hashable | types.Vertices,
    *,
    directed: bool = True,
    targets: types.Vertices | None = None,
    limit: float | None = None,
    return_predecessors: bool = False,
    out: types.Int32Array | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.Int32Array | tuple[types.Int32Array, types.Int32Array]: ...
@overload
def bfs(
    graph: types.GraphLike,
    source: Hashable | types.Vertices,
    *,
    directed: bool = True,
    targets: types.Vertices | None = None,
    limit: float | None = None,
    return_predecessors: Literal[False] = False,
    out: types.OnDevice,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.OnDevice: ...
@overload
def bfs(
    graph: types.GraphLike,
    source: Hashable | types.Vertices,
    *,
    directed: bool = True,
    targets: types.Vertices | None = None,
    limit: float | None = None,
    return_predecessors: Literal[True],
    out: types.OnDevice,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> tuple[types.OnDevice, types.Int32Array]: ...
@overload
def bfs(
    graph: types.GraphLike,
    source: Hashable | types.Vertices,
    *,
    directed: bool = True,
    targets: types.Vertices | None = None,
    limit: float | None = None,
    return_predecessors: bool = False,
    out: types.OnDevice,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.OnDevice | tuple[types.OnDevice, types.Int32Array]: ...
@overload
def bottleneck_paths(
    graph: types.GraphLike | SpanningForest,
    sources: types.Vertices,
    targets: types.Vertices,
    *,
    maximum: bool = False,
    return_edges: Literal[False] = False,
    weight: str | None = "weight",
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
) -> types.Weights: ...
@overload
def bottleneck_paths(
    graph: types.GraphLike | SpanningForest,
    sources: types.Vertices,
    targets: types.Vertices,
    *,
    maximum: bool = False,
    return_edges: Literal[True],
    weight: str | None = "weight",
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
) -> tuple[types.Weights, npt.NDArray[np.int64]]: ...
@overload
def bottleneck_paths(
    graph: types.GraphLike | SpanningForest,
    sources: types.Vertices,
    targets: types.Vertices,
    *,
    maximum: bool = False,
    return_edges: bool = False,
    weight: str | None = "weight",
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
) -> types.Weights | tuple[types.Weights, npt.NDArray[np.int64]]: ...
@overload
def breadth_first_order(
    graph: types.GraphLike,
    source: Hashable,
    *,
    directed: bool = True,
    return_predecessors: Literal[False] = False,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.Int32Array: ...
@overload
def breadth_first_order(
    graph: types.GraphLike,
    source: Hashable,
    *,
    directed: bool = True,
    return_predecessors: Literal[True],
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> tuple[types.Int32Array, types.Int32Array]: ...
@overload
def breadth_first_order(
    graph: types.GraphLike,
    source: Hashable,
    *,
    directed: bool = True,
    return_predecessors: bool = False,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.Int32Array | tuple[types.Int32Array, types.Int32Array]: ...
@overload
def connected_components(
    graph: types.GraphLike,
    *,
    directed: bool = True,
    connection: types.Connection = "weak",
    out: None = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> tuple[int, types.Int32Array]: ...
@overload
def connected_components(
    graph: types.GraphLike,
    *,
    directed: bool = True,
    connection: types.Connection = "weak",
    out: types.Out,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> tuple[int, types.Out]: ...
@overload
def depth_first_order(
    graph: types.GraphLike,
    source: Hashable,
    *,
    directed: bool = True,
    return_predecessors: Literal[False] = False,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.Int32Array: ...
@overload
def depth_first_order(
    graph: types.GraphLike,
    source: Hashable,
    *,
    directed: bool = True,
    return_predecessors: Literal[True],
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> tuple[types.Int32Array, types.Int32Array]: ...
@overload
def depth_first_order(
    graph: types.GraphLike,
    source: Hashable,
    *,
    directed: bool = True,
    return_predecessors: bool = False,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.Int32Array | tuple[types.Int32Array, types.Int32Array]: ...
@overload
def many_to_many(
    graph: types.GraphLike,
    sources: types.Vertices,
    targets: types.Vertices | None = None,
    *,
    limit: SupportsFloat = ...,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.ManyToManyMethod = "auto",
    return_predecessors: Literal[False] = False,
    min_only: Literal[False] = False,
    dtype: types.DType[types.Kind] | None = None,
    out: npt.NDArray[types.Kind] | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> npt.NDArray[types.Kind]: ...
@overload
def many_to_many(
    graph: types.GraphLike,
    sources: types.Vertices,
    targets: types.Vertices | None = None,
    *,
    limit: SupportsFloat = ...,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.ManyToManyMethod = "auto",
    return_predecessors: Literal[True],
    min_only: Literal[False] = False,
    dtype: types.DType[types.Kind] | None = None,
    out: npt.NDArray[types.Kind] | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> tuple[npt.NDArray[types.Kind], types.Int32Array]: ...
@overload
def many_to_many(
    graph: types.GraphLike,
    sources: types.Vertices,
    targets: types.Vertices | None = None,
    *,
    limit: SupportsFloat = ...,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.ManyToManyMethod = "auto",
    return_predecessors: bool = False,
    min_only: Literal[False] = False,
    dtype: types.DType[types.Kind] | None = None,
    out: npt.NDArray[types.Kind] | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> npt.NDArray[types.Kind] | tuple[npt.NDArray[types.Kind], types.Int32Array]: ...
@overload
def many_to_many(
    graph: types.GraphLike,
    sources: types.Vertices,
    targets: types.Vertices | None = None,
    *,
    limit: SupportsFloat = ...,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.ManyToManyMethod = "auto",
    return_predecessors: Literal[False] = False,
    min_only: Literal[False] = False,
    dtype: types.DType[Any] | None = None,
    out: types.OnDevice,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.OnDevice: ...
@overload
def many_to_many(
    graph: types.GraphLike,
    sources: types.Vertices,
    targets: types.Vertices | None = None,
    *,
    limit: SupportsFloat = ...,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.ManyToManyMethod = "auto",
    return_predecessors: Literal[True],
    min_only: Literal[False] = False,
    dtype: types.DType[Any] | None = None,
    out: types.OnDevice,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> tuple[types.OnDevice, types.Int32Array]: ...
@overload
def many_to_many(
    graph: types.GraphLike,
    sources: types.Vertices,
    targets: types.Vertices | None = None,
    *,
    limit: SupportsFloat = ...,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.ManyToManyMethod = "auto",
    return_predecessors: bool = False,
    min_only: Literal[False] = False,
    dtype: types.DType[Any] | None = None,
    out: types.OnDevice,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.OnDevice | tuple[types.OnDevice, types.Int32Array]: ...
@overload
def many_to_many(
    graph: types.GraphLike,
    sources: types.Vertices,
    targets: types.Vertices | None = None,
    *,
    limit: SupportsFloat = ...,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.NearestMethod = "auto",
    return_predecessors: Literal[False] = False,
    min_only: Literal[True],
    dtype: types.DType[types.Kind] | None = None,
    out: npt.NDArray[types.Kind] | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> tuple[npt.NDArray[types.Kind], types.Int32Array]: ...
@overload
def many_to_many(
    graph: types.GraphLike,
    sources: types.Vertices,
    targets: types.Vertices | None = None,
    *,
    limit: SupportsFloat = ...,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.NearestMethod = "auto",
    return_predecessors: Literal[True],
    min_only: Literal[True],
    dtype: types.DType[types.Kind] | None = None,
    out: npt.NDArray[types.Kind] | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> tuple[npt.NDArray[types.Kind], types.Int32Array, types.Int32Array]: ...
@overload
def many_to_many(
    graph: types.GraphLike,
    sources: types.Vertices,
    targets: types.Vertices | None = None,
    *,
    limit: SupportsFloat = ...,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.NearestMethod = "auto",
    return_predecessors: bool = False,
    min_only: Literal[True],
    dtype: types.DType[types.Kind] | None = None,
    out: npt.NDArray[types.Kind] | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> (
    tuple[npt.NDArray[types.Kind], types.Int32Array]
    | tuple[npt.NDArray[types.Kind], types.Int32Array, types.Int32Array]
): ...
@overload
def minimum_spanning_forest(
    graph: types.GraphLike,
    *,
    maximum: bool = False,
    weight: str | None = "weight",
    method: types.ForestMethod = "auto",
    out: None = None,
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> SpanningForest: ...
@overload
def minimum_spanning_forest(
    graph: types.GraphLike,
    *,
    maximum: bool = False,
    weight: str | None = "weight",
    method: types.ForestMethod = "auto",
    out: types.DeviceArray,
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> int: ...
@overload
def pagerank(
    graph: types.GraphLike,
    *,
    alpha: float = 0.85,
    personalization: types.VertexValues | None = None,
    dangling: types.VertexValues | None = None,
    nstart: types.VertexValues | None = None,
    max_iter: int | None = None,
    tol: float = 1e-06,
    method: types.PagerankMethod = "auto",
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = ...,
    out: None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.FloatArray: ...
@overload
def pagerank(
    graph: types.GraphLike,
    *,
    alpha: float = 0.85,
    personalization: types.VertexValues | None = None,
    dangling: types.VertexValues | None = None,
    nstart: types.VertexValues | None = None,
    max_iter: int | None = None,
    tol: float = 1e-06,
    method: types.PagerankMethod = "auto",
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = ...,
    out: types.Out,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.Out: ...
@overload
def predicate_filter(
    values: npt.NDArray[types.Kind],
    low: SupportsFloat | None = None,
    high: SupportsFloat | None = None,
    *,
    out: npt.NDArray[types.Kind] | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> npt.NDArray[types.Kind]: ...
@overload
def predicate_filter(
    values: types.OnDevice,
    low: SupportsFloat | None = None,
    high: SupportsFloat | None = None,
    *,
    out: types.OnDevice | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.OnDevice: ...
@overload
def predicate_filter(
    values: Sequence[float],
    low: SupportsFloat | None = None,
    high: SupportsFloat | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> npt.NDArray[np.int64 | np.float64]: ...
@overload
def show_config(
    mode: Literal["stdout"] = "stdout",
) -> None: ...
@overload
def show_config(
    mode: Literal["dicts"],
) -> dict[str, Any]: ...
@overload
def shortest_paths(
    graph: types.GraphLike,
    sources: types.Vertices,
    targets: types.Vertices,
    *,
    return_paths: Literal[True] = True,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: str = "auto",
    dtype: types.DType[Any] | None = None,
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64], npt.NDArray[Any]]: ...
@overload
def shortest_paths(
    graph: types.GraphLike,
    sources: types.Vertices,
    targets: types.Vertices,
    *,
    return_paths: Literal[False],
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: str = "auto",
    dtype: types.DType[Any] | None = None,
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> npt.NDArray[Any]: ...
@overload
def sssp(
    graph: types.GraphLike,
    source: Hashable,
    *,
    targets: types.Vertices | None = None,
    limit: SupportsFloat = ...,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.SsspMethod = "auto",
    return_predecessors: Literal[False] = False,
    dtype: types.DType[types.Kind] | None = None,
    out: npt.NDArray[types.Kind] | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> npt.NDArray[types.Kind]: ...
@overload
def sssp(
    graph: types.GraphLike,
    source: Hashable,
    *,
    targets: types.Vertices | None = None,
    limit: SupportsFloat = ...,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.SsspMethod = "auto",
    return_predecessors: Literal[True],
    dtype: types.DType[types.Kind] | None = None,
    out: npt.NDArray[types.Kind] | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> tuple[npt.NDArray[types.Kind], types.Int32Array]: ...
@overload
def sssp(
    graph: types.GraphLike,
    source: Hashable,
    *,
    targets: types.Vertices | None = None,
    limit: SupportsFloat = ...,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.SsspMethod = "auto",
    return_predecessors: bool = False,
    dtype: types.DType[types.Kind] | None = None,
    out: npt.NDArray[types.Kind] | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> npt.NDArray[types.Kind] | tuple[npt.NDArray[types.Kind], types.Int32Array]: ...
@overload
def sssp(
    graph: types.GraphLike,
    source: Hashable,
    *,
    targets: types.Vertices | None = None,
    limit: SupportsFloat = ...,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.SsspMethod = "auto",
    return_predecessors: Literal[False] = False,
    dtype: types.DType[Any] | None = None,
    out: types.OnDevice,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.OnDevice: ...
@overload
def sssp(
    graph: types.GraphLike,
    source: Hashable,
    *,
    targets: types.Vertices | None = None,
    limit: SupportsFloat = ...,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.SsspMethod = "auto",
    return_predecessors: Literal[True],
    dtype: types.DType[Any] | None = None,
    out: types.OnDevice,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> tuple[types.OnDevice, types.Int32Array]: ...
@overload
def sssp(
    graph: types.GraphLike,
    source: Hashable,
    *,
    targets: types.Vertices | None = None,
    limit: SupportsFloat = ...,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.SsspMethod = "auto",
    return_predecessors: bool = False,
    dtype: types.DType[Any] | None = None,
    out: types.OnDevice,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.OnDevice | tuple[types.OnDevice, types.Int32Array]: ...
