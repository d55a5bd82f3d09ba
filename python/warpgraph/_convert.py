"""From what users have (SciPy, NumPy, CuPy, NetworkX) to the three arrays of a CSR matrix."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Array = npt.NDArray[Any]
CsrArrays = tuple[Array, Array, Array]

_MAX_VERTICES = 2**31 - 1


def to_csr(graph: Any) -> CsrArrays:
    """Return (indptr, indices, data) of `graph`; the arrays of a SciPy CSR matrix themselves."""
    if sp.issparse(graph):
        return _from_sparse(graph)
    if _is_cupy_sparse(graph):
        return _from_sparse(graph.get())
    if _is_networkx(graph):
        return _from_networkx(graph)
    if isinstance(graph, (np.ndarray, list)):
        return _from_dense(graph)
    raise TypeError(
        "a graph must be a SciPy sparse matrix, a square NumPy array, a CuPy CSR matrix, "
        f"a NetworkX graph or a warpgraph.Graph, got {type(graph).__name__}"
    )


def _require_square(shape: tuple[int, ...]) -> int:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"a graph's matrix must be square, got shape {tuple(shape)}")
    if shape[0] > _MAX_VERTICES:
        raise ValueError(
            f"the graph has {shape[0]} vertices; at most {_MAX_VERTICES} are supported"
        )
    return int(shape[0])


def _from_sparse(matrix: Any) -> CsrArrays:
    n = _require_square(matrix.shape)
    if matrix.format == "coo":
        # tocsr() would add parallel edges up.
        row, col = matrix.coords if hasattr(matrix, "coords") else (matrix.row, matrix.col)
        return from_edges(row, col, matrix.data, n)
    if matrix.format == "bsr":
        # The padding of its blocks is not edges; SciPy's csgraph sees it so, too.
        matrix = matrix.tocsr()
        matrix.eliminate_zeros()
    if matrix.format != "csr":
        matrix = matrix.tocsr()
    return check_csr(matrix.indptr, matrix.indices, matrix.data)


def check_csr(indptr: Array, indices: Array, data: Array) -> CsrArrays:
    """Bring the arrays of a CSR matrix to supported dtypes; those that are stay uncopied."""
    for name, array in (("indptr", indptr), ("indices", indices)):
        if not np.issubdtype(array.dtype, np.integer):
            raise TypeError(f"{name} must be integers, got an array of {array.dtype}")
    if indptr.dtype not in (np.int32, np.int64):
        indptr = indptr.astype(np.int64)
    return (
        np.ascontiguousarray(indptr),
        _narrow(indices, len(indptr) - 1),
        np.ascontiguousarray(normalise_weights(data)),
    )


def _narrow(indices: Array, n: int) -> Array:
    """Return `indices` as int32; an index that would not survive that is reported here."""
    if indices.dtype == np.int32:
        return np.ascontiguousarray(indices)
    if indices.size and (indices.min() < 0 or indices.max() >= max(n, 1)):
        bad = int(np.flatnonzero((indices < 0) | (indices >= n))[0])
        raise ValueError(
            f"indices[{bad}] is {indices[bad]}, which is not a vertex of a graph with {n} vertices "
            f"(0..{n - 1})"
        )
    return indices.astype(np.int32)


def normalise_weights(data: Array) -> Array:
    """Return weights as float32, float64, int32 or int64 without losing a bit."""
    kind, size = data.dtype.kind, data.dtype.itemsize
    if kind == "b" or (kind in "iu" and size < 4):
        return data.astype(np.int32)
    if kind == "u":
        if size == 8 and data.size and data.max() > np.iinfo(np.int64).max:
            raise ValueError(f"the weight {data.max()} is beyond the largest int64")
        return data.astype(np.int64)
    if kind == "f" and size == 2:
        return data.astype(np.float32)
    if kind in "if" and size in (4, 8):
        # Foreign byte orders are converted, native ones pass through.
        return data.astype(data.dtype.newbyteorder("="), copy=False)
    raise TypeError(f"weights must be real numbers of at most 64 bits, got dtype {data.dtype}")


def _from_dense(graph: Any) -> CsrArrays:
    matrix = np.ma.asanyarray(graph)
    n = _require_square(matrix.shape)
    values = normalise_weights(np.asarray(matrix.data))
    edges = ~np.ma.getmaskarray(matrix)
    if not np.ma.isMaskedArray(graph):
        edges &= values != 0
    if values.dtype.kind == "f":
        edges &= np.isfinite(values)
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(edges.sum(axis=1), out=indptr[1:])
    return indptr, np.nonzero(edges)[1].astype(np.int32), values[edges]


def from_edges(row: Any, col: Any, data: Any, n: int) -> CsrArrays:
    """Return the CSR arrays of a list of edges; parallel edges stay, in the order of the list."""
    row, col, data = np.asarray(row), np.asarray(col), normalise_weights(np.asarray(data))
    for name, ends in (("row", row), ("column", col)):
        bad = np.flatnonzero((ends < 0) | (ends >= n)) if ends.size else ends
        if bad.size:
            raise ValueError(
                f"{name} index {ends[bad[0]]} of entry {bad[0]} is not a vertex of a graph with "
                f"{n} vertices (0..{n - 1})"
            )
    order = np.argsort(row, kind="stable")
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=n), out=indptr[1:])
    return indptr, col[order].astype(np.int32), np.ascontiguousarray(data[order])


def _is_cupy_sparse(graph: Any) -> bool:
    return type(graph).__module__.startswith("cupyx.scipy.sparse")


def _is_networkx(graph: Any) -> bool:
    networkx = sys.modules.get("networkx")
    return networkx is not None and isinstance(graph, networkx.Graph)


def _from_networkx(graph: Any) -> CsrArrays:
    number = {node: i for i, node in enumerate(graph)}
    edges = [(number[u], number[v], w) for u, v, w in graph.edges(data="weight", default=1)]
    if not edges:
        return np.zeros(len(number) + 1, np.int64), np.empty(0, np.int32), np.empty(0)
    row, col, data = (np.array(column) for column in zip(*edges, strict=True))
    if not graph.is_directed():
        apart = row != col
        row, col = np.concatenate([row, col[apart]]), np.concatenate([col, row[apart]])
        data = np.concatenate([data, data[apart]])
    return from_edges(row, col, data, len(number))
