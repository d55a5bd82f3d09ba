"""wg.sssp."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, SupportsFloat

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, outputs, validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._arguments.new_array import NO_VERTICES, new_array
from warpgraph._graph import plan, rounding, weights
from warpgraph._graph.graph import Graph, as_graph
from warpgraph._graph.named_errors import errors_by_name
from warpgraph._graph.plan import planned
from warpgraph._graph.turns import TurnGraph, search_with_turns

if TYPE_CHECKING:
    from warpgraph._arguments import types

Array = npt.NDArray[Any]

_METHODS = ("auto", "dijkstra", "delta_stepping", "near_far", "bellman_ford")

#: Number of components in which one search bounds the distances; in the others, which are small,
#: the number of vertices bounds them.
_ROOTS_OF_BOUND = 4


@planned("sssp")
@errors_by_name
@falls_back_if_memory_lacks
def sssp(
    graph: types.GraphLike,
    source: Hashable,
    *,
    targets: types.Vertices | None = None,
    limit: SupportsFloat = np.inf,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.SsspMethod = "auto",
    return_predecessors: bool = False,
    dtype: types.DType[Any] | None = None,
    out: types.OutLike | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.ArrayOrTuple:
    """Return the distances of shortest paths from one vertex.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, Graph, or TurnGraph
        Entry (i, j) is the edge i -> j. Stored zeros are edges of weight zero, of parallel edges
        the lightest counts, a weight of inf is an edge that is never used.
    source : int, or name of a vertex
        The vertex to start from: its name if the graph has names, else its number.
    targets : sequence of int or names, optional
        Return the distances of these vertices only, in this order; repeated ones are allowed. The
        search ends once all are settled.
    limit : float
        Vertices farther than this count as unreachable; a distance equal to it is kept.
    directed : bool
        False: edges have no direction; of (i, j) and (j, i) the lighter counts.
    unweighted : bool
        True: every edge weighs 1.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    method : {"auto", "dijkstra", "delta_stepping", "near_far", "bellman_ford"}
        How to search; it changes the time, not the result. Negative weights need "bellman_ford".
        "dijkstra" runs on CPU cores, "delta_stepping" there and on several CUDA devices, where it
        is "near_far", "near_far" on CUDA devices, and "bellman_ford" on both. "auto" is the
        one that is expected to take the least time, and for negative weights "bellman_ford".
    return_predecessors : bool
        Return predecessors, too.
    dtype : {"float32", "float64", "int32", "int64"}, optional
        Type of distances. By default float32 for float32 weights, else float64; int64 is exact.
    out : ndarray, or array on a CUDA device, optional
        Where to write the distances, on the host or on the GPU that computes.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``; counts settled vertices.
    memory_limit : int, float or str, optional
        Bytes for work and results, or a size such as "2GB"; by default, all free memory.
    device : str or list of str
        Where to run; see `warpgraph.devices`. Each device of a list searches its part of the graph;
        with negative weights, and by "bellman_ford" on the host, the first one searches.

    Returns
    -------
    distances : ndarray, shape (n_vertices,) or (len(targets),)
        Unreachable is inf, or the largest integer of an integer dtype. It is `out` if that was
        given.
    predecessors : ndarray of int32, shape (n_vertices,)
        Only if `return_predecessors`: the vertex before each on its path, -1 for the source and
        the unreachable. With `targets`, set for vertices on paths to the targets, and for vertices
        no farther than the farthest target.

    Raises
    ------
    NegativeCycleError
        A cycle of negative weight can be reached, so there is no shortest path. Its attribute
        ``vertex`` is a vertex of the cycle.
    ValueError
        A vertex that is not in the graph, or a negative weight where the method does not allow it.
    OverflowError
        A weight or a distance does not fit `dtype`, whose largest integer is no number but means
        "unreachable" (see `Graph`); float distances beyond it are inf instead. With a negative
        weight anywhere in the graph, distances beyond `limit` and of vertices that are no targets
        must fit, too.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not here, or is a list of the CPU and CUDA devices.

    See Also
    --------
    many_to_many : Distances from many vertices.
    reconstruct_path : The vertices of a path.

    Notes
    -----
    For n vertices and m edges, "dijkstra" [1]_ takes time m log n with a heap on one core.
    "delta_stepping" [2]_ and "near_far" [3]_ settle vertices of similar distances together and
    read some edges again: time n + m if weights are spread evenly, on all cores or a GPU.
    "bellman_ford" [4]_ takes n m at most, and m for each edge of the longest of the shortest
    paths. All need a few numbers per vertex; "bellman_ford" on a GPU also a list of the edges.

    Every method adds weights up from the source on, rounding to `dtype` edge by edge, so that all
    methods and devices return the same bits.

    If several vertices end a shortest path to v, its predecessor is the smallest that is nearer to
    the source than v; without one (all edges that end shortest paths there have weight zero, or
    vanish in rounding), the smallest that is one step closer along such edges. So predecessors
    form a tree even if there are cycles of weight zero. With negative weights it is the smallest
    vertex one step closer to the source along edges that end shortest paths, and a path within
    `limit` may lead over vertices beyond it, which then have a predecessor and an infinite
    distance. A float32 or float64 cycle whose weight rounds to zero is not negative.

    References
    ----------
    .. [1] Dijkstra, "A note on two problems in connexion with graphs", Numer. Math. 1, 1959.
    .. [2] Meyer and Sanders, "Delta-stepping: a parallelizable shortest path algorithm",
       J. Algorithms 49, 2003.
    .. [3] Davidson, Baxter, Garland and Owens, "Work-efficient parallel GPU methods for
       single-source shortest paths", IPDPS 2014.
    .. [4] Bellman, "On a routing problem", Quart. Appl. Math. 16, 1958.

    Examples
    --------
    >>> graph = wg.generators.grid(20, 30, seed=0)
    >>> distances, predecessors = wg.sssp(graph, 7, return_predecessors=True)
    >>> path = wg.reconstruct_path(predecessors, 7, 599)
    >>> int(path[-2]) == int(predecessors[599])
    True
    >>> bool(wg.sssp(graph, 7, targets=[599])[0] == distances[599])
    True
    """
    if isinstance(graph, TurnGraph):
        return search_with_turns(sssp, locals())  # nothing but the arguments
    is_kept = isinstance(graph, Graph)
    directed = validate.flag(directed, "directed")
    unweighted = validate.flag(unweighted, "unweighted")
    return_predecessors = validate.flag(return_predecessors, "return_predecessors")
    graph = as_graph(graph, weight, reads_weights=not unweighted, defers_checks=True)
    start = graph._find_vertex(source, "source")
    ends = None if targets is None else graph._find_vertices(targets, "targets")
    kind = validate.distance_dtype(dtype, graph.dtype)
    n = graph.n_vertices
    shape = (n if ends is None else len(ends),)
    result = outputs.checked(graph, out, shape, kind)
    ledger = validate.ledger(memory_limit)
    farthest = validate.limit_as(limit, kind)
    report = validate.progress(progress, "shortest paths")
    validate.choice(method, _METHODS, "method")
    form = graph if directed else graph._known_undirected()
    request: dict[str, Any] = {"method": method, "is_directed": directed, "unweighted": unweighted}
    request |= {"is_kept": is_kept, "wants_predecessors": return_predecessors}
    is_restricted = ends is not None or farthest < validate.infinity(kind)
    request |= {"is_restricted": is_restricted, "is_empty": 0 in shape}
    request["reads_weights" if graph.dtype == kind else "converts_weights"] = not unweighted
    task = "sssp", graph, form, kind, _device.wanted(device, out)
    chosen = plan.make(*task, request, ledger=ledger)
    devices = chosen.devices
    if chosen.has_negative:
        refuse_negative(graph, chosen.method)
    graph = graph if directed else graph._undirected(ledger)
    # Made after the form of the graph, which may be refused.
    result = new_array(shape, kind) if result is None else result
    gathers = ends is not None and isinstance(result, np.ndarray)
    distances = new_array((n,), kind) if gathers else result
    predecessors = new_array((n,), np.int32) if return_predecessors else NO_VERTICES
    if 0 in shape:
        graph._handle.check()
        predecessors.fill(-1)
    else:
        on = "cpu" if chosen.has_negative or len(devices) > 1 else devices[0]
        handle = graph._handle_for(None if unweighted else kind, ledger, on=on)

        def search(by: str) -> None:
            _core.sssp(
                handle,
                np.array([start], np.int32),
                distances,
                predecessors,
                farthest,
                NO_VERTICES if ends is None else ends,
                unweighted,
                devices,
                report,
                method=by,
                negative_weights=chosen.has_negative,
                symmetric=devices[0] != "cpu" and by == "bellman_ford" and graph._is_mirrored(),
                ledger=ledger,
            )

        plan.run(chosen, search)
    if ends is not None and gathers:
        np.take(distances, ends, out=result)
    rounding.warn_of_distances(graph, dtype, unweighted, result)
    return (result, predecessors) if return_predecessors else result


def refuse_negative(graph: Graph, method: str) -> None:
    """Raise a ValueError for a graph with a negative weight unless the method allows that."""
    if method != "bellman_ford":
        graph._refuse_negative(f"method {method!r}", "; use method='bellman_ford'")
    refuse_minus_infinity(graph)


def refuse_minus_infinity(graph: Graph) -> None:
    """Raise a ValueError that names the first weight of -inf."""
    if graph.dtype.kind == "f" and np.isneginf(graph.data.min(initial=0)):
        e = int(np.argmin(graph.data))  # the first of them
        raise ValueError(
            f"the weight of entry {weights.entry(graph, e)} is -inf; "
            "weights must be finite, or inf for an edge that is never used"
        )


def distance_bound(
    graph: Graph, unweighted: bool, enough: float, ledger: _core.Ledger = validate.NO_LIMIT
) -> float:
    """Return an upper bound of all finite distances; it need not be tight below `enough`.

    It is inf if weights are negative. Else a path leaves each vertex at most once. If every edge is
    stored both ways, twice the largest distance from any vertex bounds the distances of its
    component.
    """
    if not unweighted and graph._first_negative() is not None:
        return np.inf
    heaviest = 1.0 if unweighted else max(graph._heaviest(), 1.0)
    bound, n_left = 0.0, graph.n_vertices
    if heaviest * n_left < enough or not graph._is_mirrored():
        return heaviest * n_left
    is_seen = np.zeros(graph.n_vertices, bool)
    kind = np.dtype(np.float64)
    handle = graph._handle_for(None if unweighted else kind, ledger)
    far = new_array((graph.n_vertices,), kind)
    for _ in range(_ROOTS_OF_BOUND):
        root = np.array([np.argmin(is_seen)], np.int32)
        how: dict[str, Any] = {"method": "delta_stepping", "ledger": ledger.on_host()}
        arrays = root, far, NO_VERTICES, np.inf, NO_VERTICES
        _core.sssp(handle, *arrays, unweighted, ["cpu"], None, **how)
        is_reached = np.isfinite(far)
        bound = max(bound, 2 * float(far.max(where=is_reached, initial=0)))
        is_seen |= is_reached
        n_left -= int(np.count_nonzero(is_reached))
        if bound >= enough or heaviest * n_left < enough:
            break
    return max(bound, heaviest * n_left)
