"""wg.bfs."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, foreign, outputs, validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._arguments.new_array import NO_VERTICES, new_array, new_arrays
from warpgraph._graph import plan
from warpgraph._graph.graph import Graph, as_graph
from warpgraph._graph.plan import planned
from warpgraph._paths.many_to_many_search import Call, search

if TYPE_CHECKING:
    from warpgraph._arguments import types

Int32Array = npt.NDArray[np.int32]


@planned("bfs")
@falls_back_if_memory_lacks
def bfs(
    graph: types.GraphLike,
    source: Hashable | types.Vertices,
    *,
    directed: bool = True,
    targets: types.Vertices | None = None,
    limit: float | None = None,
    return_predecessors: bool = False,
    out: types.OutLike | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.ArrayOrTuple:
    """Count the edges on a shortest path from one vertex, or each of several, to every other.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        The graph. Weights are not read, stored zeros are edges.
    source : int, or name of a vertex; or a list, range or array of them
        The vertex to start from: its name if the graph has names, else its number. The results for
        several have a row for each.
    directed : bool
        False: edges have no direction.
    targets : sequence of int or names, optional
        Return the hops of these vertices only, in this order; repeated ones are allowed. On cores,
        and on any device where vertices have few edges, the search ends once all are reached.
    limit : int, optional
        Vertices more than this many edges away count as unreached; inf is no limit.
    return_predecessors : bool
        Return predecessors, too.
    out : ndarray, or array on a CUDA device, optional
        Where to write the hops, on the host or on the GPU that computes. They are int32, of the
        shape of the result; on a GPU, those from one source.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``; counts reached vertices or, of
        several sources, finished ones. At the end, unreached vertices count as well.
    memory_limit : int, float or str, optional
        Bytes for work beside the results, or a size such as "2GB"; by default, all free memory.
    device : str or list of str
        Where to run; see `warpgraph.devices`. Each device of a list searches its part of the graph
        from one source.

    Returns
    -------
    hops : ndarray of int32, shape (n_vertices,) or (len(targets),)
        Number of edges on a shortest path from `source`; -1 where there is none. A row of these
        for each of several sources. It is `out` if that was given.
    predecessors : ndarray of int32, shape (n_vertices,)
        The smallest vertex one hop nearer from which an edge leads here; -1 for the source,
        for unreached vertices, and for those farther than the farthest target. A row for each of
        several sources. Only with ``return_predecessors=True``.

    Raises
    ------
    ValueError
        `source` is not a vertex, `limit` is negative, or `out` has another shape or dtype.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not here, or is a list of the CPU and CUDA devices.

    See Also
    --------
    warpgraph.sssp : Shortest paths by weight.

    Notes
    -----
    Each level is searched from its frontier or, where the frontier is large and the edges that
    enter a vertex are known, from the unreached vertices (Beamer, Asanovic and Patterson, SC 2012).
    They are known if every edge is stored both ways. A `Graph` is checked for that once and keeps
    the result. A matrix that is passed directly is checked only with ``directed=False``, since the
    check costs as much as one search. A directed `Graph` that is searched by one device, or level
    by level by several, again and again is transposed once, if that fits the free memory and there
    is no `memory_limit`; it keeps the transposed graph until `Graph.clear`.

    Several sources are searched as by `many_to_many`, whose breadth-first search [1]_ carries them
    through the graph together where vertices have very different degrees or there are few levels.

    References
    ----------
    .. [1] Then et al., "The more the merrier: efficient multi-source graph traversal", VLDB 8,
       2014.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> wg.bfs(np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]), 0)
    array([0, 1, 2], dtype=int32)
    """
    kept = isinstance(graph, Graph)
    directed = validate.flag(directed, "directed")
    return_predecessors = validate.flag(return_predecessors, "return_predecessors")
    graph = as_graph(graph, reads_weights=False, defers_checks=True)
    if _are_several(source, graph):
        sources = graph._find_vertices(source, "source")
        how: dict[str, Any] = {"directed": directed, "return_predecessors": return_predecessors}
        how |= {"progress": progress, "memory_limit": memory_limit, "device": device}
        ends = None if targets is None else graph._find_vertices(targets, "targets")
        return _from_several(graph, sources, ends, validate.hop_limit(limit), out, **how)
    start = graph._find_vertex(source, "source")
    ends = None if targets is None else graph._find_vertices(targets, "targets")
    max_hops = validate.hop_limit(limit)
    ledger = validate.ledger(memory_limit)
    report = validate.progress(progress, "bfs")
    form = graph if directed else graph._known_undirected(reads_weights=False)
    known = {"has_transposed": graph._known_form("transposed", reads_weights=False) is not None}
    request: dict[str, Any] = {"is_directed": directed, "is_kept": kept, "unweighted": True}
    request |= {"is_restricted": ends is not None, "wants_predecessors": return_predecessors}
    wanted = _device.wanted(device, out)
    n, kind = graph.n_vertices, np.dtype(np.int32)
    n_results = n if ends is None else len(ends)
    request["n_targets"] = -1 if ends is None else n_results
    request |= {"is_empty": n_results == 0, "has_limit": limit is not None}
    result = outputs.checked(graph, out, (n_results,), kind)
    task = "bfs", graph, form, kind, wanted
    chosen = plan.make(*task, request, known, ledger=ledger)
    devices, mirrored = chosen.devices, chosen.is_mirrored
    where = devices[0]
    if not directed:
        graph = graph._undirected(ledger, reads_weights=False)
    # Made after the form of the graph, which may be refused.
    result = new_array((n_results,), kind) if result is None else result
    predecessors = new_array((n,), kind) if return_predecessors else NO_VERTICES
    if n_results == 0:
        graph._handle.check()
        predecessors.fill(-1)
        _end_at_targets(result, ends, result, report, graph)
        return (result, predecessors) if return_predecessors else result
    gathers = ends is not None and (where == "cpu" or len(devices) > 1)
    hops = new_array((n,), kind) if gathers else result
    if gathers:
        ledger.charge(hops.nbytes)
    ascends = None
    transposed = graph._transposed(reads_weights=False) if chosen.uses_transposed else None
    entering = graph if mirrored else transposed
    if kept and return_predecessors and devices == ["cpu"] and entering is not None:
        look = partial(_core.has_ascending_heads, entering._handle)
        ascends = entering._derive("has_ascending_heads", look)
    _core.bfs(
        graph._handle,
        None if transposed is None else transposed._handle,
        hops,
        predecessors,
        NO_VERTICES if ends is None else ends,
        devices,
        report,
        source=start,
        limit=max_hops,
        mirrored=mirrored,
        by_levels=chosen.method == "by levels",
        ascending_heads=bool(ascends),
        ledger=ledger,
    )
    if ends is not None:
        _end_at_targets(hops, ends, result, report, graph)
    return (result, predecessors) if return_predecessors else result


def _end_at_targets(
    hops: Any, ends: Any, result: Any, report: Callable[[int, int], Any] | None, graph: Graph
) -> None:
    """Write the hops of targets, and report as done what the search has left unreached, too."""
    if result is not hops:
        np.take(hops, ends, out=result)
    if report is not None:
        report(graph.n_vertices, graph.n_vertices)


def _are_several(source: Any, graph: Graph) -> bool:
    """Return whether `source` is a list of vertices. A tuple may be a name."""
    if isinstance(source, np.ndarray):
        return source.ndim > 0
    return isinstance(source, (list, range)) or (isinstance(source, tuple) and graph.names is None)


#: Advice of `many_to_many` that is none for hops.
_NARROWER_DTYPE = re.compile(",? or ask for a narrower dtype")


def _from_several(
    graph: Graph,
    sources: Int32Array,
    ends: Int32Array | None,
    max_hops: int,
    out: Any,
    *,
    directed: bool,
    return_predecessors: bool,
    progress: validate.ProgressLike,
    memory_limit: validate.MemoryLimitLike,
    device: Any,
) -> Any:
    """Return the hops from each source: distances where every edge weighs 1."""
    graph._handle.check()
    if foreign.is_on_device(out):
        raise TypeError("out must be a NumPy array if there are several sources")
    kind = np.dtype(np.int32)
    shape = len(sources), graph.n_vertices if ends is None else len(ends)
    tree_shape = len(sources) * return_predecessors, graph.n_vertices
    ledger = validate.ledger(memory_limit)
    hops = out if out is None else outputs.on_host(out, shape, kind, rows_apart=True)
    # The results need memory, but do not count in the limit.
    advice = "search from fewer sources at a time, pass out= a numpy.memmap, or give targets="
    wanted = [(tree_shape, kind), (shape, kind)][: 1 + (hops is None)]
    predecessors, *made = new_arrays(validate.NO_LIMIT, "the result of bfs", advice, *wanted)
    call = Call(
        graph=graph._unnamed(),
        is_directed=directed,
        unweighted=True,
        dtype=kind,
        sources=sources,
        targets=ends,
        distances=made[0] if made else hops,
        predecessors=predecessors,
        limit=max_hops,
        mirrored=None if directed else True,
    )
    outputs.refuse_overlap_with_graph(out, graph)
    report = validate.progress(progress, "shortest paths")
    try:
        search(call, "auto", _device.wanted(device), ledger, report)
    except MemoryError as error:  # hops have one dtype
        error.args = (_NARROWER_DTYPE.sub("", str(error)),)
        raise
    _core.lengths_to_hops(list(call.distances))
    return (call.distances, call.predecessors) if return_predecessors else call.distances
