"""wg.accessibility."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any, SupportsFloat

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._arguments.new_array import new_arrays
from warpgraph._arguments.points import objects_as_reals
from warpgraph._graph import rounding
from warpgraph._graph.graph import Graph, as_graph
from warpgraph._graph.methods.vertices import in_vertex_order
from warpgraph._graph.named_errors import errors_by_name
from warpgraph._graph.plan import planned
from warpgraph._reach import searches

if TYPE_CHECKING:
    from warpgraph._arguments import types

_ADVICE = "give fewer sources at a time"


@planned("accessibility")
@falls_back_if_memory_lacks
@errors_by_name
def accessibility(
    graph: types.GraphLike,
    sources: types.Vertices | None,
    limits: SupportsFloat | Collection[SupportsFloat],
    *,
    opportunities: npt.ArrayLike | None = None,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    dtype: types.DType[Any] | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> npt.NDArray[np.int64 | np.float64]:
    """Return how many vertices are within limits of many sources, or sums of their opportunities.

    This is the cumulative-opportunities measure [1]_: with jobs as `opportunities` and minutes as
    weights, the number of jobs within 30 minutes of each vertex.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        As for `within`. No weight may be negative.
    sources : sequence of int or names, or None
        The vertices where paths begin; None: all vertices. Repeated ones are allowed. They are
        names if the graph has names, see `Graph`, else numbers.
    limits : float, or sequence of float
        The largest distance, which itself counts; inf for all vertices that can be reached. With
        several limits, in any order, each source is still searched from once.
    opportunities : array_like, shape (n_vertices,), optional
        A finite number for each vertex, to be added up; those of a pandas Series go by its index,
        names if the graph has names. By default 1, so that vertices are counted.
    directed : bool
        False: edges have no direction; of (i, j) and (j, i) the lighter counts.
    unweighted : bool
        True: every edge weighs 1.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    dtype : {"float32", "float64", "int32", "int64"}, optional
        Type of distances. By default float32 for float32 weights, else float64; int64 is exact.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``; counts finished sources.
    memory_limit : int, float or str, optional
        Bytes for work and results, or a size such as "2GB"; by default, all free memory.
    device : str or list of str
        Where to run; see `warpgraph.devices`. "auto": the cores. Several devices share the sources.

    Returns
    -------
    sums : ndarray of float64, shape (len(sources),) or (len(sources), len(limits))
        The sum of the opportunities within each limit, with a column for each of several limits.
        Opportunities are added in the order of the vertices: the same bits everywhere. Without
        `opportunities` the number of vertices, of int64, in which the source itself counts.

    Raises
    ------
    ValueError
        A vertex that is not in the graph, a negative weight, a limit that is negative or NaN, or
        opportunities that are not one finite number for each vertex.
    OverflowError
        A weight, or without a limit a distance, does not fit `dtype`; see `within`.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not here.

    See Also
    --------
    within : The vertices and their distances, for sums with weights that fall with distance.
    nearest_facilities : The nearest of some vertices, for each vertex.

    Notes
    -----
    A search takes the time of `sssp` on the part of the graph that the largest limit reaches. Each
    core takes a source at a time, and keeps nothing but its sums. On a GPU each warp takes one, and
    a row of distances to all vertices is read for each source.

    References
    ----------
    .. [1] Hansen, "How accessibility shapes land use", J. American Institute of Planners 25, 1959.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> minutes = np.array([[0, 4, 9, 0], [4, 0, 3, 0], [9, 3, 0, 8], [0, 0, 8, 0]])
    >>> wg.accessibility(minutes, None, 8)
    array([3, 3, 4, 2])
    >>> jobs = [100, 20, 0, 500]
    >>> wg.accessibility(minutes, [0, 3], [5, 10, 15], opportunities=jobs)
    array([[120., 120., 620.],
           [500., 500., 620.]])
    """
    directed = validate.flag(directed, "directed")
    unweighted = validate.flag(unweighted, "unweighted")
    graph = as_graph(graph, weight, reads_weights=not unweighted)
    starts = searches.sources_of(graph, sources)
    kind = validate.distance_dtype(dtype, graph.dtype)
    ledger = validate.ledger(memory_limit)
    is_one = not isinstance(limits, Iterable) or getattr(limits, "ndim", 1) == 0
    farthest = _limits(limits, kind)
    report = validate.progress(progress, "searches")
    how: Any = {"n_sources": len(starts), "directed": directed, "unweighted": unweighted}
    how["wanted"] = _device.wanted(device)
    counts = opportunities is None
    summands = np.empty(0) if counts else _opportunities(opportunities, graph, ledger)
    shape = len(starts), len(farthest)
    wanted = [(shape, np.float64), (shape, np.int64)][: 1 + counts]
    sums, *counted = new_arrays(ledger, "the result of accessibility", _ADVICE, *wanted)
    how |= {"n_sums": len(farthest) * len(wanted), "is_empty": sums.size == 0}
    graph, devices = searches.searchable("accessibility", graph, **how, dtype=kind, ledger=ledger)
    if sums.size:
        handle = graph._handle_for(None if unweighted else kind, ledger)
        _core.sums_within(
            handle, starts, farthest, summands, sums, unweighted, devices, report, ledger=ledger
        )
    if graph.dtype.kind == "i" and not unweighted:
        # Limits of inf are left out: rounding cannot change what can be reached at all.
        compared = np.minimum(farthest[farthest < np.inf], graph._heaviest() * graph.n_vertices)
        rounding.warn_of_distances(graph, dtype, unweighted, compared)
    result = sums
    for result in counted:  # one array, of int64, if vertices are counted, otherwise none
        np.copyto(result, sums, casting="unsafe")
    return result[:, 0] if is_one else result


def _limits(limits: Any, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    values = validate.items(limits, "limits", "numbers", "")
    return np.array([validate.limit_as(value, dtype) for value in values], dtype)


def _opportunities(values: Any, graph: Graph, ledger: _core.Ledger) -> npt.NDArray[np.float64]:
    n_vertices = graph.n_vertices
    array = validate.unmasked(in_vertex_order(graph, values, "opportunities"), "opportunities")
    array = objects_as_reals(array, "opportunities")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"opportunities must be numbers, got an array of {array.dtype}")
    if array.shape != (n_vertices,):
        raise ValueError(
            f"opportunities must have one number for each of the {n_vertices} vertices, "
            f"got an array of shape {array.shape}"
        )
    wanted = array.shape, np.float64
    (numbers,) = new_arrays(ledger, "a copy of opportunities", _ADVICE, wanted)
    np.copyto(numbers, array)
    finite = np.isfinite(numbers)
    if not finite.all():
        i = int(np.argmin(finite))
        raise ValueError(f"opportunities[{i}] is {numbers[i]}, but it must be finite")
    return numbers
