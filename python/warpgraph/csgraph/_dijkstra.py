"""dijkstra."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph.csgraph import _searches
from warpgraph.csgraph._input import Arcs, arcs_of, vertices
from warpgraph.csgraph._originals import original

if TYPE_CHECKING:
    from warpgraph._arguments import types

_METHODS = ("auto", "dijkstra", "batched", *_searches.METHODS_OF_ONE)

_NEGATIVE = (
    "Graph has negative weights: dijkstra will give inaccurate results if the graph contains "
    "negative cycles. Consider johnson or bellman_ford."
)
_their_dijkstra = original("dijkstra")


def dijkstra(
    csgraph: types.GraphLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
    *,
    method: types.DijkstraMethod = "auto",
    device: types.Device = "auto",
) -> types.ArrayOrTuple:
    """Return the distances of shortest paths by Dijkstra's algorithm.

    The parameters and results are those of ``scipy.sparse.csgraph.dijkstra``.

    Parameters
    ----------
    csgraph : sparse array or matrix, ndarray, masked array, or list
        Entry (i, j) is the edge i -> j. If a weight is negative, SciPy's function is called, which
        warns that its distances may be inaccurate.
    directed : bool
        False: edges have no direction; of (i, j) and (j, i) the lighter counts.
    indices : int or array of int, optional
        The vertices where paths begin; all by default. Negative ones count from the end.
    return_predecessors : bool
        Return predecessors, too.
    unweighted : bool
        True: every edge weighs 1.
    limit : float
        Vertices farther than this count as unreachable; a distance equal to it is kept.
    min_only : bool
        True: return the distance of each vertex from the nearest of the sources.
    method : {"auto", "dijkstra", "batched", "delta_stepping", "near_far"}
        How to find the same distances: "batched" from many vertices at a time, as for
        `warpgraph.many_to_many`; "delta_stepping" with all cores, and "near_far" on a GPU, from one
        vertex after the other, as for `warpgraph.sssp`. With `min_only`: "auto" or "dijkstra".
    device : str or list of str
        Where to run; see `warpgraph.devices`.

    Returns
    -------
    dist_matrix : ndarray of float64, shape (..., n_vertices)
        Distances, inf for the unreachable. The leading axes are those of `indices`; none with
        `min_only`.
    predecessors : ndarray of int32, of the same shape
        Only if `return_predecessors`: the vertex before each on its path, or -9999.
    sources : ndarray of int32, shape (n_vertices,)
        Only with both `return_predecessors` and `min_only`: the source that is nearest, or -9999.

    Raises
    ------
    ValueError
        Not a square matrix, `indices` out of range, a negative `limit`, or another `method`.
    NegativeCycleError
        A cycle of negative weight can be reached. SciPy's function would not end.

    Examples
    --------
    >>> from warpgraph import csgraph
    >>> graph = [[0, 1, 4], [0, 0, 2], [0, 0, 0]]
    >>> csgraph.dijkstra(graph)
    array([[ 0.,  1.,  3.],
           [inf,  0.,  2.],
           [inf, inf,  0.]])
    """
    validate.choice(method, _METHODS, "method")
    arcs = arcs_of(csgraph, directed)
    if arcs.has_negative():
        if not unweighted:
            _searches.refuse_negative_cycle(arcs, vertices(indices, arcs.n_vertices)[0], directed)
        validate.warn(_NEGATIVE)
        if not unweighted:
            with warnings.catch_warnings():  # SciPy's names a line of this module
                warnings.simplefilter("ignore")
                return _their_dijkstra(
                    csgraph, directed, indices, return_predecessors, unweighted, limit, min_only
                )
    n = arcs.n_vertices
    sources, shape = vertices(indices, n)
    if isinstance(limit, (str, bytes)):
        raise TypeError(f"must be real number, not {type(limit).__name__}")
    limit = float(limit)
    if limit < 0:
        raise ValueError("limit must be >= 0")
    if np.isnan(limit):  # no path is as short: SciPy follows no edge
        arcs = Arcs(np.zeros(n + 1, np.int64), np.empty(0, np.int32), np.empty(0))
        limit = np.inf
    how: dict[str, Any] = {
        "directed": bool(directed),
        "unweighted": bool(unweighted),
        "limit": limit,
        "predecessors": bool(return_predecessors),
        "method": method,
        "device": device,
    }
    if min_only:
        found = _searches.search_from_nearest(arcs, sources, **how)
        return found if return_predecessors else found[0]
    return _searches.shaped(
        _searches.search(arcs, sources, **how), (*shape, n), return_predecessors
    )
