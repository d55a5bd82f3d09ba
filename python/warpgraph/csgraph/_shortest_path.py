"""shortest_path, bellman_ford and johnson."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph.csgraph import _searches
from warpgraph.csgraph._dijkstra import dijkstra
from warpgraph.csgraph._floyd_warshall import floyd_warshall
from warpgraph.csgraph._input import Arcs, arcs_of, is_sparse, vertices

if TYPE_CHECKING:
    from warpgraph._arguments import types

_METHODS = ("FW", "D", "BF", "J")


def shortest_path(
    csgraph: types.GraphLike,
    method: types.Method = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: npt.ArrayLike | None = None,
    *,
    device: types.Device = "auto",
) -> types.ArrayOrTuple:
    """Return the distances of shortest paths between all vertices, or from some.

    The parameters and results are those of ``scipy.sparse.csgraph.shortest_path``.

    Parameters
    ----------
    csgraph : sparse array or matrix, ndarray, masked array, or list
        Entry (i, j) is the edge i -> j.
    method : {"auto", "FW", "D", "BF", "J"}
        "FW": `floyd_warshall`, "D": `dijkstra`, "BF": `bellman_ford`, "J": `johnson`. "auto":
        "FW" if at least a quarter of all edges are there and `indices` is not given, else "D", or
        "J" if weights are negative.
    directed : bool
        False: edges have no direction; of (i, j) and (j, i) the lighter counts.
    return_predecessors : bool
        Return predecessors, too.
    unweighted : bool
        True: every edge weighs 1.
    overwrite : bool
        True: "FW" writes the distances into `csgraph` if that is a C-contiguous float64 array.
    indices : int or array of int, optional
        The vertices where paths begin; all by default. Not for "FW".
    device : str or list of str
        Where to run; see `warpgraph.devices`.

    Returns
    -------
    dist_matrix : ndarray of float64, shape (..., n_vertices)
        Distances, inf for the unreachable. The leading axes are those of `indices`.
    predecessors : ndarray of int32, of the same shape
        Only if `return_predecessors`: the vertex before each on its path, or -9999.

    Raises
    ------
    NegativeCycleError
        There is a cycle of negative weight. It is SciPy's class.
    ValueError
        Not a square matrix, an unknown method, or `indices` out of range.

    Examples
    --------
    >>> from warpgraph import csgraph
    >>> graph = [[0, 1, 4], [0, 0, 2], [0, 0, 0]]
    >>> csgraph.shortest_path(graph)
    array([[ 0.,  1.,  3.],
           [inf,  0.,  2.],
           [inf, inf,  0.]])
    """
    if not isinstance(method, str) or method not in ("auto", *_METHODS):
        arcs_of(csgraph, directed)  # SciPy refuses the graph first
        raise ValueError(f"unrecognized method '{method}'")
    matrix: Any = csgraph
    arcs = None if method == "FW" else arcs_of(csgraph, directed)
    if arcs is not None and method == "auto":
        # The choice of SciPy: which errors a graph raises depends on it. How "J" and "FW" are
        # computed is the core's choice.
        n = arcs.n_vertices
        n_edges = matrix.nnz if is_sparse(csgraph) else len(arcs.indices)
        if indices is None and n_edges >= n * n / 4:
            method, arcs = "FW", None
        else:
            method = "J"
    if arcs is None:
        if indices is not None:
            raise ValueError("Cannot specify indices with method == 'FW'.")
        return floyd_warshall(
            csgraph, directed, return_predecessors, unweighted, overwrite, device=device
        )
    if method == "D" or (method == "J" and unweighted):
        return dijkstra(csgraph, directed, indices, return_predecessors, unweighted, device=device)
    return _from_any_weights(
        arcs,
        directed,
        indices,
        return_predecessors=return_predecessors,
        unweighted=unweighted,
        everywhere=method == "J",
        device=device,
    )


def bellman_ford(
    csgraph: types.GraphLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    *,
    method: types.BellmanFordMethod = "auto",
    device: types.Device = "auto",
) -> types.ArrayOrTuple:
    """Return the distances of shortest paths; weights may be negative.

    The parameters and results are those of ``scipy.sparse.csgraph.bellman_ford``.

    Parameters
    ----------
    csgraph : sparse array or matrix, ndarray, masked array, or list
        Entry (i, j) is the edge i -> j. The method of Bellman and Ford is used if a weight is
        negative; otherwise Dijkstra's algorithm, which returns the same bits.
    directed, indices, return_predecessors, unweighted, device
        As for `dijkstra`.
    method : {"auto", "bellman_ford"}
        "bellman_ford": the method of Bellman and Ford in any case.

    Returns
    -------
    dist_matrix : ndarray of float64, shape (..., n_vertices)
        As `dijkstra` returns them.
    predecessors : ndarray of int32, of the same shape
        Only if `return_predecessors`.

    Raises
    ------
    NegativeCycleError
        A cycle of negative weight can be reached. It is SciPy's class.
    ValueError
        Not a square matrix, `indices` out of range, or another `method`.

    Examples
    --------
    >>> from warpgraph import csgraph
    >>> graph = [[0, 1, 4], [0, 0, -1], [0, 0, 0]]
    >>> csgraph.bellman_ford(graph, indices=0)
    array([0., 1., 0.])
    """
    validate.choice(method, ("auto", "bellman_ford"), "method")
    arcs = arcs_of(csgraph, directed)
    if method == "auto":
        options: dict[str, Any] = {"return_predecessors": return_predecessors, "device": device}
        return _from_any_weights(arcs, directed, indices, unweighted=unweighted, **options)
    sources, shape = vertices(indices, arcs.n_vertices)
    found = _searches.search_one_by_one(
        arcs,
        sources,
        method,
        directed=bool(directed),
        unweighted=bool(unweighted),
        predecessors=bool(return_predecessors),
        device=device,
    )
    return _searches.shaped(found, (*shape, arcs.n_vertices), return_predecessors)


def johnson(
    csgraph: types.GraphLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    *,
    device: types.Device = "auto",
) -> types.ArrayOrTuple:
    """Return the distances of shortest paths; weights may be negative.

    The parameters and results are those of ``scipy.sparse.csgraph.johnson``.

    Parameters
    ----------
    csgraph : sparse array or matrix, ndarray, masked array, or list
        Entry (i, j) is the edge i -> j.
    directed, indices, return_predecessors, unweighted, device
        As for `dijkstra`.

    Returns
    -------
    dist_matrix : ndarray of float64, shape (..., n_vertices)
        As `dijkstra` returns them.
    predecessors : ndarray of int32, of the same shape
        Only if `return_predecessors`.

    Raises
    ------
    NegativeCycleError
        There is a cycle of negative weight, whether it can be reached or not. It is SciPy's class.
    ValueError
        Not a square matrix, or `indices` out of range.

    Examples
    --------
    >>> from warpgraph import csgraph
    >>> graph = [[0, 1, 4], [0, 0, 2], [0, 0, 0]]
    >>> csgraph.johnson(graph)
    array([[ 0.,  1.,  3.],
           [inf,  0.,  2.],
           [inf, inf,  0.]])
    """
    if unweighted:  # SciPy warns of negative weights then, too
        return dijkstra(csgraph, directed, indices, return_predecessors, True, device=device)
    arcs = arcs_of(csgraph, directed)
    options: dict[str, Any] = {"return_predecessors": return_predecessors, "device": device}
    return _from_any_weights(arcs, directed, indices, everywhere=True, **options)


def _from_any_weights(
    arcs: Arcs,
    directed: bool,
    indices: Any,
    *,
    return_predecessors: bool,
    unweighted: bool = False,
    everywhere: bool = False,
    device: Any,
) -> Any:
    """Return shortest paths; `everywhere`: a cycle of negative weight need not be reached."""
    n = arcs.n_vertices
    sources, shape = vertices(indices, n)
    how: dict[str, Any] = {
        "directed": bool(directed),
        "predecessors": bool(return_predecessors),
        "device": device,
    }
    if unweighted or not arcs.has_negative():
        found = _searches.search(arcs, sources, unweighted=bool(unweighted), **how)
    else:
        found = _searches.search_with_negative_weights(arcs, sources, everywhere=everywhere, **how)
    return _searches.shaped(found, (*shape, n), return_predecessors)
