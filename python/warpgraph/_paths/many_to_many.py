"""wg.many_to_many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsFloat

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, outputs, validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._arguments.new_array import new_arrays
from warpgraph._graph import rounding
from warpgraph._graph.graph import Graph, as_graph
from warpgraph._graph.methods.vertices import find_vertices, some_vertices
from warpgraph._graph.named_errors import errors_by_name
from warpgraph._graph.plan import planned
from warpgraph._graph.turns import TurnGraph, search_with_turns
from warpgraph._paths import nearest
from warpgraph._paths.many_to_many_search import Call, search

if TYPE_CHECKING:
    from warpgraph._arguments import types

Array = npt.NDArray[Any]

_METHODS = ("auto", "dijkstra", "batched", "hierarchy", "johnson")


@planned("many_to_many")
@errors_by_name
@falls_back_if_memory_lacks
def many_to_many(
    graph: types.GraphLike,
    sources: types.Vertices,
    targets: types.Vertices | None = None,
    *,
    limit: SupportsFloat = np.inf,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.ManyToManyMethod = "auto",
    return_predecessors: bool = False,
    min_only: bool = False,
    dtype: types.DType[Any] | None = None,
    out: types.OutLike | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.ArrayOrTuple:
    """Return the distances of shortest paths from many vertices to all others, or to some.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, Graph, or TurnGraph
        Entry (i, j) is the edge i -> j. Stored zeros are edges of weight zero, of parallel edges
        the lightest counts, a weight of inf is an edge that is never used. Negative weights need
        method "auto" or "johnson".
    sources : sequence of int or names
        The vertices where paths begin, one for each row of the result. Repeated ones are allowed.
        They are names if the graph has names, see `Graph`, else numbers.
    targets : sequence of int or names, optional
        The vertices where paths end, one for each column; by default all vertices. Repeated ones
        are allowed. A search ends once all are settled.
    limit : float
        Vertices farther than this count as unreachable; a distance equal to it is kept.
    directed : bool
        False: edges have no direction; of (i, j) and (j, i) the lighter counts.
    unweighted : bool
        True: every edge weighs 1.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    method : {"auto", "dijkstra", "batched", "hierarchy", "johnson"}
        How to search; it changes the time, not the result. "dijkstra" has one queue per source,
        and each thread, or each warp of a GPU, takes a source at a time. "batched" carries
        neighbouring sources through the graph together, sixteen at a time or 32 on a GPU: faster
        if there are hundreds of sources or more. With `unweighted`, in graphs of few levels, it may
        be a breadth-first search from 256 sources at a time. Where a limit or fewer than eight
        targets may end searches early, cores take the sources one by one instead. "hierarchy"
        prepares the graph first, see `Hierarchy`, and serves many sources in a fraction of the
        time, on road networks and the like only; a `Graph` keeps what was prepared. "johnson" is
        for negative weights: a search from all vertices finds potentials, which a `Graph` keeps,
        and "dijkstra" searches with them; without a negative weight it is "dijkstra". "auto" is the
        one that is expected to take the least time; a hierarchy only where its distances are the
        same bits as those of the other methods, and for a `Graph` also once its calls have lost as
        much time as preparing takes.
    return_predecessors : bool
        Return predecessors, too.
    min_only : bool
        True: one search from all sources together, which finds for each vertex the nearest of them,
        and which that is; there must be a source. `method` is "auto", with which weights may be
        negative, or "dijkstra", which runs on cores. Of a list of devices, only the first is used.
    dtype : {"float32", "float64", "int32", "int64"}, optional
        Type of distances. By default float32 for float32 weights, else float64; int64 is exact.
    out : ndarray, or array on a CUDA device, optional
        Where to write the distances, on the host or on the GPU that computes. The rows of the
        matrix are contiguous. A `numpy.memmap` may be larger than the memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``; counts finished sources.
    memory_limit : int, float or str, optional
        Bytes for work and results, or a size such as "2GB"; by default, all free memory. `out` does
        not count.
    device : str or list of str
        Where to run; see `warpgraph.devices`. Several devices share the sources; `out` is then on
        the host.

    Returns
    -------
    distances : ndarray, shape (len(sources), n_vertices) or (len(sources), len(targets))
        Row i is what ``sssp(graph, sources[i], targets=targets)`` returns, bit for bit.
        Unreachable is inf, or the largest integer of an integer dtype. It is `out` if that was
        given. With `min_only`, the least of each column: shape (n_vertices,) or (len(targets),).
    predecessors : ndarray of int32, shape (len(sources), n_vertices)
        Only if `return_predecessors`: in each row the vertex before each on its path, as `sssp`
        returns them. With `targets`, too, a row has a column for every vertex; set are those of
        vertices on paths to the targets, and of vertices no farther than the farthest target. With
        `min_only`, shape (n_vertices,): each source is the root of a tree.
    nearest : ndarray of int32, shape (n_vertices,) or (len(targets),)
        Only with `min_only`, last: the source where the path of the predecessors begins, for a
        source that source itself; -1 for the unreachable. If several sources are nearest, the
        predecessors decide, so that it does not depend on the order of the sources.

    Raises
    ------
    NegativeCycleError
        A cycle of negative weight is anywhere in the graph, even where no source leads. With
        ``directed=False`` every negative edge is one. If `sources` or `targets` is empty, nothing
        is searched, so the error is not raised; with `min_only`, it is raised if a source leads to
        the cycle, whatever the targets are.
    ValueError
        A vertex that is not in the graph, a negative weight with another method, or no source with
        `min_only`.
    OverflowError
        A weight or a distance does not fit `dtype`, whose largest integer is no number but means
        "unreachable" (see `Graph`); float distances beyond it are inf instead. With a negative
        weight anywhere in the graph, distances beyond `limit`, of vertices that are no targets and
        from vertices that are no sources must fit, too.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not here.

    See Also
    --------
    sssp : One source.
    Hierarchy : What method "hierarchy" prepares, and how to keep it in a file.
    reconstruct_path : The vertices of a path.

    Notes
    -----
    A search takes the time of `sssp`. "batched" [1]_ reads each edge once for all sources of a
    batch, and some again. "hierarchy" [2]_ sweeps over about three arcs per vertex on roads, for
    any source [3]_. With negative weights, potentials [4]_ take the time of one "bellman_ford" of
    `sssp`; searches then reach all they can, whatever the limit and the targets are. A GPU has a
    "bellman_ford" search for each source.

    Every method but "hierarchy" adds weights up from the source on, rounding to `dtype` edge by
    edge, so that these methods return the same bits, as all do on every device and number of
    threads.

    "hierarchy" adds in another order, and in wider numbers. If all weights are integers, and sums
    of them fit 62 bits, its distances are exact, rounded once to `dtype`: the same bits as those of
    the other methods as long as distances are less than 2**24 for float32 and 2**53 for float64.
    Otherwise it adds float64 numbers, and the relative error is at most `Hierarchy.relative_error`,
    plus one rounding to `dtype`; weights of an integer dtype, and distances of one, are refused
    instead, as for `Hierarchy`. Predecessors are available if distances are exact.

    References
    ----------
    .. [1] Then et al., "The more the merrier: efficient multi-source graph traversal", VLDB 8,
       2014.
    .. [2] Geisberger, Sanders, Schultes and Delling, "Contraction hierarchies", WEA 2008.
    .. [3] Delling, Goldberg, Nowatzyk and Werneck, "PHAST: hardware-accelerated shortest path
       trees", IPDPS 2011.
    .. [4] Johnson, "Efficient algorithms for shortest paths in sparse networks", J. ACM 24, 1977.

    Examples
    --------
    >>> graph = wg.generators.grid(20, 30, seed=0)
    >>> wg.many_to_many(graph, [0, 7], targets=[599, 3, 4]).shape
    (2, 3)
    """
    if isinstance(graph, TurnGraph):
        return search_with_turns(many_to_many, locals())  # nothing but the arguments
    kept = isinstance(graph, Graph)
    directed = validate.flag(directed, "directed")
    unweighted = validate.flag(unweighted, "unweighted")
    return_predecessors = validate.flag(return_predecessors, "return_predecessors")
    min_only = validate.flag(min_only, "min_only")
    graph = as_graph(graph, weight, reads_weights=not unweighted)
    find = some_vertices if min_only else find_vertices
    starts = find(graph, sources, "sources")
    ends = None if targets is None else graph._find_vertices(targets, "targets")
    kind = validate.distance_dtype(dtype, graph.dtype)
    n_columns = graph.n_vertices if ends is None else len(ends)
    ledger = validate.ledger(memory_limit)
    farthest = validate.limit_as(limit, kind)
    report = validate.progress(progress, "shortest paths")
    validate.choice(method, _METHODS, "method")
    if min_only:
        found = nearest.search(
            graph,
            starts,
            ends,
            limit=farthest,
            directed=directed,
            unweighted=unweighted,
            method=method,
            dtype=kind,
            out=out,
            report=report,
            ledger=ledger,
            device=device,
            is_kept=kept,
        )
        rounding.warn_of_distances(graph, dtype, unweighted, found[0])
        return found if return_predecessors else (found[0], found[2])
    shapes = (len(starts), n_columns), (len(starts) * return_predecessors, graph.n_vertices)
    distances, predecessors = _results(*shapes, kind, out, ledger)
    outputs.refuse_overlap_with_graph(out, graph)
    call = Call(
        graph=graph,
        is_directed=directed,
        unweighted=unweighted,
        dtype=kind,
        sources=starts,
        targets=ends,
        distances=distances,
        predecessors=predecessors,
        limit=farthest,
        # Of a matrix it is not found whether edges are stored both ways: that takes as long as a
        # search. A Graph keeps the answer, so that it may be asked.
        mirrored=True if not directed else None if kept else False,
    )
    search(call, method, _device.wanted(device, out), ledger, report)
    rounding.warn_of_distances(graph, dtype, unweighted, distances)
    return (distances, predecessors) if return_predecessors else distances


def _results(
    shape: tuple[int, int],
    tree_shape: tuple[int, int],
    dtype: np.dtype[Any],
    out: Any,
    ledger: _core.Ledger,
) -> tuple[Any, Array]:
    """Return the arrays of distances and predecessors."""
    if out is not None:
        distances = outputs.anywhere(out, shape, dtype, rows_apart=True)
    advice = "pass out= a numpy.memmap or give targets="
    if tree_shape[0]:
        advice = "ask for fewer sources at a time, or leave out the predecessors"
    wanted = [(tree_shape, np.dtype(np.int32)), (shape, dtype)][: 1 + (out is None)]
    predecessors, *made = new_arrays(ledger, "the result of many_to_many", advice, *wanted)
    return made[0] if made else distances, predecessors
