"""Graphs and vertices as SciPy's csgraph functions take them, converted for the core.

A CSR matrix of float64 and a dense array pass through a few checks only, because a call on a small
graph takes microseconds; all other input goes through SciPy's own conversion, so that it means the
same here and is refused with the same exceptions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph._validation import validate_graph

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._graph.graph import Graph
from warpgraph.csgraph._well_formed import require_well_formed

Array = npt.NDArray[Any]

FLOAT = np.dtype(np.float64)
_INDEX = np.dtype(np.int32)
#: The number that SciPy writes where there is no predecessor.
NO_VERTEX = -9999

CSR_TYPES = (sp.csr_array, sp.csr_matrix)
#: SciPy takes a number of a dense matrix for zero if it is no larger than 1e-8, rounded to the
#: dtype of the matrix.
_MAY_BE_ZERO = 1.01e-8


class Arcs(NamedTuple):
    """The arrays of a CSR matrix with float64 weights."""

    indptr: Array
    indices: Array
    data: Array

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(self.indptr) - 1

    def are_short(self, function: str, n_sources: int = 1) -> bool:
        """Return whether one thread of the core computes a call of a function at once."""
        return _core.is_short(function, len(self.indptr) - 1, len(self.indices), n_sources)

    def structure(self) -> _core.Graph:
        """Return the core's handle without weights."""
        if self.indices.dtype != _INDEX:
            return self.graph()._handle
        return _core.graph(self.indptr, self.indices)

    def handle(self) -> _core.Graph:
        """Return the core's handle. A weight that is NaN is an edge that is never used."""
        handle = self.structure()
        try:
            _core.set_weights(handle, self.data)
        except ValueError:
            _core.set_weights(handle, _without_nan(self.data))
        return handle

    def graph(self) -> Graph:
        """Return a Graph. A weight that is NaN is an edge that is never used."""
        try:
            return Graph._of_own(*self)
        except ValueError:
            return Graph._of_own(self.indptr, self.indices, _without_nan(self.data))

    def has_negative(self) -> bool:
        """Return whether a weight is negative."""
        return bool(self.data.size) and bool((self.data < 0).any())


def _without_nan(data: Array) -> Array:
    """Return weights with inf for NaN."""
    return np.where(np.isnan(data), np.inf, data)


def arcs_of(csgraph: Any, directed: bool) -> Arcs:
    """Return the stored entries of a sparse graph, or the entries of a dense one that are edges.

    Of a dense graph, 0, inf and NaN are no edges.
    """
    if type(csgraph) in CSR_TYPES:
        csgraph = aligned(csgraph)
        shape, data = csgraph.shape, csgraph.data
        is_square = len(shape) == 2 and shape[0] == shape[1]
        if is_square and data.dtype == FLOAT:
            return Arcs(csgraph.indptr, csgraph.indices, data)
        require_well_formed(csgraph)
        if is_square and csgraph.has_canonical_format:
            return Arcs(csgraph.indptr, csgraph.indices, data.astype(FLOAT))
        if is_square:
            # SciPy sorts rows and sums parallel edges, in place, when it converts weights. Its
            # copy() refuses dtypes that it converts.
            csgraph = sp.csr_array((data, csgraph.indices, csgraph.indptr), shape, copy=True)
    elif type(csgraph) is np.ndarray and csgraph.dtype.kind in "fiub":
        arcs = _arcs_of_dense(csgraph)
        if arcs is not None:
            return arcs
    elif np.ma.getmask(csgraph) is np.ma.nomask and isinstance(csgraph, np.ma.MaskedArray):
        # SciPy counts the entries that are not masked, but not if the array has no mask.
        csgraph = np.ma.array(csgraph, mask=np.ma.getmaskarray(csgraph))
    else:
        require_well_formed(csgraph)
    matrix: Any = validate_graph(csgraph, directed, dense_output=False)
    return Arcs(matrix.indptr, matrix.indices, matrix.data)


def aligned(matrix: Any) -> Any:
    """Return a CSR matrix itself if the core can read its arrays in place, else a copy."""
    indptr, indices, data = matrix.indptr.flags, matrix.indices.flags, matrix.data.flags
    # A loop would take longer than a small search.
    return matrix if indptr.aligned and indices.aligned and data.aligned else matrix.copy()


def _arcs_of_dense(matrix: Array) -> Arcs | None:
    """Return the edges of a square matrix; None: SciPy has to decide what they are."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.dtype.itemsize > 8:
        return None
    is_float = matrix.dtype.kind == "f"
    values = validate.in_place(matrix, FLOAT)
    arcs = Arcs(*_core.csr_from_dense(values, None))
    if is_float and len(arcs.data) and np.abs(arcs.data).min() < _MAY_BE_ZERO:
        return None
    return arcs


def vertices(indices: Any, n_vertices: int) -> tuple[Array, tuple[int, ...]]:
    """Return the argument `indices` as numbers of vertices, and the shape that it has."""
    if indices is None:
        return np.arange(n_vertices, dtype=np.int32), (n_vertices,)
    given = np.array(indices, np.int32)
    flat = given.reshape(-1)
    if flat.size and (flat.min() < 0 or flat.max() >= n_vertices):
        flat[flat < 0] += n_vertices
        if flat.min() < 0 or flat.max() >= n_vertices:
            raise ValueError("indices out of range 0...N")
    return flat, given.shape


def is_sparse(csgraph: Any) -> bool:
    """Return whether a graph is a sparse array or matrix of SciPy."""
    return bool(sp.issparse(csgraph))


def is_pydata_sparse(csgraph: Any) -> bool:
    """Return whether a graph is of the package sparse; SciPy returns trees of its types, too."""
    return type(csgraph).__module__.partition(".")[0] == "sparse"
