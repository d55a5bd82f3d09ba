"""wg.apsp."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, foreign, outputs, validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._arguments.new_array import new_arrays
from warpgraph._graph import plan, rounding
from warpgraph._graph.graph import as_graph
from warpgraph._graph.named_errors import errors_by_name
from warpgraph._graph.plan import planned
from warpgraph._paths import hierarchy, many_to_many_search, sssp

if TYPE_CHECKING:
    from warpgraph._arguments import types

logger = logging.getLogger("warpgraph")

Array = npt.NDArray[Any]

#: Methods by which `apsp` finds the distances.
METHODS = ("auto", "floyd_warshall", "floyd_warshall_naive", "many_to_many")


@planned("apsp")
@errors_by_name
@falls_back_if_memory_lacks
def apsp(
    graph: types.GraphLike,
    *,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: types.AllPairsMethod = "auto",
    return_predecessors: bool = False,
    dtype: types.DType[Any] | None = None,
    out: types.OutLike | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.ArrayOrTuple:
    """Return the distances of shortest paths from every vertex to every other.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        Entry (i, j) is the edge i -> j. Stored zeros are edges of weight zero, of parallel edges
        the lightest counts, a weight of inf is an edge that is never used.
    directed : bool
        False: edges have no direction; of (i, j) and (j, i) the lighter counts.
    unweighted : bool
        True: every edge weighs 1.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    method : {"auto", "floyd_warshall", "floyd_warshall_naive", "many_to_many"}
        How to find them. "floyd_warshall" works on square tiles of the matrix [1]_ [2]_, on all
        cores or on a GPU, for any number of edges. All methods take negative weights.
        "floyd_warshall_naive" is the plain loop, on one core, or with a launch for each vertex on a
        GPU. "many_to_many" searches from every vertex, see there. "auto" is the first of these if a
        weight is negative, else the first or the last, whichever is estimated to be faster, and
        logs the choice. Where their
        distances may differ in the last bits, the choice depends on the graph alone; where not, it
        searches if "floyd_warshall" lacks memory on cores.
    return_predecessors : bool
        Return predecessors, too.
    dtype : {"float32", "float64", "int32", "int64"}, optional
        Type of distances. By default float32 for float32 weights, else float64; int64 is exact.
    out : ndarray, or array on a CUDA device, optional
        Where to write the distances, on the host or on the GPU that computes. The rows of the
        matrix are contiguous, and on a GPU the whole matrix. A `numpy.memmap` may be larger than
        the memory. Predecessors are always on the host. After an error or Ctrl-C, `out` may hold
        anything, and nothing is written to it any more.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.
    memory_limit : int, float or str, optional
        Bytes for work and results, or a size such as "2GB"; by default, all free memory. `out` does
        not count. On a GPU, a matrix that does not fit passes through it in pieces.
    device : str or list of str
        Where to run; see `warpgraph.devices`. Several devices share the sources or, by Floyd and
        Warshall's method, several GPUs the rows.

    Returns
    -------
    distances : ndarray, shape (n_vertices, n_vertices)
        Entry (i, j) is the length of a shortest path from i to j; unreachable is inf, or the
        largest integer of an integer dtype. It is `out` if that was given.
    predecessors : ndarray of int32, shape (n_vertices, n_vertices)
        Only if `return_predecessors`: entry (i, j) is the vertex before j on a shortest path from
        i, -1 for i itself and the unreachable. ``reconstruct_path(predecessors[i], i, j)`` lists
        the path.

    Raises
    ------
    NegativeCycleError
        There is a cycle of negative weight, so there are no shortest paths. Its attribute
        ``vertex`` is a vertex of the cycle.
    ValueError
        A weight of -inf, an unknown method, or an `out` of another shape or that shares memory with
        the graph.
    OverflowError
        A weight or a distance does not fit `dtype`, whose largest integer is no number but means
        "unreachable" (see `Graph`). Float distances that are too large for `dtype` are inf, without
        an error.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not here, or is a list of several for "floyd_warshall_naive".

    See Also
    --------
    many_to_many : Distances from some vertices, to all or to some.
    reconstruct_path : The vertices of a path.

    Notes
    -----
    Floyd and Warshall's method takes n**3 relaxations for n vertices, and the matrix of n**2
    distances is the memory that it needs; searches take time n * (m + n log n) for m edges at most.

    If all weights are integers, distances are exact, for every method and dtype, as long as
    the dtype holds all integers up to them: 2**24 for float32 and 2**53 for float64. Sums are then
    made of the narrowest integers that are proven to hold them. Otherwise floyd_warshall adds in
    another order than along the path, and rounds up to n - 1 times: with weights that are not
    negative, every distance is within n - 1 rounding units (2**-24 of itself for float32, 2**-53
    for float64) of the exact one; with negative weights, n - 1 units of the largest distance on the
    path. That order is fixed by the number of vertices alone, so that results are the same bits on
    every device and number of threads; floyd_warshall_naive and many_to_many add in other orders. A
    cycle whose weight is zero, but rounded to less, is a negative one.

    Predecessors are found afterwards, from the distances and the edges. Where these are exact, they
    are those of `sssp`. Otherwise the predecessor of j is the vertex k, nearer to i than j, with
    the least rounded sum of k's distance and the edge to j, the smallest if there are several, if
    that sum is the distance of j within 2 n rounding units. Vertices that have none (the edge
    vanishes in rounding, or weights are negative), and those whose path would lead over one of
    these, are joined to the tree over edges of least excess. So the rows are trees and hold every
    vertex that is reached, and as long as no distance comes near the largest number of its dtype,
    an edge of a tree exceeds the difference of the distances at its ends by a few n rounding units
    at most.

    References
    ----------
    .. [1] Floyd, "Algorithm 97: shortest path", CACM 5, 1962; Warshall, "A theorem on Boolean
       matrices", JACM 9, 1962.
    .. [2] Venkataraman, Sahni and Mukhopadhyaya, "A blocked all-pairs shortest-paths algorithm",
       J. Exp. Algorithmics 8, 2003.

    Examples
    --------
    >>> graph = wg.generators.grid(20, 30, seed=0)
    >>> distances, predecessors = wg.apsp(graph, return_predecessors=True)
    >>> distances.shape
    (600, 600)
    >>> path = wg.reconstruct_path(predecessors[7], 7, 599)
    >>> (int(path[0]), int(path[-1]))
    (7, 599)
    """
    directed = validate.flag(directed, "directed")
    unweighted = validate.flag(unweighted, "unweighted")
    return_predecessors = validate.flag(return_predecessors, "return_predecessors")
    graph = as_graph(graph, weight, reads_weights=not unweighted)
    n = graph.n_vertices
    kind = validate.distance_dtype(dtype, graph.dtype)
    on_device = foreign.is_on_device(out)
    if on_device:
        outputs.on_device(out, (n, n), kind)
    elif out is not None:
        outputs.on_host(out, (n, n), kind, rows_apart=True)
        outputs.refuse_overlap_with_graph(out, graph)
    ledger = validate.ledger(memory_limit)
    report = validate.progress(progress, "shortest paths")
    validate.choice(method, METHODS, "method")
    wanted = _device.wanted(device, out)
    distances, predecessors = _results(n, kind, out, return_predecessors, ledger)
    request: dict[str, Any] = {"method": method, "unweighted": unweighted}
    request |= {"is_directed": directed, "wants_predecessors": return_predecessors}
    request |= {"results_on_device": on_device, "is_empty": n == 0}
    given = graph
    if not unweighted and graph._first_negative() is not None:
        sssp.refuse_minus_infinity(graph)
    if ledger.is_limited or not directed:
        form = graph if directed else graph._known_undirected()
        known = hierarchy.facts(graph if form is None else form, unweighted, ledger)
        first = "apsp", graph, form, kind, wanted, request, known
        wanted = plan.devices_first(*first, ledger=plan.only_planned(ledger))
        ledger.run_on([_device.fastest(wanted.named)])
        if not directed:
            graph = graph._undirected(ledger)
    known = hierarchy.facts(graph, unweighted, ledger)
    task = "apsp", given, graph, kind
    chosen = plan.make(*task, wanted, request, known, ledger=ledger)

    def fill(method: str) -> None:
        if method != "many_to_many":
            handle = graph._handle_for(None if unweighted else kind, ledger)
            options: dict[str, Any] = {"unweighted": unweighted, "fresh": out is None}
            options |= {"negative_weights": chosen.has_negative, "ledger": ledger}
            options["progress"] = report
            _floyd_warshall(n, handle, distances, predecessors, chosen, **options)
            return
        planned = chosen
        if method != chosen.method:  # memory lacks, so that searches may take less, too
            there = _device.Wanted("named", chosen.devices)
            planned = plan.make(*task, there, request | {"method": method}, known, ledger=ledger)
        from_all = many_to_many_search.Call(
            graph=graph._unnamed(),
            unweighted=unweighted,
            dtype=kind,
            sources=np.arange(n, dtype=np.int32),
            distances=distances,
            predecessors=predecessors,
            limit=validate.infinity(kind),
        )
        how = planned.search, planned.devices, ledger, report, planned.ways
        many_to_many_search.fill(from_all, *how)

    plan.run(chosen, fill)
    rounding.warn_of_distances(graph, dtype, unweighted, distances)
    return (distances, predecessors) if return_predecessors else distances


def _floyd_warshall(
    n: int,
    handle: _core.Graph,
    distances: Any,
    predecessors: Array,
    chosen: _core.Plan,
    *,
    fresh: bool,
    unweighted: bool,
    progress: Any,
    **options: Any,
) -> None:
    """Write the distances, and the predecessors unless that array is empty."""
    arrays, how = (handle, distances, predecessors), (fresh, unweighted)
    if n == 0:
        return
    owners = chosen.devices
    if len(owners) > 1:
        done = _core.apsp_on_several(*arrays[:2], *how, owners, progress, **options)
    else:
        done = _core.apsp(*arrays, *how, owners[0], progress, method=chosen.method, **options)
    if predecessors.size and not done:
        every = np.arange(n, dtype=np.int32)
        _core.recover_trees(*arrays, every, unweighted, owners[0], sums="in_any_order", **options)


def arrays_of_result(
    n: int, dtype: np.dtype[Any], trees: bool
) -> list[tuple[tuple[int, int], np.dtype[Any]]]:
    """Return the shapes and dtypes of the predecessors and the distances of n vertices."""
    return [((n * trees, n), np.dtype(np.int32)), ((n, n), dtype)]


def _results(
    n: int, dtype: np.dtype[Any], out: Any, trees: bool, ledger: _core.Ledger
) -> tuple[Any, Array]:
    """Return the arrays of distances and predecessors."""
    advice = "pass out= a numpy.memmap, ask for a narrower dtype or for fewer sources: many_to_many"
    if trees:
        advice = "leave out the predecessors, or ask for fewer sources: many_to_many"
    wanted = arrays_of_result(n, dtype, trees)[: 1 + (out is None)]
    predecessors, *made = new_arrays(ledger, "the result of apsp", advice, *wanted)
    return made[0] if made else out, predecessors
