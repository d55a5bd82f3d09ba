"""floyd_warshall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse.csgraph._validation import validate_graph

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph._paths.apsp import METHODS, apsp
from warpgraph.csgraph._input import FLOAT, NO_VERTEX, Arcs, aligned, arcs_of, is_sparse
from warpgraph.csgraph._searches import NegativeCycleError, like_scipy
from warpgraph.csgraph._well_formed import require_well_formed

if TYPE_CHECKING:
    from warpgraph._arguments import types

_FORMATS = ("csr", "csc", "lil")


def floyd_warshall(
    csgraph: types.GraphLike,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    *,
    method: types.AllPairsMethod = "auto",
    device: types.Device = "auto",
) -> types.ArrayOrTuple:
    """Return the distances of shortest paths between all vertices.

    The parameters and results are those of ``scipy.sparse.csgraph.floyd_warshall``.

    Parameters
    ----------
    csgraph : sparse array or matrix of format csr, csc or lil, ndarray, masked array, or list
        Entry (i, j) is the edge i -> j. Weights may be negative.
    directed : bool
        False: edges have no direction; of (i, j) and (j, i) the lighter counts.
    return_predecessors : bool
        Return predecessors, too.
    unweighted : bool
        True: every edge weighs 1.
    overwrite : bool
        True: write the distances into `csgraph` if that is a C-contiguous float64 array.
    method : {"auto", "floyd_warshall", "floyd_warshall_naive", "many_to_many"}
        How to find the same distances, as for `warpgraph.apsp`.
    device : str or list of str
        Where to run; see `warpgraph.devices`.

    Returns
    -------
    dist_matrix : ndarray of float64, shape (n_vertices, n_vertices)
        Distances, inf for the unreachable.
    predecessors : ndarray of int32, shape (n_vertices, n_vertices)
        Only if `return_predecessors`: the vertex before each on its path, or -9999.

    Raises
    ------
    NegativeCycleError
        There is a cycle of negative weight, loops apart. It is SciPy's class.
    ValueError
        Not a square matrix, a sparse one of another format, or another `method`.

    Notes
    -----
    Weights are added in another order than SciPy adds them: distances are equal for integers, else
    within the rounding that `warpgraph.apsp` describes. NaN in a masked array is a missing edge,
    as in all other functions; SciPy returns NaN then.

    Examples
    --------
    >>> from warpgraph import csgraph
    >>> graph = [[0, 1, 4], [0, 0, 2], [0, 0, 0]]
    >>> csgraph.floyd_warshall(graph, directed=False)
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]])
    """
    validate.choice(method, METHODS, "method")
    arcs = _without_unused(_arcs(csgraph, directed), unweighted)
    directed, unweighted = bool(directed), bool(unweighted)
    out: Any = csgraph if overwrite and _can_hold_distances(csgraph) else None
    try:
        # On every device: distances have the same bits then.
        if method == "auto" and arcs.are_short("floyd_warshall"):
            _device.resolve_all(device)  # DeviceError if there is none
            return _solve_small(arcs, directed, unweighted, bool(return_predecessors), out)
        graph = arcs.graph()
        found = apsp(
            graph,
            directed=directed,
            unweighted=unweighted,
            return_predecessors=bool(return_predecessors),
            method=method,
            out=out,
            device=device,
        )
    except _core.NegativeCycleError as error:
        vertex = int(error.vertex)
        raise NegativeCycleError(f"Negative cycle in nodes [{vertex}]", vertex) from error
    if not return_predecessors:
        return found
    form = graph if directed else graph._undirected()
    every = np.arange(arcs.n_vertices, dtype=np.int32)
    return found[0], like_scipy(form._handle, found[0], found[1], every, unweighted)


def _solve_small(
    arcs: Arcs, directed: bool, unweighted: bool, return_predecessors: bool, out: Any
) -> Any:
    n = arcs.n_vertices
    distances = np.empty((n, n)) if out is None else out
    trees = np.empty((n, n) if return_predecessors else 0, np.int32)
    if n:
        _core.small_floyd_warshall(arcs.handle(), distances, trees, directed, unweighted, NO_VERTEX)
    return (distances, trees) if return_predecessors else distances


def _arcs(csgraph: Any, directed: bool) -> Arcs:
    """Return the edges: other than elsewhere, zeros of a masked array are none."""
    if is_sparse(csgraph):
        if csgraph.format not in _FORMATS:
            raise ValueError("csgraph must be lil, csr, or csc format")
        if len(csgraph.shape) != 2 or csgraph.shape[0] != csgraph.shape[1]:
            raise ValueError("csgraph should be a square matrix")
        require_well_formed(csgraph)
        matrix = aligned(csgraph.tocsr())  # without a sum of parallel edges
        return Arcs(matrix.indptr, matrix.indices, matrix.data.astype(FLOAT, copy=False))
    if type(csgraph) is np.ndarray:
        return arcs_of(csgraph, directed)
    require_well_formed(csgraph)
    matrix = validate_graph(csgraph, directed, csr_output=False, copy_if_dense=True)
    return Arcs(*_core.csr_from_dense(validate.in_place(matrix, FLOAT), None))


def _without_unused(arcs: Arcs, unweighted: bool) -> Arcs:
    """Return the arcs without negative loops, and without those that SciPy does not count.

    In SciPy the distance of a vertex from itself is 0 from the start; a missing edge is inf.
    """
    indptr, indices, data = arcs
    unused = ~np.isfinite(data) if unweighted else data < 0
    if not unused.any():
        return arcs
    if not unweighted:
        tails = np.repeat(np.arange(arcs.n_vertices), np.diff(indptr))
        unused &= tails == indices
    kept = ~unused
    ends = np.concatenate([[0], np.cumsum(kept)])[indptr]
    return Arcs(ends, indices[kept], data[kept])


def _can_hold_distances(csgraph: Any) -> bool:
    if not isinstance(csgraph, np.ndarray) or csgraph.dtype != FLOAT:
        return False
    plain = type(csgraph) is np.ndarray and csgraph.ndim == 2
    return plain and csgraph.flags.c_contiguous and csgraph.flags.writeable
