"""wg.bottleneck_paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph._arguments.hints import hinted
from warpgraph._arguments.names import Names
from warpgraph._arguments.new_array import new_arrays
from warpgraph._arguments.nx_graphs import check_weight
from warpgraph._graph import plan
from warpgraph._graph.graph import as_graph
from warpgraph._graph.plan import planned
from warpgraph._trees.forest import SpanningForest, refuse_other_kind
from warpgraph._trees.mst import minimum_spanning_forest

if TYPE_CHECKING:
    from warpgraph._arguments import types

Array = npt.NDArray[Any]


@planned("bottleneck_paths")
@hinted
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
) -> Array | tuple[Array, Array]:
    """Return the heaviest edge on the best path between two vertices, for many pairs.

    The best path is the one whose heaviest edge is lightest: the route of the lowest pass, of the
    least headroom that is needed, of the weakest threshold at which both are connected. With
    `maximum` it is the path whose lightest edge is heaviest: the widest path.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, Graph, or SpanningForest
        As for `minimum_spanning_forest`, whose forest is found first; edges have no direction. Or
        that forest, which serves any number of calls: a minimum spanning forest, or, with
        `maximum`, a maximum one. Of one that was constructed, or whose edges or weights were
        assigned, it is not known which it is.
    sources, targets : sequence of int or names
        The ends of the i-th path are ``sources[i]`` and ``targets[i]``: names if the graph has
        names, see `Graph`, else numbers. Pairs may repeat.
    maximum : bool
        True: the weight of the lightest edge on the widest path.
    return_edges : bool
        Whether to return which edges these are, too.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    device : str
        "auto" or "cpu": runs on the CPU only. A forest that a GPU has found can be passed, too.
    memory_limit : int, float or str, optional
        Bytes for work and results, or a size such as "2GB"; by default, all free memory. The forest
        does not count.

    Returns
    -------
    weights : ndarray, shape (n_pairs,)
        In the dtype of the graph's weights. For vertices that no path joins inf, or the largest
        integer, and for a vertex and itself -inf, or the smallest integer: the least of no paths,
        and the most of no edges. With `maximum` it is the other way round.
    edges : ndarray of int64, shape (n_pairs,)
        Only if `return_edges`: the edge as its number in the forest. Of several of that weight the
        last. -1 where there is none.

    Raises
    ------
    ValueError
        A vertex that is not in the graph, different numbers of sources and targets, a NaN weight,
        a forest with a cycle, or one that is known to be of the other kind.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not the CPU.

    See Also
    --------
    shortest_paths : The paths of least length; in a forest, as in the example, the best paths of
        many pairs.
    cluster.single_linkage : The dendrogram, in which these are the heights of common clusters.

    Notes
    -----
    The path in the minimum spanning forest is a best one [1]_. Kruskal's algorithm joins sets along
    the forest without compressing paths, so that a pair climbs at most log2(n) steps [2]_:
    O((n + q) log n) time for q pairs, which all cores answer.

    References
    ----------
    .. [1] Hu, "The maximum capacity route problem", Operations Research 9, 1961.
    .. [2] Tarjan, "Applications of path compression on balanced trees", Journal of the ACM 26,
       1979.

    Examples
    --------
    >>> import warpgraph as wg
    >>> passes = [[0, 8, 0, 3], [8, 0, 4, 0], [0, 4, 0, 5], [3, 0, 5, 0]]
    >>> wg.bottleneck_paths(passes, [0, 2], [1, 3]).tolist()
    [5, 5]
    >>> forest = wg.minimum_spanning_forest(passes)
    >>> weights, edges = wg.bottleneck_paths(forest, [0, 2], [1, 3], return_edges=True)
    >>> forest.edges[edges].tolist()
    [[2, 3], [2, 3]]

    The best path from 0 to 1 is the one between them in the forest:

    >>> _, path = wg.shortest_path(forest.to_csr(), 0, 1, directed=False, unweighted=True)
    >>> path.tolist()
    [0, 3, 2, 1]
    """
    maximum = validate.flag(maximum, "maximum")
    return_edges = validate.flag(return_edges, "return_edges")
    ledger = validate.ledger(memory_limit)
    is_forest = isinstance(graph, SpanningForest)
    given: Any = graph if is_forest else as_graph(graph, weight)
    if is_forest:
        check_weight(weight, given)
        refuse_other_kind(given, maximum, ", or the graph in place of the forest")
        _refuse_nan(given.weights)
    _device.require_cpu(device, "bottleneck_paths")
    starts, ends = _numbers(given, sources, "sources"), _numbers(given, targets, "targets")
    if len(starts) != len(ends):
        raise ValueError(
            f"sources and targets must have the same length, got {len(starts)} and {len(ends)}"
        )
    dtype = given.weights.dtype if is_forest else given.dtype
    wanted = [((len(starts),), kind) for kind in (np.dtype(np.int64), dtype)]
    advice = "pass fewer pairs"
    found, weights = new_arrays(ledger, "the result of bottleneck_paths", advice, *wanted)
    _plan(given, dtype, len(starts), ledger)
    forest = given
    if not is_forest:
        how: dict[str, Any] = {"device": "cpu", "memory_limit": ledger}
        forest = minimum_spanning_forest(given, maximum=maximum, **how)
    _core.bottleneck_edges(
        forest.n_vertices,
        forest._checked_edges(),
        forest.weights,
        starts,
        ends,
        found,
        maximum=maximum,
        ledger=ledger,
    )
    _take_weights(forest.weights, found, maximum, out=weights)
    return (weights, np.maximum(found, -1)) if return_edges else weights


def _plan(graph: Any, dtype: np.dtype[Any], n_pairs: int, ledger: _core.Ledger) -> None:
    """Make the plan of a call, for `explain` and the log: its arguments leave no choice."""
    given, known = graph, {}
    if isinstance(graph, SpanningForest):
        given = None
        known = {"n_vertices": graph.n_vertices, "n_arcs": len(graph._checked_edges())}
    request = {"n_sources": n_pairs, "unweighted": True}  # as no distances are added up
    plan.make(
        "bottleneck_paths", given, given, dtype, _device.ON_CPU, request, known, ledger=ledger
    )


def _numbers(graph: Any, vertices: Any, argument: str) -> npt.NDArray[np.int32]:
    """Return the numbers of vertices of a graph or a forest."""
    if not isinstance(graph, SpanningForest):
        found: npt.NDArray[np.int32] = graph._find_vertices(vertices, argument)
        return found
    if graph.names is None:
        return validate.vertices(vertices, graph.n_vertices, argument)
    return Names.of_ids(graph.names).numbers(vertices, argument)


def _refuse_nan(weights: Array) -> None:
    if weights.dtype.kind == "f" and np.isnan(weights).any():
        bad = int(np.flatnonzero(np.isnan(weights))[0])
        raise ValueError(f"weights[{bad}] is NaN; weights must be numbers")


def _take_weights(weights: Array, edges: Array, maximum: bool, *, out: Array) -> None:
    """Write the weights of edges, where -1 is none because the ends are one, -2 no path."""
    kind = weights.dtype
    least, most = (
        (-np.inf, np.inf) if kind.kind == "f" else (np.iinfo(kind).min, np.iinfo(kind).max)
    )
    of_no_edge, of_no_path = (most, least) if maximum else (least, most)
    # The last two, which -1 and -2 select.
    known = np.append(weights, np.array([of_no_path, of_no_edge], kind))
    np.take(known, edges, out=out, mode="wrap")
