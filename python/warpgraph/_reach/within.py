"""wg.within."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsFloat

import numpy as np
import scipy.sparse as sp

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._arguments.new_array import new_arrays
from warpgraph._graph import rounding
from warpgraph._graph.graph import as_graph
from warpgraph._graph.named_errors import errors_by_name
from warpgraph._graph.plan import planned
from warpgraph._reach import searches

if TYPE_CHECKING:
    from warpgraph._arguments import types


@planned("within")
@falls_back_if_memory_lacks
@errors_by_name
def within(
    graph: types.GraphLike,
    sources: types.Vertices | None,
    limit: SupportsFloat,
    *,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    dtype: types.DType[Any] | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> sp.csr_array:
    """Return the vertices within a distance of many vertices, with their distances.

    The result is a sparse matrix: where few vertices are near, it takes a small part of the memory
    of the matrix that `many_to_many` returns.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        Entry (i, j) is the edge i -> j. Stored zeros are edges of weight zero, of parallel edges
        the lightest counts, a weight of inf is an edge that is never used. No weight may be
        negative.
    sources : sequence of int or names, or None
        The vertices where paths begin, one for each row of the result; None: all vertices. Repeated
        ones are allowed. They are names if the graph has names, see `Graph`, else numbers.
    limit : float
        Vertices farther than this count as unreachable; a distance equal to it is kept. inf keeps
        all that can be reached.
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
        Bytes for work and results, or a size such as "2GB"; by default, all free memory. The size
        of the result is known only at the end, when it is put together of parts, so the call takes
        twice its size.
    device : str or list of str
        Where to run; see `warpgraph.devices`. "auto": the cores. Several devices share the sources.

    Returns
    -------
    distances : scipy.sparse.csr_array, shape (len(sources), n_vertices)
        Entry (i, v) is the distance of v from ``sources[i]``, the same bits as from `sssp`;
        vertices that are farther, or cannot be reached, have no entry. A distance of 0, as that of
        the source itself, is a stored entry. Each row is sorted by vertices.

    Raises
    ------
    ValueError
        A vertex that is not in the graph, a negative weight, or a limit that is negative or NaN.
    OverflowError
        A weight, or without a limit a distance, does not fit `dtype`, whose largest integer is no
        number but means "unreachable" (see `Graph`); float distances beyond it are inf, so that
        they have no entry.
    MemoryError
        The result grows beyond the memory, or beyond `memory_limit`. The error says how much had
        been found.
    DeviceError
        `device` is not here.

    See Also
    --------
    accessibility : How many vertices are within limits, or sums over them.
    nearest_facilities : The nearest of some vertices.
    many_to_many : All distances, or those of some targets; negative weights.

    Notes
    -----
    A search takes the time of `sssp` on the part of the graph that it reaches. Each core takes a
    source at a time, and on a GPU each warp; but there a row of distances to all vertices is read
    for each source. Results depend on neither.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> minutes = np.array([[0, 4, 9, 0], [4, 0, 3, 0], [9, 3, 0, 8], [0, 0, 8, 0]])
    >>> near = wg.within(minutes, [0, 3], 8)
    >>> near.indices, near.data
    (array([0, 1, 2, 2, 3], dtype=int32), array([0., 4., 7., 8., 0.]))
    >>> near.indptr
    array([0, 3, 5], dtype=int32)
    """
    directed = validate.flag(directed, "directed")
    unweighted = validate.flag(unweighted, "unweighted")
    graph = as_graph(graph, weight, reads_weights=not unweighted)
    starts = searches.sources_of(graph, sources)
    kind = validate.distance_dtype(dtype, graph.dtype)
    ledger = validate.ledger(memory_limit)
    farthest = validate.limit_as(limit, kind)
    report = validate.progress(progress, "searches")
    how: Any = {"n_sources": len(starts), "directed": directed, "unweighted": unweighted}
    how["wanted"] = _device.wanted(device)
    graph, devices = searches.searchable("within", graph, **how, dtype=kind, ledger=ledger)
    handle = graph._handle_for(None if unweighted else kind, ledger)
    indptr, indices, data = _core.within(
        handle, starts, farthest, kind, unweighted, devices, report, ledger=ledger
    )
    rounding.warn_of_distances(graph, dtype, unweighted, data)
    return _as_csr(indptr, indices, data, graph.n_vertices, ledger)


def _as_csr(
    indptr: Any, indices: Any, data: Any, n_columns: int, ledger: _core.Ledger
) -> sp.csr_array:
    """Return a matrix of these arrays, whose rows are sorted."""
    # SciPy has one type for both arrays of integers.
    if len(indices) <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    else:
        advice = "lower the limit, or give fewer sources at a time"
        what, wanted = "64-bit indices of more than 2**31 distances", (indices.shape, np.int64)
        (wide,) = new_arrays(ledger, what, advice, wanted)
        np.copyto(wide, indices)
        indices = wide
    matrix = sp.csr_array((data, indices, indptr), shape=(len(indptr) - 1, n_columns))
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    return matrix
