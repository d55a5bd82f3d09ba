# Written by scripts/stubs/public.py from the signatures of functions: make stub.
from typing import Literal, overload

import numpy.typing as npt
from scipy.sparse.csgraph import (
    NegativeCycleError,
    csgraph_from_dense,
    csgraph_from_masked,
    csgraph_masked_from_dense,
)

from warpgraph._arguments import types
from warpgraph.csgraph._matching import (
    maximum_bipartite_matching,
    min_weight_full_bipartite_matching,
    structural_rank,
)
from warpgraph.csgraph._passed_on import (
    construct_dist_matrix,
    csgraph_to_dense,
    csgraph_to_masked,
    laplacian,
    maximum_flow,
    reconstruct_path,
    reverse_cuthill_mckee,
)
from warpgraph.csgraph._spanning_tree import minimum_spanning_tree
from warpgraph.csgraph._traversal import breadth_first_tree, depth_first_tree

__all__ = [
    "NegativeCycleError",
    "bellman_ford",
    "breadth_first_order",
    "breadth_first_tree",
    "connected_components",
    "construct_dist_matrix",
    "csgraph_from_dense",
    "csgraph_from_masked",
    "csgraph_masked_from_dense",
    "csgraph_to_dense",
    "csgraph_to_masked",
    "depth_first_order",
    "depth_first_tree",
    "dijkstra",
    "floyd_warshall",
    "johnson",
    "laplacian",
    "maximum_bipartite_matching",
    "maximum_flow",
    "min_weight_full_bipartite_matching",
    "minimum_spanning_tree",
    "reconstruct_path",
    "reverse_cuthill_mckee",
    "shortest_path",
    "structural_rank",
    "yen",
]

@overload
def bellman_ford(
    csgraph: types.GraphLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
    *,
    method: types.BellmanFordMethod = "auto",
    device: types.Device = "auto",
) -> types.FloatArray: ...
@overload
def bellman_ford(
    csgraph: types.GraphLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    *,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    method: types.BellmanFordMethod = "auto",
    device: types.Device = "auto",
) -> tuple[types.FloatArray, types.Int32Array]: ...
@overload
def bellman_ford(
    csgraph: types.GraphLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    *,
    method: types.BellmanFordMethod = "auto",
    device: types.Device = "auto",
) -> types.FloatArray | tuple[types.FloatArray, types.Int32Array]: ...
@overload
def breadth_first_order(
    csgraph: types.GraphLike,
    i_start: int,
    directed: bool = True,
    *,
    return_predecessors: Literal[False],
    device: types.Device = "auto",
) -> types.Int32Array: ...
@overload
def breadth_first_order(
    csgraph: types.GraphLike,
    i_start: int,
    directed: bool = True,
    return_predecessors: Literal[True] = True,
    *,
    device: types.Device = "auto",
) -> tuple[types.Int32Array, types.Int32Array]: ...
@overload
def breadth_first_order(
    csgraph: types.GraphLike,
    i_start: int,
    directed: bool = True,
    return_predecessors: bool = True,
    *,
    device: types.Device = "auto",
) -> types.Int32Array | tuple[types.Int32Array, types.Int32Array]: ...
@overload
def connected_components(
    csgraph: types.GraphLike,
    directed: bool = True,
    connection: types.Connection = "weak",
    *,
    return_labels: Literal[False],
    device: types.Device = "auto",
) -> int: ...
@overload
def connected_components(
    csgraph: types.GraphLike,
    directed: bool = True,
    connection: types.Connection = "weak",
    return_labels: Literal[True] = True,
    *,
    device: types.Device = "auto",
) -> tuple[int, types.Int32Array]: ...
@overload
def connected_components(
    csgraph: types.GraphLike,
    directed: bool = True,
    connection: types.Connection = "weak",
    return_labels: bool = True,
    *,
    device: types.Device = "auto",
) -> int | tuple[int, types.Int32Array]: ...
@overload
def depth_first_order(
    csgraph: types.GraphLike,
    i_start: int,
    directed: bool = True,
    *,
    return_predecessors: Literal[False],
    device: types.Device = "auto",
) -> types.Int32Array: ...
@overload
def depth_first_order(
    csgraph: types.GraphLike,
    i_start: int,
    directed: bool = True,
    return_predecessors: Literal[True] = True,
    *,
    device: types.Device = "auto",
) -> tuple[types.Int32Array, types.Int32Array]: ...
@overload
def depth_first_order(
    csgraph: types.GraphLike,
    i_start: int,
    directed: bool = True,
    return_predecessors: bool = True,
    *,
    device: types.Device = "auto",
) -> types.Int32Array | tuple[types.Int32Array, types.Int32Array]: ...
@overload
def dijkstra(
    csgraph: types.GraphLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
    limit: float = ...,
    min_only: Literal[False] = False,
    *,
    method: types.DijkstraMethod = "auto",
    device: types.Device = "auto",
) -> types.FloatArray: ...
@overload
def dijkstra(
    csgraph: types.GraphLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    *,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    limit: float = ...,
    min_only: Literal[False] = False,
    method: types.DijkstraMethod = "auto",
    device: types.Device = "auto",
) -> tuple[types.FloatArray, types.Int32Array]: ...
@overload
def dijkstra(
    csgraph: types.GraphLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = ...,
    min_only: Literal[False] = False,
    *,
    method: types.DijkstraMethod = "auto",
    device: types.Device = "auto",
) -> types.FloatArray | tuple[types.FloatArray, types.Int32Array]: ...
@overload
def dijkstra(
    csgraph: types.GraphLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
    limit: float = ...,
    *,
    min_only: Literal[True],
    method: types.DijkstraMethod = "auto",
    device: types.Device = "auto",
) -> types.FloatArray: ...
@overload
def dijkstra(
    csgraph: types.GraphLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    *,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    limit: float = ...,
    min_only: Literal[True],
    method: types.DijkstraMethod = "auto",
    device: types.Device = "auto",
) -> tuple[types.FloatArray, types.Int32Array, types.Int32Array]: ...
@overload
def dijkstra(
    csgraph: types.GraphLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = ...,
    *,
    min_only: Literal[True],
    method: types.DijkstraMethod = "auto",
    device: types.Device = "auto",
) -> types.FloatArray | tuple[types.FloatArray, types.Int32Array, types.Int32Array]: ...
@overload
def floyd_warshall(
    csgraph: types.GraphLike,
    directed: bool = True,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
    overwrite: bool = False,
    *,
    method: types.AllPairsMethod = "auto",
    device: types.Device = "auto",
) -> types.FloatArray: ...
@overload
def floyd_warshall(
    csgraph: types.GraphLike,
    directed: bool = True,
    *,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    overwrite: bool = False,
    method: types.AllPairsMethod = "auto",
    device: types.Device = "auto",
) -> tuple[types.FloatArray, types.Int32Array]: ...
@overload
def floyd_warshall(
    csgraph: types.GraphLike,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    *,
    method: types.AllPairsMethod = "auto",
    device: types.Device = "auto",
) -> types.FloatArray | tuple[types.FloatArray, types.Int32Array]: ...
@overload
def johnson(
    csgraph: types.GraphLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
    *,
    device: types.Device = "auto",
) -> types.FloatArray: ...
@overload
def johnson(
    csgraph: types.GraphLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    *,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    device: types.Device = "auto",
) -> tuple[types.FloatArray, types.Int32Array]: ...
@overload
def johnson(
    csgraph: types.GraphLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    *,
    device: types.Device = "auto",
) -> types.FloatArray | tuple[types.FloatArray, types.Int32Array]: ...
@overload
def shortest_path(
    csgraph: types.GraphLike,
    method: types.Method = "auto",
    directed: bool = True,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: npt.ArrayLike | None = None,
    *,
    device: types.Device = "auto",
) -> types.FloatArray: ...
@overload
def shortest_path(
    csgraph: types.GraphLike,
    method: types.Method = "auto",
    directed: bool = True,
    *,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    overwrite: bool = False,
    indices: npt.ArrayLike | None = None,
    device: types.Device = "auto",
) -> tuple[types.FloatArray, types.Int32Array]: ...
@overload
def shortest_path(
    csgraph: types.GraphLike,
    method: types.Method = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: npt.ArrayLike | None = None,
    *,
    device: types.Device = "auto",
) -> types.FloatArray | tuple[types.FloatArray, types.Int32Array]: ...
@overload
def yen(
    csgraph: types.GraphLike,
    source: int,
    sink: int,
    K: int,
    *,
    directed: bool = True,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
    device: types.Device = "auto",
) -> types.FloatArray: ...
@overload
def yen(
    csgraph: types.GraphLike,
    source: int,
    sink: int,
    K: int,
    *,
    directed: bool = True,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    device: types.Device = "auto",
) -> tuple[types.FloatArray, types.Int32Array]: ...
@overload
def yen(
    csgraph: types.GraphLike,
    source: int,
    sink: int,
    K: int,
    *,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    device: types.Device = "auto",
) -> types.FloatArray | tuple[types.FloatArray, types.Int32Array]: ...
