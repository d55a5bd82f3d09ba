"""minimum_spanning_tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.device import is_auto
from warpgraph._trees.mst import METHODS, minimum_spanning_forest
from warpgraph.csgraph._input import (
    FLOAT,
    Arcs,
    Array,
    arcs_of,
    is_pydata_sparse,
)
from warpgraph.csgraph._originals import original

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpgraph._arguments import types

_their_minimum_spanning_tree: Callable[..., types.SparseMatrix] = original("minimum_spanning_tree")

#: Older versions of SciPy return a matrix for arrays, too.
_RETURNS_ARRAYS = isinstance(_their_minimum_spanning_tree(sp.csr_array((1, 1))), sp.csr_array)


def minimum_spanning_tree(
    csgraph: types.GraphLike,
    overwrite: bool = False,
    *,
    method: types.ForestMethod = "auto",
    device: types.Device = "auto",
) -> types.SparseMatrix:
    """Return a minimum spanning tree of an undirected graph, or of each component.

    The parameters and results are those of ``scipy.sparse.csgraph.minimum_spanning_tree``.

    Parameters
    ----------
    csgraph : sparse array or matrix, ndarray, masked array, or list
        Entry (i, j) is an edge between i and j; of (i, j) and (j, i) the lighter counts.
    overwrite : bool
        SciPy may then write to `csgraph`. It is never written to here.
    method : {"auto", "filter", "boruvka"}
        How to find the same tree, as for `warpgraph.minimum_spanning_forest`.
    device : str or list of str
        Where to run; see `warpgraph.devices`.

    Returns
    -------
    span_tree : CSR array of float64, or CSR matrix if `csgraph` is a matrix
        Each edge is stored once, at the position of the lighter entry; of equal edges, those with
        the first positions in the CSR arrays are chosen. Edges of weight zero are left out, as
        SciPy does; `warpgraph.minimum_spanning_forest` keeps them.

    Raises
    ------
    ValueError
        Not a square matrix, or another `method`.

    Examples
    --------
    >>> from warpgraph import csgraph
    >>> graph = [[0, 1, 4], [0, 0, 2], [0, 0, 0]]
    >>> csgraph.minimum_spanning_tree(graph).toarray()
    array([[0., 1., 0.],
           [0., 0., 2.],
           [0., 0., 0.]])
    """
    validate.choice(method, METHODS, "method")
    if is_pydata_sparse(csgraph):
        theirs: Any = csgraph
        return _their_minimum_spanning_tree(theirs, overwrite)
    arcs = arcs_of(csgraph, True)
    n = arcs.n_vertices
    is_default = method == "auto" and is_auto(device)
    if is_default and arcs.are_short("minimum_spanning_tree"):
        ids = _core.small_spanning_forest(arcs.handle())
    else:
        ids = np.sort(_forest(arcs, method, device))
        ids = ids[arcs.data[ids] != 0]
    indptr = np.searchsorted(ids, arcs.indptr).astype(np.int32)
    indices = arcs.indices[ids].astype(np.int32, copy=False)
    kind = sp.csr_matrix if _is_matrix(csgraph) else sp.csr_array
    return kind((arcs.data[ids], indices, indptr), shape=(n, n))


def _forest(arcs: Arcs, method: types.ForestMethod, device: Any) -> Array:
    """Return the positions of the edges of the forest.

    Of edges of equal weight, SciPy prefers those with the first positions, and the core those with
    the smaller ends. If no entry is below the diagonal, or each has its mirror image above, or all
    weights differ, that is the same; otherwise the weights are replaced by their ranks.
    """
    handle = arcs.handle()
    both_ways = handle.has_mirrored_weights(FLOAT)
    if not both_ways and handle.upper_triangle(FLOAT, validate.NO_LIMIT) is not None:
        ascending = np.sort(arcs.data)  # takes a tenth of the time of argsort
        if (ascending[1:] == ascending[:-1]).any():
            order = np.argsort(arcs.data, kind="stable")
            ranks = np.empty(len(order))
            ranks[order] = np.arange(len(order))
            arcs = arcs._replace(data=ranks)
    forest = minimum_spanning_forest(arcs.graph(), method=method, device=device)
    ids: Array | None = forest.edge_ids
    assert ids is not None
    return ids


def _is_matrix(csgraph: Any) -> bool:
    """Return whether SciPy returns a matrix for this graph."""
    return not _RETURNS_ARRAYS or isinstance(csgraph, (np.matrix, sp.spmatrix))
