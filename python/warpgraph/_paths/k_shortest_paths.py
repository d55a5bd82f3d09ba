"""wg.k_shortest_paths."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph._arguments.auto_device import WatchedProgress, is_of_progress
from warpgraph._graph import rounding
from warpgraph._graph.graph import Graph, as_graph
from warpgraph._graph.named_errors import errors_by_name
from warpgraph._paths import sssp

if TYPE_CHECKING:
    from warpgraph._arguments import types


@errors_by_name
def k_shortest_paths(
    graph: types.GraphLike,
    source: Hashable,
    target: Hashable,
    k: int,
    *,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    dtype: types.DType[types.Kind] | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> tuple[npt.NDArray[types.Kind], list[npt.NDArray[Any]]]:
    """Return the shortest paths between two vertices that visit no vertex twice.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        Entry (i, j) is the edge i -> j. Stored zeros are edges of weight zero, of parallel edges
        the lightest counts, a weight of inf is an edge that is never used. Weights may be negative.
    source, target : int, or names of vertices
        The ends of the paths: their names if the graph has names, see `Graph`, else numbers.
    k : int
        How many paths to return at most.
    directed : bool
        False: edges have no direction; of (i, j) and (j, i) the lighter counts.
    unweighted : bool
        True: every edge weighs 1.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    dtype : {"float32", "float64", "int32", "int64"}, optional
        Type of distances. By default float32 for float32 weights, else float64; int64 is exact.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``; counts paths that were found. The
        total is `k`; at the end, paths that do not exist count as well.
    memory_limit : int, float or str, optional
        Bytes that the call may take, or a size such as "2GB"; by default, all free memory.
    device : str
        "auto" or "cpu": runs on the CPU only.

    Returns
    -------
    lengths : ndarray, shape (n_paths,)
        In ascending order. There are fewer than `k` if there are no more paths.
    paths : list of ndarray of int32, each of shape (n_vertices_of_path,)
        The vertices ``source, ..., target`` of each path; their names, ndarrays of object, if the
        graph has names. Of paths of equal length, those of fewer edges are first, then those whose
        first different vertex has the smaller number. If `source` is `target`, the only path is
        this vertex.

    Raises
    ------
    NegativeCycleError
        A cycle of negative weight leads to `target`, whether or not `source` reaches it. Its
        attribute ``vertex`` is a vertex of it.
    ValueError
        `source` or `target` is not a vertex, or `k` is less than 1.
    OverflowError
        A weight does not fit `dtype`, or one of the `k` shortest paths has a length that does not.
        With int64, also if the distance from any other vertex to `target` does not.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not the CPU.

    See Also
    --------
    sssp : Distances from a vertex, and one shortest path to each.

    Notes
    -----
    Yen's algorithm [1]_ with Lawler's improvement [2]_. A search from `target` against the edges,
    as by `sssp`, gives a lower bound for all paths that follow a path found before up to one of its
    vertices and then leave it. Only the set of paths with the least bound is searched: by A* [3]_,
    or by following the tree of the first search, if that meets no vertex twice. So there are about
    as many searches as paths, of which each visits few vertices, where Yen's algorithm makes a full
    search for every vertex of every path.

    The search from `target` may use several threads, the others use one. Results depend on the
    graph alone, not on the number of threads. Where sums of floats are
    rounded, a path may be left out for one that is longer by some rounding units.

    References
    ----------
    .. [1] Yen, "Finding the k shortest loopless paths in a network", Management Science 17, 1971.
    .. [2] Lawler, "A procedure for computing the k best solutions to discrete optimization problems
       and its application to the shortest path problem", Management Science 18, 1972.
    .. [3] Hart, Nilsson and Raphael, "A formal basis for the heuristic determination of minimum
       cost paths", IEEE Trans. Systems Science and Cybernetics 4, 1968.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> roads = np.array([[0, 1, 2, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]])
    >>> lengths, paths = wg.k_shortest_paths(roads, 0, 3, 5)
    >>> lengths
    array([2., 3.])
    >>> [path.tolist() for path in paths]
    [[0, 1, 3], [0, 2, 3]]
    """
    directed = validate.flag(directed, "directed")
    unweighted = validate.flag(unweighted, "unweighted")
    graph = as_graph(graph, weight, reads_weights=not unweighted)
    start, end = graph._find_vertex(source, "source"), graph._find_vertex(target, "target")
    names = graph._named_vertices
    most = min(validate.positive(k, "k"), 2**63 - 1)  # no graph has more paths that fit in memory
    kind = validate.distance_dtype(dtype, graph.dtype)
    ledger = validate.ledger(memory_limit)
    report = validate.progress(progress, "paths")
    report = None if report is None else _RisingProgress(report)
    _device.require_cpu(device, "k_shortest_paths")
    if not directed:
        graph = graph._undirected(ledger)
    backward = graph._transposed(ledger) if directed else graph
    of_type = functools.partial(
        _enumerate,
        graph,
        backward,
        {"source": start, "target": end, "k": most},
        unweighted=unweighted,
        ledger=ledger,
        report=report,
    )
    # Before the try: a weight that does not fit is an error, and no reason to add in int64.
    graph._handle_for(None if unweighted else kind, ledger)
    try:
        found, starts, vertices = of_type(kind)
    except OverflowError as error:
        if kind != np.int32 or is_of_progress(error):
            raise
        # In int64 all lengths of paths fit, and tell which of them do not fit int32.
        found, starts, vertices = of_type(np.dtype(np.int64))
        found = _as_int32(found, most)
    rounding.warn_of_distances(graph, dtype, unweighted, found)
    if report is not None:
        report(most, most)  # there may be fewer paths
    paths = [names(vertices[first:last]) for first, last in itertools.pairwise(starts.tolist())]
    return found, paths


class _RisingProgress(WatchedProgress):
    """Leaves out what was reported before, as by a search in int32 that is repeated in int64."""

    def __init__(self, report: Callable[[int, int], Any]) -> None:
        super().__init__(report)
        self._done = 0

    def __call__(self, done: int, total: int) -> Any:
        if done <= self._done:
            return None
        self._done = done
        return super().__call__(done, total)


def _enumerate(
    graph: Graph,
    backward: Graph,
    ends: dict[str, int],
    kind: np.dtype[Any],
    *,
    unweighted: bool,
    ledger: _core.Ledger,
    report: Any,
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return lengths, the start of each path and the end of the last, and vertices."""
    lengths = None if unweighted else kind
    handle = graph._handle_for(lengths, ledger)
    backward_handle = backward._handle_for(lengths, ledger)
    to_target = _distances_to(backward, ends["target"], unweighted, kind, ledger)
    # A copy of the ledger, since the distances are freed before another dtype is tried.
    meanwhile = ledger.on_host()
    meanwhile.charge(to_target.nbytes)
    return _core.k_shortest_paths(
        handle, backward_handle, to_target, unweighted, report, ledger=meanwhile, **ends
    )


def _as_int32(lengths: npt.NDArray[np.int64], k: int) -> npt.NDArray[np.int32]:
    range32 = np.iinfo(np.int32)
    n_fit = int(np.count_nonzero((lengths >= range32.min) & (lengths < range32.max)))
    if n_fit < len(lengths):
        raise OverflowError(
            f"only {n_fit} of {k} paths have lengths that fit the type of the lengths; "
            "ask for a wider dtype"
        )
    return lengths.astype(np.int32)


def _distances_to(
    backward: Graph, target: int, unweighted: bool, dtype: np.dtype[Any], ledger: _core.Ledger
) -> npt.NDArray[Any]:
    how: dict[str, Any] = {"unweighted": unweighted, "dtype": dtype, "memory_limit": ledger}
    try:
        distances: npt.NDArray[Any] = sssp.sssp(backward._unnamed(), target, device="cpu", **how)
    except OverflowError:  # it names an edge of the reversed graph
        raise OverflowError(
            f"the length of a path to vertex {backward._shown(target)} is beyond the range of "
            f"{dtype}; ask for a wider dtype"
        ) from None
    return distances
