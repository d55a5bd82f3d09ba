"""wg.minimum_spanning_forest, and its pieces: local_forest, merge_forests, extend_forest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, foreign, outputs, validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._graph import plan
from warpgraph._graph.graph import Graph, as_graph
from warpgraph._graph.plan import planned
from warpgraph._trees import hybrid_forest, merged_forest, parts
from warpgraph._trees.forest import Results, SpanningForest, refuse_other_kind

if TYPE_CHECKING:
    from warpgraph._arguments import types

Array = npt.NDArray[Any]

#: Methods by which `minimum_spanning_forest` finds the forest.
METHODS = ("auto", "filter", "boruvka")

_NAME = "minimum_spanning_forest"


@planned("minimum_spanning_forest")
@falls_back_if_memory_lacks
def minimum_spanning_forest(
    graph: types.GraphLike,
    *,
    maximum: bool = False,
    weight: str | None = "weight",
    method: types.ForestMethod = "auto",
    out: types.OutLike | None = None,
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> types.ForestOrOut:
    """Return the lightest spanning tree of every component of an undirected graph.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        Entry (i, j) is an edge between i and j, whichever of (i, j) and (j, i) are stored. A matrix
        need not be symmetric. Where both are, or several, the lightest wins (the heaviest if
        `maximum`). Stored zeros are edges of weight zero; loops are ignored.
    maximum : bool
        Return the heaviest trees instead.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    method : {"auto", "filter", "boruvka"}
        How to find the same forest. "filter" starts from the matrix as it is. "boruvka", on a GPU,
        first sorts the edges, and a `Graph` keeps them sorted for the next call until
        `Graph.clear`: for graphs that are solved more than once. "auto" is "boruvka" on a GPU where
        the edges are there in that order, else "filter".
    out : array on a CUDA device, optional
        Where to write the edge ids, on the GPU that computes. An int64 array of at least
        ``n_vertices - 1`` items; nothing else is copied to the host. The order is that of the ids
        if the matrix is symmetric, else by smaller end, then by id, entries above the diagonal
        first.
    device : str or list of str
        Where to run; see `warpgraph.devices`. Several devices share the rows, by method "filter".
        ``["cpu", "cuda:0"]`` finds the forest by method "boruvka" on the GPU, with the help of the
        CPU if not all edges fit there.
    memory_limit : int, float or str, optional
        Bytes for work beside the results, or a size such as "2GB"; by default, all free memory. On
        a GPU, edges that do not fit stay in host memory, and CPU threads search them there; then,
        and with lists of devices, the limit is for edges and scratch memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.

    Returns
    -------
    SpanningForest
        Its edges come in the order in which Kruskal's algorithm finds them: by weight, lightest
        first (heaviest first if `maximum`). With `out`, the number k of edges instead: its first k
        items were written.

    Raises
    ------
    ValueError
        Not a graph's matrix, or a NaN weight; the entry is named.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        A device is named that is not there.

    See Also
    --------
    cluster.mst_of_points : The tree of an array of distances, in which 0 joins two points; here, as
        in SciPy, 0 in an array is no edge.

    Notes
    -----
    A total order of the edges breaks ties, so the forest is the same on every device: edges of
    equal weight rank by their smaller end, then by their position in the CSR arrays, so that
    entries above the diagonal come before those below it. On a symmetric matrix that is the order
    of the positions in the upper triangle.

    All methods go by Boruvka's rounds [1]_, O(m log n) time at most for m entries. "filter" first
    joins along the lightest edges, about three for each vertex, and then drops all edges within a
    tree [2]_: nearly O(m) in most graphs. "boruvka" is the method of [3]_.

    References
    ----------
    .. [1] Nesetril, Milkova, Nesetrilova, "Otakar Boruvka on minimum spanning tree problem",
       Discrete Mathematics 233, 2001.
    .. [2] Osipov, Sanders, Singler, "The filter-Kruskal minimum spanning tree algorithm",
       ALENEX 2009.
    .. [3] Kolganov, "Parallel implementation of the minimum spanning tree algorithm on hybrid
       systems", Vestnik YuUrGU, Computational mathematics and software engineering 5(3), 2016.

    Examples
    --------
    >>> import warpgraph as wg
    >>> forest = wg.minimum_spanning_forest([[0, 1, 5], [1, 0, 2], [5, 2, 0]])
    >>> forest.edges.tolist(), forest.total_weight
    ([[0, 1], [1, 2]], 3)
    """
    maximum = validate.flag(maximum, "maximum")
    is_kept = isinstance(graph, Graph)
    graph = as_graph(graph, weight, defers_checks=True)
    validate.choice(method, METHODS, "method")
    ledger = validate.ledger(memory_limit)
    report = validate.progress(progress, "minimum spanning forest")
    if out is not None:
        return _solve_on_device(graph, maximum, method, out, device, ledger, report)
    request: dict[str, Any] = {"method": method, "maximum": maximum, "reads_weights": True}
    request["is_kept"] = is_kept
    task = _NAME, graph, _form(graph), graph.dtype, _device.wanted(device)
    chosen = plan.make(*task, request, ledger=ledger)
    found: Results
    if len(chosen.devices) > 1 and chosen.method == "filter":
        found = merged_forest.solve(graph, maximum, chosen.devices, ledger, report)
    else:
        found = _solve(graph, maximum, chosen, ledger, report)
    return SpanningForest._chosen_from(graph, *found, maximum=maximum)


def _form(graph: Graph) -> Graph:
    """Return the graph whose edges are read, if that was made, else the graph itself."""
    known: tuple[Graph, Array] | None = graph._known("upper_triangle")
    return graph if known is None else known[0]


@falls_back_if_memory_lacks
def local_forest(
    graph: types.GraphLike,
    *,
    rows: tuple[int, int] | None = None,
    entries: Any | None = None,
    maximum: bool = False,
    weight: str | None = "weight",
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> SpanningForest:
    """Return the minimum spanning forest of some of a graph's entries.

    `merge_forests` of the forests of parts that together have all entries is the forest of the
    graph, so a graph can be cut over devices, machines or time in any way.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        As for `minimum_spanning_forest`; the whole graph.
    rows : (int, int), optional
        The part is the entries of the rows ``rows[0] .. rows[1] - 1``.
    entries : array_like, optional
        The part is these entries: a boolean mask of shape (n_edges,), or positions in the CSR
        arrays. Either this or `rows` must be given.
    maximum, weight, device, memory_limit, progress
        As for `minimum_spanning_forest`.

    Returns
    -------
    SpanningForest
        Over all vertices of the graph; ``edge_ids`` are positions in the arrays of the whole graph.

    Examples
    --------
    >>> import warpgraph as wg
    >>> wg.local_forest(wg.generators.grid(30, 30), rows=(0, 450)).n_trees
    421
    """
    maximum = validate.flag(maximum, "maximum")
    graph = as_graph(graph, weight)
    if (rows is None) == (entries is None):
        raise TypeError("the part of the graph must be given as either rows or entries")
    ledger = validate.ledger(memory_limit)
    report = validate.progress(progress, "local forest")
    part, position_of, taken = (
        parts.part_of_rows(graph, rows, ledger)
        if entries is None
        else parts.part_of_entries(graph, entries, ledger)
    )
    chosen = _plan_of_edges(device, part.n_edges, ledger)
    ledger.charge(taken)
    edges, weights, edge_ids = _solve(part, maximum, chosen, ledger, report)
    found = edges, weights, position_of(edge_ids)
    return SpanningForest._chosen_from(graph, *found, maximum=maximum)


@falls_back_if_memory_lacks
def merge_forests(
    *forests: SpanningForest,
    maximum: bool = False,
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> SpanningForest:
    """Return the minimum spanning forest of the edges of several forests.

    Parameters
    ----------
    *forests : SpanningForest
        Forests over the same vertices, of the same names if they have any, with weights of one
        dtype. Their ``edge_ids`` must be positions in the same graph, for ties to be broken as in
        that graph; or all None.
    maximum, device, memory_limit, progress
        As for `minimum_spanning_forest`; `maximum` as it was for the forests: another value
        is refused, except for forests that were constructed.

    Returns
    -------
    SpanningForest
        Exactly the forest of the union of the graphs of the forests, for any order of merging,
        since edges of equal weight rank by their smaller end and position. Without ``edge_ids``, by
        their smaller end and position in the list of all forests' edges.

    Examples
    --------
    >>> import warpgraph as wg
    >>> first = wg.SpanningForest(3, [[0, 1], [1, 2]], [4.0, 7.0])
    >>> wg.merge_forests(first, wg.SpanningForest(3, [[0, 2]], [5.0])).edges.tolist()
    [[0, 1], [0, 2]]
    """
    maximum = validate.flag(maximum, "maximum")
    if not forests:
        raise TypeError("merge_forests takes at least one forest")
    names = parts.check_together(forests)
    for forest in forests:
        refuse_other_kind(forest, maximum)
    ledger = validate.ledger(memory_limit)
    report = validate.progress(progress, "merging forests")
    chosen = _plan_of_edges(device, sum(map(len, forests)), ledger)
    return _merge(forests, names, maximum, chosen, ledger, report)


def _merge(
    forests: tuple[SpanningForest, ...],
    names: Array | None,
    maximum: bool,
    planned: _core.Plan,
    ledger: _core.Ledger,
    report: Any,
) -> SpanningForest:
    graph, ids_of = parts.graph_of_forests(forests, ledger)
    edges, weights, chosen = _solve(graph, maximum, planned, ledger, report)
    chosen_ids = None if ids_of is None else ids_of(chosen)
    positions = (forest.coordinates for forest in forests if forest.n_vertices == graph.n_vertices)
    coordinates = next((points for points in positions if points is not None), None)
    found = edges, weights, chosen_ids, names, coordinates, forests[0].weight_name
    return SpanningForest._found(graph.n_vertices, *found, maximum=maximum)


@falls_back_if_memory_lacks
def extend_forest(
    forest: SpanningForest,
    edges: types.ArrayLike,
    weights: types.ArrayLike,
    edge_ids: Any | None = None,
    *,
    maximum: bool = False,
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> SpanningForest:
    """Return the minimum spanning forest of a forest and further edges.

    The forest represents all edges that it was chosen from: those are not read again.

    Parameters
    ----------
    forest : SpanningForest
        The forest of the former edges.
    edges : array_like of int, shape (k, 2)
        The ends of each new edge, in either order; loops are ignored, cycles are no error.
    weights : array_like, shape (k,)
        Weight of each, in the dtype of the forest's weights.
    edge_ids : array_like of int, shape (k,), optional
        A number for each, other than those of the forest: to be given if the forest has them.
        Edges of equal weight rank by their smaller end, then by these; without them the forest's
        edges come first.
    maximum, device, memory_limit, progress
        As for `minimum_spanning_forest`; `maximum` as it was for the forest: another value
        is refused, except for a forest that was constructed.

    Returns
    -------
    SpanningForest
        The forest of the former and the new edges.

    Notes
    -----
    On CPU cores, with float64 weights and ids, 53 bytes for each edge of both are taken beside the
    arguments, 2.2 times what the edges take, where new edges are many times the vertices; 76 to 83
    bytes where they are as many, most of them for the search.

    Examples
    --------
    >>> import warpgraph as wg
    >>> path = wg.SpanningForest(3, [[0, 1], [1, 2]], [4.0, 7.0])
    >>> wg.extend_forest(path, [[0, 2]], [5.0]).edges.tolist()
    [[0, 1], [0, 2]]
    """
    if not isinstance(forest, SpanningForest):
        raise TypeError(f"forest must be a SpanningForest, got {type(forest).__name__}")
    weights = validate.unmasked(weights, "weights")
    if weights.size == 0:  # an empty list becomes an array of floats
        weights = weights.astype(forest.weights.dtype)
    maximum = validate.flag(maximum, "maximum")
    refuse_other_kind(forest, maximum)
    ledger = validate.ledger(memory_limit)
    edges = validate.unmasked(edges, "edges")
    n_edges = len(forest) + edges.size // 2
    planned = _plan_of_edges(device, n_edges, ledger)
    # An upper bound of the memory for checking the new edges.
    parts.require_edges(n_edges, forest.weights.dtype, ledger)
    # The new edges may have cycles; the constructor checks the rest.
    more = SpanningForest(forest.n_vertices, edges, weights, edge_ids)
    names = parts.check_together((forest, more))
    given = (more.edges, edges), (more.weights, weights), (more.edge_ids, edge_ids)
    ledger.charge(sum(a.nbytes for a, b in given if a is not None and a is not b))
    report = validate.progress(progress, "merging forests")
    return _merge((forest, more), names, maximum, planned, ledger, report)


def _plan_of_edges(device: Any, n_edges: int, ledger: _core.Ledger) -> _core.Plan:
    """Return the plan for edges that are no `Graph` of the caller."""
    helped = _device.beside_cpu(device)
    pair = None if helped is None else _device.Wanted("named", ["cpu", helped])
    wanted = pair or _device.one_wanted(device)
    facts = {"n_arcs": n_edges}
    planned = plan.make("forest_of_edges", None, None, np.dtype(float), wanted, known=facts)
    ledger.run_on([_device.fastest(planned.devices)])
    return planned


def _solve(
    graph: Graph, maximum: bool, planned: _core.Plan, ledger: _core.Ledger, report: Any
) -> Results:
    """Return edges, weights and edge ids."""
    device = _device.fastest(planned.devices)
    ledger.run_on([device])  # the limit is for the GPU if CPU threads help it
    upper, positions = graph._upper_triangle(ledger)
    found: Results
    if len(planned.devices) > 1:
        found = hybrid_forest.solve(upper, maximum, device, ledger, report)
    else:
        found = _solve_alone(graph, upper, maximum, planned, ledger, report)
    edges, weights, edge_ids = found
    return edges, weights, edge_ids if positions is None else parts.looked_up(positions, edge_ids)


def _solve_alone(
    graph: Graph,
    upper: Graph,
    maximum: bool,
    planned: _core.Plan,
    ledger: _core.Ledger,
    report: Any,
) -> Results:
    (device,) = planned.devices
    mirrored = graph._is_mirrored()
    is_sorted = mirrored and device == "cpu" and graph._has_sorted_rows(descending=maximum)

    def solve(method: str) -> Results:
        if method == "hybrid":  # edges that do not fit on the device stay in host memory
            if not ledger.is_limited:
                upper._drop_device_copies()  # frees the memory of a partial copy
            return hybrid_forest.solve(upper, maximum, device, ledger, report)
        return _core.minimum_spanning_forest(
            upper._handle,
            upper.dtype,
            device,
            report,
            method=method,
            maximum=maximum,
            mirrored=mirrored,
            sorted_rows=is_sorted,
            longest_row=0 if device == "cpu" else upper._longest_row(),
            ledger=ledger,
        )

    return plan.run(planned, solve)


def _solve_on_device(
    graph: Graph,
    maximum: bool,
    method: str,
    out: Any,
    device: Any,
    ledger: _core.Ledger,
    report: Any,
) -> int:
    """Write the edge ids to an array on a device; return their number."""
    if not foreign.is_on_device(out):
        raise TypeError(f"out must be an array on a CUDA device, got {type(out).__name__}")
    found, needed = foreign.layout_of(out).shape, max(graph.n_vertices - 1, 0)
    if len(found) != 1 or found[0] < needed:
        raise ValueError(
            f"out must have one dimension and at least {needed} items, got shape {found}"
        )
    outputs.on_device(out, found, np.dtype(np.int64))
    request: dict[str, Any] = {"method": method, "maximum": maximum}
    there = _device.Wanted("named", [_device.resolve_for(out, device)])
    planned = plan.make(_NAME, graph, _form(graph), graph.dtype, there, request)
    upper, positions = graph._upper_triangle()
    return _core.minimum_spanning_forest_on_device(
        upper._handle,
        upper.dtype,
        out,
        np.empty(0, np.int64) if positions is None else positions,
        planned.devices[0],
        report,
        method=planned.method,
        maximum=maximum,
        mirrored=graph._is_mirrored(),
        longest_row=upper._longest_row(),
        ledger=ledger,
    )
