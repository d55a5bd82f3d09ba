"""wg.apsp."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from warpgraph import (
    _bfs,
    _core,
    _device,
    _hierarchy,
    _many_to_many,
    _memory,
    _outputs,
    _sssp,
    _validate,
)
from warpgraph._auto_device import falls_back_if_memory_lacks
from warpgraph._graph import Graph, as_graph
from warpgraph._names_in_errors import errors_by_name
from warpgraph._new_array import new_array

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from warpgraph import _types

logger = logging.getLogger("warpgraph")

Array = npt.NDArray[Any]

#: How `apsp` may find the distances.
METHODS = ("auto", "floyd_warshall", "floyd_warshall_naive", "many_to_many")

#: Smallest number of vertices for which n^3 steps repay a GPU; a core takes a millisecond there.
_WORTH_A_GPU = 384

# Rates that "auto" estimates with, measured on an EPYC of 2024 and an H200 (except its 64-bit
# integers). A factor of two matters little, since n^3 and n searches soon differ by more.

#: Relaxations per second of floyd_warshall, for a core and for a GPU, by the type of the sums.
_RATES_OF_A_CORE = {"uint16": 150e9, "int32": 80e9, "int64": 45e9, "float32": 80e9, "float64": 35e9}
_RATES_OF_A_GPU = {
    "uint16": 2.5e13,
    "int32": 1.3e13,
    "int64": 2e12,
    "float32": 1.3e13,
    "float64": 4e12,
}

#: Seconds of a search on one core per reached vertex and per edge, and the largest number of edges
#: per vertex that count; most further edges are too heavy to matter.
_SEARCH = (25e-9, 8e-9)
_EDGES_THAT_MATTER = 16
_SEARCH_OF_FURTHER_EDGES = 2e-9
#: The same, per vertex or edge, where neighbouring sources reach the vertices in the same order: on
#: roads, where they are close, and around hubs, where all paths meet. Also for a sweep over a
#: hierarchy.
_SEARCH_TOGETHER = 2.5e-9
_SWEEP = 0.6e-9
#: The same for a whole GPU with one heap per warp.
_SEARCH_ON_A_GPU = 1e-10

#: Number of searches that count the vertices reached and the hops to them.
_SAMPLES = 8
#: Pivots whose rows a GPU sends to the others at a time.
_PIVOTS_OF_A_ROUND = 512
#: Graphs with more hops than this multiple of log2(n) are taken for roads and grids.
_HOPS_OF_ROADS = 3
#: A vertex with this multiple of the mean number of edges is a hub.
_EDGES_OF_HUBS = 16


@overload
def apsp(
    graph: Any,
    *,
    return_predecessors: Literal[False] = False,
    out: npt.NDArray[_types.Kind] | None = None,
    **options: Unpack[_types.ApspOptions[_types.Kind]],
) -> npt.NDArray[_types.Kind]: ...
@overload
def apsp(
    graph: Any,
    *,
    return_predecessors: Literal[True],
    out: npt.NDArray[_types.Kind] | None = None,
    **options: Unpack[_types.ApspOptions[_types.Kind]],
) -> tuple[npt.NDArray[_types.Kind], _types.Int32Array]: ...
@overload
def apsp(
    graph: Any,
    *,
    return_predecessors: bool,
    out: npt.NDArray[_types.Kind] | None = None,
    **options: Unpack[_types.ApspOptions[_types.Kind]],
) -> npt.NDArray[_types.Kind] | tuple[npt.NDArray[_types.Kind], _types.Int32Array]: ...
@overload
def apsp(
    graph: Any,
    *,
    return_predecessors: Literal[False] = False,
    out: _types.OnDevice,
    **options: Unpack[_types.ApspOptions[Any]],
) -> _types.OnDevice: ...
@overload
def apsp(
    graph: Any,
    *,
    return_predecessors: Literal[True],
    out: _types.OnDevice,
    **options: Unpack[_types.ApspOptions[Any]],
) -> tuple[_types.OnDevice, _types.Int32Array]: ...
@errors_by_name
@falls_back_if_memory_lacks
def apsp(
    graph: Any,
    *,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: str = "auto",
    return_predecessors: bool = False,
    dtype: Any = None,
    out: Any = None,
    progress: _validate.ProgressLike = None,
    memory_limit: int | None = None,
    device: Any = "auto",
) -> Any:
    """Return the distances of shortest paths from every vertex to every other.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        Entry (i, j) is the edge i -> j. Stored zeros are edges of weight zero, of parallel edges
        the lightest counts, a weight of inf is an edge that is never used.
    directed : bool
        False: edges have no direction; of (i, j) and (j, i) the lighter counts.
    unweighted : bool
        True: every stored entry weighs 1.
    weight : str or None
        Of a NetworkX graph: the attribute that has the weights, as for `Graph`.
    method : {"auto", "floyd_warshall", "floyd_warshall_naive", "many_to_many"}
        How to find them. "floyd_warshall" works on square tiles of the matrix [1]_ [2]_, on all
        cores or on a GPU, for any number of edges; negative weights are allowed.
        "floyd_warshall_naive" is the plain loop, on one core, or with a launch for each vertex on a
        GPU. "many_to_many" searches from every vertex, see there. "auto" estimates the time of the
        first and the last of these, chooses the faster one and logs the choice. Where their
        distances may differ in the last bits, the choice depends on the graph alone.
    return_predecessors : bool
        Return the trees of shortest paths, too.
    dtype : {"float32", "float64", "int32", "int64"}, optional
        Type of the distances. By default float32 for float32 weights, otherwise float64.
    out : ndarray, or array on a CUDA device, optional
        Where to write the distances: a matrix whose rows are contiguous. A `numpy.memmap` may be
        larger than the memory. Into a C-contiguous array of CuPy, or any other object with
        ``__cuda_array_interface__``, they are written on its device, where the work must be done;
        ``device="auto"`` then means that device. Predecessors are always on the host. After an
        error or Ctrl-C, `out` may hold anything, and nothing is written to it any more.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)`` that is called with the progress.
    memory_limit : int, optional
        Bytes that the work and the arrays that it returns may take, `out` apart; by default, all
        free memory. On a GPU, a matrix that does not fit passes through it in pieces.
    device : str or list of str
        Where to run; see `warpgraph.devices`. With several devices, as ``["cuda:0", "cuda:1"]``,
        searches are divided as by `many_to_many`, and Floyd and Warshall's method gives each GPU a
        range of rows; a matrix beyond the memory of all passes through them in pieces. CPUs of a
        list beside GPUs take no rows. ``"cuda:all"`` has as many GPUs as are expected to take the
        least time. `memory_limit` is for each device.

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
        A negative weight where the method does not allow it.
    OverflowError
        A weight or a distance does not fit `dtype`, whose largest integer is no number but means
        "unreachable" (see `Graph`); float distances beyond it are inf instead.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not here.

    See Also
    --------
    many_to_many : Distances from some vertices, to all or to some.
    reconstruct_path : The vertices of a path.

    Notes
    -----
    Floyd and Warshall's method takes n**3 relaxations and n**2 distances in memory, n being the
    number of vertices; searches take time n * (m + n log n) for m edges at most.

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
    directed = _validate.flag(directed, "directed")
    unweighted = _validate.flag(unweighted, "unweighted")
    return_predecessors = _validate.flag(return_predecessors, "return_predecessors")
    graph = as_graph(graph, weight, reads_weights=not unweighted)
    n = graph.n_vertices
    kind = _validate.distance_dtype(dtype, graph.dtype)
    on_device = _outputs.is_device_array(out)
    if on_device:
        _outputs.on_device(out, (n, n), kind)
    elif out is not None:
        _outputs.on_host(out, (n, n), kind, rows_apart=True)
        _outputs.refuse_overlap_with_graph(out, graph)
    budget = _validate.memory_limit(memory_limit)
    report = _validate.progress(progress, "shortest paths")
    _validate.choice(method, METHODS, "method")
    divides = method != "floyd_warshall_naive"
    devices = _device.resolve_all_for(out, device, work=n, worthwhile=_WORTH_A_GPU, divides=divides)
    where = _device.fastest(devices)
    distances, left = _result(n, kind, out, return_predecessors, budget)
    if not directed:
        graph, left = _memory.undirected(graph, left, where)
    negative = None if unweighted else graph.first_negative()
    if negative is not None:
        _sssp.refuse_minus_infinity(graph)
    if method == "auto":
        search_on = "cpu" if device == "auto" else where
        known, limit = _memory.counted(graph, left, where), left if where == "cpu" else 0
        method = _choose_method(
            graph, unweighted, negative is not None, kind, where, search_on, limit
        )
        left = _memory.left_of(left, graph, known, where)
        if len(devices) == 1 and method == "many_to_many":
            devices = [search_on]

    if method == "many_to_many":
        return _many_to_many.many_to_many(
            graph.unnamed(),
            np.arange(n),
            unweighted=unweighted,
            return_predecessors=return_predecessors,
            dtype=kind,
            out=distances,
            progress=progress,
            memory_limit=left or None,
            device=devices,
        )
    handle, left = _memory.handle_for(graph, None if unweighted else kind, left, where)
    predecessors = new_array((n, n) if return_predecessors else (0,), np.int32)
    arrays = (handle, distances, predecessors)
    options: dict[str, Any] = {"negative_weights": negative is not None, "memory_limit": left}
    owners = _owners_of_rows(method, devices, device, graph, unweighted, kind)
    where = owners[0]
    rest = (out is None, unweighted)
    if n == 0:
        done = True
    elif len(owners) > 1:
        done = _core.apsp_on_several(*arrays[:2], *rest, owners, report, **options)
    else:
        done = _core.apsp(*arrays, *rest, where, report, method=method, **options)
    if not return_predecessors:
        return distances
    if not done:
        every = np.arange(n, dtype=np.int32)
        _core.recover_trees(*arrays, every, unweighted, where, sums="in_any_order", **options)
    return distances, predecessors


def _owners_of_rows(
    method: str,
    devices: list[str],
    device: Any,
    graph: Graph,
    unweighted: bool,
    dtype: np.dtype[Any],
) -> list[str]:
    """Return the devices that divide the rows of Floyd and Warshall's method."""
    if len(devices) > 1 and method == "floyd_warshall_naive":
        raise _core.DeviceError(
            f"method={method!r} runs on one device at a time, got the list {devices}; pass one "
            "device, or another method"
        )
    gpus = [name for name in devices if name != "cpu"]
    if gpus and len(gpus) < len(devices):
        logger.info("floyd_warshall gives rows to the GPUs of the list only: %s", ", ".join(gpus))
    owners = gpus or devices
    if len(owners) == 1 or not _device.is_all(device):
        return owners
    n = graph.n_vertices
    sums = _core.sums_of_apsp(graph.handle, unweighted, graph.dtype, dtype)[0]
    depth = _PIVOTS_OF_A_ROUND
    rounds = _device.Rounds(depth * float(n) ** 2 / _RATES_OF_A_GPU[sums], 4.0 * depth * n)
    size = n * n * dtype.itemsize
    return _device.resolve_all(device, bytes_on_one=size, rounds=lambda: rounds)


def _result(n: int, dtype: np.dtype[Any], out: Any, trees: bool, limit: int) -> tuple[Any, int]:
    """Return the array of distances, and the rest of the memory limit (0: no limit)."""
    new = 0 if out is not None else n * n * dtype.itemsize
    needed = new + 4 * n * n * trees
    advice = "pass out= a numpy.memmap, ask for a narrower dtype or for fewer sources: many_to_many"
    if trees:
        advice = "leave out the predecessors, or ask for fewer sources: many_to_many"
    _validate.require_memory("the result of apsp", needed, "cpu", limit, advice)
    distances = new_array((n, n), dtype) if out is None else out
    return distances, _validate.left_of_limit(limit, needed)


def _choose_method(
    graph: Graph,
    unweighted: bool,
    negative: bool,
    dtype: np.dtype[Any],
    where: str,
    search_on: str,
    memory_limit: int,
) -> str:
    """Return the method with the smaller estimated time."""
    if negative:
        logger.info("method='auto' chose floyd_warshall, which takes negative weights")
        return "floyd_warshall"
    sums, exact = _core.sums_of_apsp(graph.handle, unweighted, graph.dtype, dtype)
    if not exact:
        # The methods round differently. The choice depends on the graph alone, so that results are
        # the same bits everywhere. The number of cores is left out: both methods gain equally by
        # it.
        where = search_on = "cpu"
    cubic = _seconds_of_floyd_warshall(graph.n_vertices, sums, where)
    together, apart = _seconds_of_searches(graph, unweighted, dtype, search_on, memory_limit)
    searching = apart
    if together < cubic <= apart:
        # The estimate needs the graph's shape, which a few searches measure.
        reach, alike = _shape(graph)
        searching = reach * (together if alike else apart)
    method = "many_to_many" if searching < cubic else "floyd_warshall"
    logger.info(
        "method='auto' chose %s for %d vertices and %d edges: floyd_warshall takes about %.2g s on "
        "%s with sums in %s, and searches from every vertex about %.2g s on %s",
        method,
        graph.n_vertices,
        graph.n_edges,
        cubic,
        "a core" if where == "cpu" else where,
        sums,
        searching,
        "a core" if search_on == "cpu" else search_on,
    )
    return method


def _seconds_of_floyd_warshall(n: int, sums: str, where: str) -> float:
    """Return the estimated seconds on one core, or on a GPU."""
    rates = _RATES_OF_A_CORE if where == "cpu" else _RATES_OF_A_GPU
    return float(n) ** 3 / rates[sums]


def _seconds_of_searches(
    graph: Graph, unweighted: bool, dtype: np.dtype[Any], where: str, memory_limit: int
) -> tuple[float, float]:
    """Return the seconds on a core, or a GPU, if sources reach vertices in like order and if not.

    All vertices are taken to be reached.
    """
    n, m = graph.n_vertices, graph.n_edges
    if where != "cpu":
        return (_SEARCH_ON_A_GPU * n * (n + m),) * 2
    few = min(m, _EDGES_THAT_MATTER * n)
    apart = n * (_SEARCH[0] * n + _SEARCH[1] * few + _SEARCH_OF_FURTHER_EDGES * (m - few))
    together = _SEARCH_TOGETHER * n * (n + m)
    how: dict[str, Any] = {"on_gpu": False, "memory_limit": memory_limit}
    if _hierarchy.may_gain(graph, unweighted, dtype, n, **how):
        prepares = _SEARCH_TOGETHER * _hierarchy.sources_worth_preparing(graph, on_gpu=False)
        sweeps = _SWEEP * n + prepares
        together = min(together, sweeps * (n + m))
    return min(together, apart), apart


def _shape(graph: Graph) -> tuple[float, bool]:
    """Return the share of vertices that a source reaches, and whether the order is alike."""
    n = graph.n_vertices
    degrees = np.diff(graph.indptr)
    hub = int(np.argmax(degrees))
    sources = [*np.linspace(0, n - 1, _SAMPLES).astype(int).tolist(), hub]
    hops = np.array([_bfs.bfs(graph.unnamed(), source, device="cpu") for source in sources])
    is_road = int(hops.max()) > _HOPS_OF_ROADS * math.log2(n)
    has_hub = int(degrees[hub]) * n > _EDGES_OF_HUBS * graph.n_edges
    return float((hops >= 0).mean()), is_road or has_hub
