"""wg.triangles, wg.clustering_coefficients and wg.transitivity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.hints import hinted
from warpgraph._communities.structure import both_ways
from warpgraph._graph.plan import planned

if TYPE_CHECKING:
    from warpgraph._arguments import types


@planned("triangles")
@hinted
def triangles(
    graph: types.GraphLike,
    *,
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> npt.NDArray[np.int64]:
    """Return the number of triangles at each vertex: pairs of neighbours that an edge joins.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        Entry (i, j) is an edge between i and j, whichever of (i, j) and (j, i) are stored. Weights
        are not read, stored zeros are edges. Loops and parallel edges do not count.
    device : str
        "auto" or "cpu": runs on the CPU only.
    memory_limit : int, float or str, optional
        Bytes for work and results, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.

    Returns
    -------
    ndarray of int64, shape (n_vertices,)
        The numbers. Their sum is three times the number of triangles in the graph.

    Raises
    ------
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not the CPU.

    See Also
    --------
    clustering_coefficients : The share of pairs of neighbours that an edge joins.
    core_numbers : The densest part that each vertex is in.

    Notes
    -----
    O(m^1.5) time for m edges [1]_, on all cores: each edge is directed to the end that has more
    neighbours, and the heads of two edges' ends are compared. 4 bytes for each vertex and thread,
    unless no vertex has 8 such edges.

    References
    ----------
    .. [1] Chiba and Nishizeki, "Arboricity and subgraph listing algorithms", SIAM J. Computing 14,
       1985.

    Examples
    --------
    >>> import warpgraph as wg
    >>> graph = wg.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3])
    >>> wg.triangles(graph).tolist()
    [1, 1, 1, 0]
    """
    how = graph, device, memory_limit, progress, np.int64, None
    counts: npt.NDArray[np.int64] = _count("triangles", "triangles", *how)[0]
    return counts


@planned("clustering_coefficients")
@hinted
def clustering_coefficients(
    graph: types.GraphLike,
    *,
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> types.FloatArray:
    """Return the share of pairs of neighbours that an edge joins, for each vertex.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        As for `triangles`.
    device : str
        "auto" or "cpu": runs on the CPU only.
    memory_limit : int, float or str, optional
        Bytes for work and results, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.

    Returns
    -------
    ndarray of float64, shape (n_vertices,)
        The local clustering coefficient, ``2 t / (d (d - 1))`` for d neighbours and t triangles: 0
        for fewer than two neighbours. Its mean over all vertices is the average clustering [1]_.

    Raises
    ------
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not the CPU.

    See Also
    --------
    transitivity : The share of pairs of neighbours in the whole graph.

    Notes
    -----
    The time is that of `triangles`.

    References
    ----------
    .. [1] Watts and Strogatz, "Collective dynamics of small-world networks", Nature 393, 1998.

    Examples
    --------
    >>> import warpgraph as wg
    >>> graph = wg.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3])
    >>> wg.clustering_coefficients(graph).round(3).tolist()
    [1.0, 1.0, 0.333, 0.0]
    """
    how = graph, device, memory_limit, progress, np.int64, np.int32, np.float64
    counts, degrees, shares = _count("clustering_coefficients", "clustering", *how)
    shares[:] = 0
    for some in _pieces(len(shares)):
        found = counts[some]
        np.divide(found, _pairs(degrees[some]), out=shares[some], where=found > 0)
    coefficients: types.FloatArray = shares
    return coefficients


@planned("transitivity")
@hinted
def transitivity(
    graph: types.GraphLike,
    *,
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> float:
    """Return the share of paths of two edges whose ends an edge joins.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        As for `triangles`.
    device : str
        "auto" or "cpu": runs on the CPU only.
    memory_limit : int, float or str, optional
        Bytes for work and results, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.

    Returns
    -------
    float
        Three times the number of triangles, divided by the number of paths of two edges; 0 if there
        is no such path. It is also called the global clustering coefficient.

    Raises
    ------
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not the CPU.

    See Also
    --------
    clustering_coefficients : The share for each vertex.

    Notes
    -----
    The time is that of `triangles`.

    Examples
    --------
    >>> import warpgraph as wg
    >>> graph = wg.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3])
    >>> wg.transitivity(graph)
    0.6
    """
    how = graph, device, memory_limit, progress, np.int64, np.int32
    counts, degrees = _count("transitivity", "transitivity", *how)
    n_closed = int(counts.sum())
    n_pairs = sum(int(_pairs(degrees[some]).sum()) for some in _pieces(len(degrees)))
    return n_closed / n_pairs if n_closed else 0.0


def _count(
    function: str,
    algorithm: str,
    graph: Any,
    device: Any,
    memory_limit: Any,
    progress: Any,
    *kinds: Any,
) -> list[Any]:
    """Return arrays of these dtypes, of which the first two have the triangles and the degrees."""
    report = validate.progress(progress, function)
    form, ledger, results = both_ways(function, algorithm, graph, device, memory_limit, *kinds)
    _core.triangles(form._handle, results[0], results[1], report, ledger=ledger)
    return results


def _pieces(n: int) -> Iterator[slice]:
    """Yield slices of so many items, whose temporary arrays are small."""
    at_once = 1 << 16
    return (slice(first, first + at_once) for first in range(0, n, at_once))


def _pairs(degrees: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Return the numbers of pairs of neighbours."""
    return degrees.astype(np.int64) * (degrees - 1) // 2
