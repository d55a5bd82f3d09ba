"""wg.nearest_facilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsFloat

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks, is_of_progress
from warpgraph._arguments.new_array import new_arrays
from warpgraph._graph import rounding
from warpgraph._graph.graph import as_graph
from warpgraph._graph.methods.vertices import some_vertices
from warpgraph._graph.named_errors import errors_by_name
from warpgraph._graph.plan import planned
from warpgraph._reach import searches

if TYPE_CHECKING:
    from warpgraph._arguments import types

_MOST_PLACES = 2**31 - 1


@planned("nearest_facilities")
@falls_back_if_memory_lacks
@errors_by_name
def nearest_facilities(
    graph: types.GraphLike,
    facilities: types.Vertices,
    k: int = 1,
    *,
    limit: SupportsFloat = np.inf,
    to_facilities: bool = True,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    dtype: types.DType[types.Kind] | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> tuple[npt.NDArray[types.Kind], types.Int32Array]:
    """Return the k nearest of some vertices, the facilities, for each vertex.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        As for `within`. No weight may be negative.
    facilities : sequence of int or names
        Vertices with a facility: names if the graph has names, see `Graph`, else numbers. Repeated
        ones count once.
    k : int
        How many facilities to find for each vertex.
    limit : float
        Vertices farther than this count as unreachable; a distance equal to it is kept.
    to_facilities : bool
        Whether paths lead from a vertex to its facilities, or, if False, from these to the vertex.
        Without directions both are the same.
    directed : bool
        False: edges have no direction; of (i, j) and (j, i) the lighter counts.
    unweighted : bool
        True: every edge weighs 1.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    dtype : {"float32", "float64", "int32", "int64"}, optional
        Type of distances. By default float32 for float32 weights, else float64; int64 is exact.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``; counts distances that were found.
    memory_limit : int, float or str, optional
        Bytes for work and results, or a size such as "2GB"; by default, all free memory.
    device : str
        Where to run; see `warpgraph.devices`. "auto": on the first GPU if `k` times the edges are a
        million or more, otherwise on a core. A list names one device.

    Returns
    -------
    distances : ndarray, shape (n_vertices, k)
        Those of the nearest facilities, in ascending order, the same bits as from `sssp`: sums
        along the path from the facility on. Where there are fewer than `k`, inf, or the largest
        integer of an integer dtype.
    nearest : ndarray of int32, shape (n_vertices, k)
        The vertices that these facilities are; -1 where there are fewer. Facilities at the same
        distance are in ascending order, and the smaller are kept. Where sums of floats differ
        before they are rounded to the same number, those that were nearer are kept.

    Raises
    ------
    ValueError
        A vertex that is not in the graph, no facility at all, a negative weight, a limit that is
        negative or NaN, a `k` below 1, or one by which there are 2**31 results or more.
    OverflowError
        A weight or a distance does not fit `dtype`; see `within`.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not here, or is a list of several.

    See Also
    --------
    many_to_many : With ``min_only=True``, the nearest source, with the paths, on a GPU, too.
    accessibility : How much is within distances.

    Notes
    -----
    One search from all facilities, in which a vertex is settled by `k` of them [1]_, on one core:
    the time of `k` calls of `sssp`, however many facilities there are. A GPU searches in rounds,
    with the same result to the last bit, and also reads edges from head to tail, so that it keeps
    the reversed graph, too.

    References
    ----------
    .. [1] Erwig, "The graph Voronoi diagram with applications", Networks 36, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> minutes = np.array([[0, 4, 9, 0], [4, 0, 3, 0], [9, 3, 0, 8], [0, 0, 8, 0]])
    >>> distances, nearest = wg.nearest_facilities(minutes, [0, 3], 2)
    >>> distances
    array([[ 0., 15.],
           [ 4., 11.],
           [ 7.,  8.],
           [ 0., 15.]])
    >>> nearest
    array([[0, 3],
           [0, 3],
           [0, 3],
           [3, 0]], dtype=int32)
    """
    directed = validate.flag(directed, "directed")
    unweighted = validate.flag(unweighted, "unweighted")
    to_facilities = validate.flag(to_facilities, "to_facilities")
    graph = as_graph(graph, weight, reads_weights=not unweighted)
    ends = np.unique(some_vertices(graph, facilities, "facilities"))
    most = validate.at_least(1, k, "k")
    kind = validate.distance_dtype(dtype, graph.dtype)
    ledger = validate.ledger(memory_limit)
    farthest = validate.limit_as(limit, kind)
    report = validate.progress(progress, "nearest facilities")
    n = graph.n_vertices
    if most * n > _MOST_PLACES:
        raise ValueError(f"k is {most}, but k for each of {n} vertices must be less than 2**31")
    wanted = _device.one_wanted(device)
    found = min(most, len(ends))
    widths = (found, most) if found < most else (found,)
    results = [((n, width), dtype) for width in widths for dtype in (kind, np.int32)]
    distances, nearest, *wider = new_arrays(
        ledger, "the result of nearest_facilities", "ask for a smaller k", *results
    )
    how: Any = {"n_sources": found, "directed": directed, "unweighted": unweighted}
    reverses = directed and to_facilities
    how |= {"reverses": reverses, "wanted": wanted, "n_sums": sum(widths) - found}
    how |= {"is_empty": found == 0, "has_limit": bool(farthest < validate.infinity(kind))}
    graph, devices = searches.searchable(
        "nearest_facilities", graph, **how, dtype=kind, ledger=ledger
    )
    entering = graph
    if reverses or (directed and devices != ["cpu"]):
        entering = graph._transposed(ledger, reads_weights=not unweighted)
    if reverses:
        graph, entering = entering, graph
    reads = None if unweighted else kind
    handle = graph._handle_for(reads, ledger)
    reverse = handle if devices == ["cpu"] else entering._handle_for(reads, ledger)
    if found:
        try:
            _core.nearest_facilities(
                handle,
                reverse,
                ends,
                distances,
                nearest,
                farthest,
                unweighted,
                devices[0],
                report,
                k=found,
                ledger=ledger,
            )
        except OverflowError as error:
            if not reverses or is_of_progress(error):
                raise
            # It names an edge of the reversed graph.
            raise OverflowError(
                f"a distance to a facility is beyond the range of {kind}; ask for a wider dtype"
            ) from None
    rounding.warn_of_distances(graph, dtype, unweighted, distances)
    if not wider:
        return distances, nearest
    _pad(wider[0], distances, validate.infinity(kind))
    _pad(wider[1], nearest, -1)
    return wider[0], wider[1]


def _pad(wider: npt.NDArray[Any], found: npt.NDArray[Any], missing: Any) -> None:
    """Write the columns that were found, and others without a result."""
    wider[:, : found.shape[1]] = found
    wider[:, found.shape[1] :] = missing
