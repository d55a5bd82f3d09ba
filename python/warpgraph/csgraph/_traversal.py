"""breadth_first_order, depth_first_order and their trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph._arguments.device import is_auto
from warpgraph.csgraph._input import (
    CSR_TYPES,
    NO_VERTEX,
    Array,
    arcs_of,
    is_pydata_sparse,
    is_sparse,
)
from warpgraph.csgraph._originals import original
from warpgraph.csgraph._well_formed import require_well_formed

if TYPE_CHECKING:
    from warpgraph._arguments import types


class _Search(NamedTuple):
    """A kind of search: the core's functions for small matrices and for all, and SciPy's."""

    small: Callable[..., Any]
    find: Callable[..., int]
    their_order: Callable[..., Any]
    their_tree: Callable[..., types.SparseMatrix]


_BREADTH_FIRST = _Search(
    _core.small_breadth_first_order,
    _core.breadth_first_order,
    original("breadth_first_order"),
    original("breadth_first_tree"),
)
_DEPTH_FIRST = _Search(
    _core.small_depth_first_order,
    _core.depth_first_order,
    original("depth_first_order"),
    original("depth_first_tree"),
)

#: Type of the sparse matrix that SciPy makes of a dense one; older versions make no arrays.
_SPARSE: Any = type(original("csgraph_from_dense")(np.zeros((1, 1))))
_their_reconstruct_path: Callable[..., types.SparseMatrix] = original("reconstruct_path")


def breadth_first_order(
    csgraph: types.GraphLike,
    i_start: int,
    directed: bool = True,
    return_predecessors: bool = True,
    *,
    device: types.Device = "auto",
) -> types.ArrayOrTuple:
    """Return the vertices that can be reached, in the order of a breadth-first search.

    The parameters and results are those of ``scipy.sparse.csgraph.breadth_first_order``.

    Parameters
    ----------
    csgraph : sparse array or matrix, ndarray, masked array, or list
        Entry (i, j) is the edge i -> j.
    i_start : int
        The vertex to start from.
    directed : bool
        False: edges have no direction. Those that leave a vertex come first.
    return_predecessors : bool
        Return predecessors, too.
    device : str
        "auto" or "cpu": runs on the CPU only. The search is sequential, on one core.

    Returns
    -------
    node_array : ndarray of int32, shape (n_reached,)
        The vertices in the order of the search.
    predecessors : ndarray of int32, shape (n_vertices,)
        Only if `return_predecessors`: the vertex from which each was found, or -9999.

    Raises
    ------
    ValueError
        Not a square matrix, or `i_start` is not a vertex.
    OverflowError
        `i_start` is negative.

    Examples
    --------
    >>> from warpgraph import csgraph
    >>> graph = [[0, 1, 4], [0, 0, 2], [0, 0, 0]]
    >>> order, predecessors = csgraph.breadth_first_order(graph, 0)
    >>> order, predecessors
    (array([0, 1, 2], dtype=int32), array([-9999,     0,     0], dtype=int32))
    """
    return _order(_BREADTH_FIRST, csgraph, i_start, directed, return_predecessors, device)


def depth_first_order(
    csgraph: types.GraphLike,
    i_start: int,
    directed: bool = True,
    return_predecessors: bool = True,
    *,
    device: types.Device = "auto",
) -> types.ArrayOrTuple:
    """Return the vertices that can be reached, in the order of a depth-first search.

    The parameters and results are those of ``scipy.sparse.csgraph.depth_first_order``.

    Parameters
    ----------
    csgraph, i_start, directed, return_predecessors, device
        As for `breadth_first_order`.

    Returns
    -------
    node_array : ndarray of int32, shape (n_reached,)
        The vertices in the order of the search.
    predecessors : ndarray of int32, shape (n_vertices,)
        Only if `return_predecessors`: the vertex from which each was found, or -9999.

    Raises
    ------
    ValueError
        Not a square matrix, or `i_start` is not a vertex.
    OverflowError
        `i_start` is negative.

    Examples
    --------
    >>> from warpgraph import csgraph
    >>> graph = [[0, 1, 4], [0, 0, 2], [0, 0, 0]]
    >>> order, predecessors = csgraph.depth_first_order(graph, 0)
    >>> order, predecessors
    (array([0, 1, 2], dtype=int32), array([-9999,     0,     1], dtype=int32))
    """
    return _order(_DEPTH_FIRST, csgraph, i_start, directed, return_predecessors, device)


def breadth_first_tree(
    csgraph: types.GraphLike, i_start: int, directed: bool = True, *, device: types.Device = "auto"
) -> types.SparseMatrix:
    """Return the tree of a breadth-first search.

    The parameters and results are those of ``scipy.sparse.csgraph.breadth_first_tree``.

    Parameters
    ----------
    csgraph, i_start, directed, device
        As for `breadth_first_order`.

    Returns
    -------
    cstree : CSR array or matrix
        An entry for each vertex that is reached, in the row of its predecessor: the edge between
        them.

    Examples
    --------
    >>> from warpgraph import csgraph
    >>> graph = [[0, 1, 4], [0, 0, 2], [0, 0, 0]]
    >>> csgraph.breadth_first_tree(graph, 0).toarray()
    array([[0., 1., 4.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """
    return _tree(_BREADTH_FIRST, csgraph, i_start, directed, device)


def depth_first_tree(
    csgraph: types.GraphLike, i_start: int, directed: bool = True, *, device: types.Device = "auto"
) -> types.SparseMatrix:
    """Return the tree of a depth-first search.

    The parameters and results are those of ``scipy.sparse.csgraph.depth_first_tree``.

    Parameters
    ----------
    csgraph, i_start, directed, device
        As for `breadth_first_order`.

    Returns
    -------
    cstree : CSR array or matrix
        An entry for each vertex that is reached, in the row of its predecessor: the edge between
        them.

    Examples
    --------
    >>> from warpgraph import csgraph
    >>> graph = [[0, 1, 4], [0, 0, 2], [0, 0, 0]]
    >>> csgraph.depth_first_tree(graph, 0).toarray()
    array([[0., 1., 0.],
           [0., 0., 2.],
           [0., 0., 0.]])
    """
    return _tree(_DEPTH_FIRST, csgraph, i_start, directed, device)


def _order(
    kind: _Search,
    csgraph: Any,
    i_start: Any,
    directed: bool,
    return_predecessors: bool,
    device: Any,
) -> Any:
    if directed and type(csgraph) in CSR_TYPES and is_auto(device):
        found = kind.small(csgraph, i_start, NO_VERTEX)
        if found is not None:
            return found if return_predecessors else found[0]
        n, n_arcs = csgraph.shape[0], csgraph.indices.size
        # SciPy does not check `i_start`, nor the arrays. For an undirected search it makes a
        # transposed matrix, which takes longer at any size.
        is_start = type(i_start) is int and 0 <= i_start < n
        if is_start and _core.is_short("traversals by SciPy", n, n_arcs):
            require_well_formed(csgraph)
            return kind.their_order(csgraph, i_start, directed, return_predecessors)
    return _order_here(kind.find, csgraph, i_start, directed, return_predecessors, device)


def _tree(
    kind: _Search, csgraph: Any, i_start: Any, directed: bool, device: Any
) -> types.SparseMatrix:
    """Return the tree of a search; a dense graph is converted once."""
    if type(csgraph) not in CSR_TYPES:
        if is_pydata_sparse(csgraph):
            return kind.their_tree(csgraph, i_start, directed)
        if not is_sparse(csgraph):
            arcs = arcs_of(csgraph, directed)
            shape = arcs.n_vertices, arcs.n_vertices
            csgraph = _SPARSE((arcs.data, arcs.indices, arcs.indptr), shape=shape)
    _, tree = _order(kind, csgraph, i_start, directed, True, device)
    return _their_reconstruct_path(csgraph, tree, directed)


def _order_here(
    find: Callable[..., int],
    csgraph: Any,
    i_start: Any,
    directed: bool,
    return_predecessors: bool,
    device: Any,
) -> Any:
    arcs = arcs_of(csgraph, directed)
    n = arcs.n_vertices
    if not is_auto(device):
        _device.require_cpu(device, find.__name__)
    if isinstance(i_start, (str, bytes)):
        raise TypeError("an integer is required")
    source = int(i_start)
    if source < 0:
        raise OverflowError("can't convert negative value to unsigned int")
    if source >= n:
        validate.vertex(source, n, "i_start")
    order = np.empty(n, np.int32)
    tree = np.empty(n if return_predecessors else 0, np.int32)
    handle = arcs.structure()
    how: dict[str, Any] = {"source": source, "directed": bool(directed), "missing": NO_VERTEX}
    reached: Array = order[: find(handle, order, tree, None, **how)]
    return (reached, tree) if return_predecessors else reached
