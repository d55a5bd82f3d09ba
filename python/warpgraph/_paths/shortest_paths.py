"""wg.shortest_paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph._graph import plan, rounding
from warpgraph._graph.graph import Graph, as_graph
from warpgraph._graph.named_errors import errors_by_name
from warpgraph._graph.plan import planned
from warpgraph._paths import hierarchy

if TYPE_CHECKING:
    from warpgraph._arguments import types

Paths = tuple[npt.NDArray[Any], npt.NDArray[np.int64], npt.NDArray[Any]]

_METHODS = ("auto", "bidirectional", "hierarchy")


@planned("shortest_paths")
@errors_by_name
def shortest_paths(
    graph: types.GraphLike,
    sources: types.Vertices,
    targets: types.Vertices,
    *,
    return_paths: bool = True,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: str = "auto",
    dtype: types.DType[Any] | None = None,
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> npt.NDArray[Any] | Paths:
    """Return the shortest paths of many pairs of vertices, each as `shortest_path` finds it.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        As for `sssp`. No weight may be negative.
    sources, targets : sequence of int, or of names of vertices
        The ends of the i-th path are ``sources[i]`` and ``targets[i]``. Pairs may repeat.
    return_paths : bool
        False: only the lengths are returned.
    directed : bool
        False: edges have no direction; of (i, j) and (j, i) the lighter counts.
    unweighted : bool
        True: every edge weighs 1.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    method : {"auto", "bidirectional", "hierarchy"}
        How to search; it changes the time, not the result. "bidirectional" searches from both ends
        of each pair until both searches meet. "hierarchy" prepares the graph once, as `Hierarchy`
        does; a `Graph` keeps that. "auto" is the one that is expected to take less time, with that
        of preparing the graph.
    dtype : {"float32", "float64", "int32", "int64"}, optional
        Type of distances. By default float32 for float32 weights, else float64; int64 is exact.
    memory_limit : int, float or str, optional
        Bytes that the call may take, or a size such as "2GB"; by default, all free memory. With
        less memory, fewer threads search.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``; counts finished pairs.

    Returns
    -------
    lengths : ndarray, shape (n_pairs,)
        What `sssp` returns, bit for bit: inf, or the largest integer of an integer dtype, where
        there is no path.
    indptr : ndarray of int64, shape (n_pairs + 1,)
        Only if `return_paths`, as `vertices`.
    vertices : ndarray of int32, or of object, shape (indptr[-1],)
        The i-th path is ``vertices[indptr[i]:indptr[i + 1]]``: ``sources[i], ..., targets[i]``, as
        `reconstruct_path` returns it for the predecessors of `sssp`, or nothing if there is none.
        Names if the graph has names.

    Raises
    ------
    ValueError
        A vertex that is not in the graph, different numbers of sources and targets, or a negative
        weight; with method "hierarchy", a graph that has no small hierarchy, as social networks.
    OverflowError
        A weight or a length does not fit `dtype`.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.

    See Also
    --------
    shortest_path : One pair.
    many_to_many : The distances from each source to each target.
    Hierarchy : The preparation for method "hierarchy".

    Notes
    -----
    Pairs are sorted by their sources, and each thread takes 64 at a time: consecutive pairs with
    the same source share the upward search of a hierarchy [1]_. A query of a hierarchy visits some
    hundred vertices of a road network, and each thread has arrays of the size of the graph.

    References
    ----------
    .. [1] Strasser and Zeitz, "A fast and tight heuristic for A* in road networks", SEA 2021.

    Examples
    --------
    The vertices of a grid of two rows are 0, 1, 2 and 3, 4, 5; all edges weigh 1.

    >>> graph = wg.Graph(wg.generators.grid(2, 3, weights=None))
    >>> lengths, indptr, vertices = wg.shortest_paths(graph, [0, 2, 4], [5, 2, 0])
    >>> lengths.tolist()
    [3.0, 0.0, 2.0]
    >>> [path.tolist() for path in np.split(vertices, indptr[1:-1])]
    [[0, 1, 2, 5], [2], [4, 1, 0]]
    """
    is_kept = isinstance(graph, Graph)
    directed = validate.flag(directed, "directed")
    unweighted = validate.flag(unweighted, "unweighted")
    return_paths = validate.flag(return_paths, "return_paths")
    graph = as_graph(graph, weight, reads_weights=not unweighted)
    starts = graph._find_vertices(sources, "sources")
    ends = graph._find_vertices(targets, "targets")
    if len(starts) != len(ends):
        raise ValueError(
            f"sources and targets must have the same length, got {len(starts)} and {len(ends)}"
        )
    kind = validate.distance_dtype(dtype, graph.dtype)
    ledger = validate.ledger(memory_limit)
    report = validate.progress(progress, "shortest_paths")
    validate.choice(method, _METHODS, "method")
    names, graph = graph._named_vertices, graph._unnamed()
    request: dict[str, Any] = {"method": method, "is_directed": directed, "unweighted": unweighted}
    request |= {"is_kept": is_kept, "n_sources": len(starts)}
    form = graph if directed else graph._known_undirected()
    known = hierarchy.kept(form, unweighted, kind)
    known |= plan.has_entering(graph, directed, reads_weights=not unweighted)
    planned = plan.make(
        "shortest_paths", graph, form, kind, _device.ON_CPU, request, known, ledger=ledger
    )
    if not unweighted:
        graph._refuse_negative("shortest_paths")
    if not directed:
        graph = graph._undirected(ledger)
    back = graph._transposed(ledger, reads_weights=not unweighted) if directed else graph
    weights = None if unweighted else kind
    handles = graph._handle_for(weights, ledger), back._handle_for(weights, ledger)
    found: Any
    if _uses_hierarchy(planned, graph, unweighted, kind, ledger):
        kept = hierarchy.prepared(graph, unweighted, ledger, None).handle
        found = _core.paths_in_hierarchy(
            kept, *handles, starts, ends, kind, unweighted, return_paths, report, ledger=ledger
        )
    else:
        found = _core.shortest_paths(
            *handles, starts, ends, kind, unweighted, return_paths, report, ledger=ledger
        )
    rounding.warn_of_distances(graph, dtype, unweighted, found[0])
    return (found[0], found[1], names(found[2])) if return_paths else found[0]


def _uses_hierarchy(
    planned: _core.Plan, graph: Graph, unweighted: bool, dtype: Any, ledger: _core.Ledger
) -> bool:
    """Return whether to search in a hierarchy.

    A plan of "hierarchy" that names another method, too, is for a hierarchy that may fail: the
    other method searches if the graph has no small one, or if `dtype` is an integer type and the
    hierarchy adds up floats.
    """
    by = planned.method, planned.otherwise
    method = hierarchy.method_of(by, graph, unweighted, ledger)
    if method != "hierarchy" or not planned.otherwise:
        return method == "hierarchy"
    return hierarchy.prepared(graph, unweighted, ledger, None).is_exact or dtype.kind == "f"
