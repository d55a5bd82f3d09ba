"""From what users have (SciPy, NumPy, CuPy, NetworkX) to the three arrays of a CSR matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from warpgraph import _core, _networkx, _validate

Array = npt.NDArray[Any]
CsrArrays = tuple[Array, Array, Array]

_MAX_VERTICES = 2**31 - 1


def to_csr(graph: Any, weight: str | None) -> CsrArrays:
    """Return (indptr, indices, data) of `graph`; the arrays of a SciPy CSR matrix themselves.

    `weight` is the attribute of a NetworkX graph's edges that has their weights.
    """
    if sp.issparse(graph):
        return _from_sparse(graph)
    if _is_cupy_sparse(graph):
        return _from_sparse(graph.get())
    if _networkx.is_networkx(graph):
        return from_edges(*_networkx.edges_of(graph, weight), len(graph))
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
        # The zeros that fill its blocks up are not edges.
        matrix = matrix.tocsr()
        matrix.eliminate_zeros()
    if matrix.format != "csr":
        matrix = matrix.tocsr()
    return check_csr(matrix.indptr, matrix.indices, matrix.data)


def check_csr(indptr: Any, indices: Any, data: Any) -> CsrArrays:
    """Bring the arrays of a CSR matrix to supported dtypes; those that are stay uncopied."""
    indptr, indices = _validate.unmasked(indptr, "indptr"), _validate.unmasked(indices, "indices")
    data = _validate.unmasked(data, "data")
    for name, array in (("indptr", indptr), ("indices", indices), ("data", data)):
        if array.ndim != 1:
            raise ValueError(f"{name} must have one dimension, got shape {array.shape}")
    if not 1 <= len(indptr) <= _MAX_VERTICES + 1:
        raise ValueError(
            f"indptr has {len(indptr)} entries; a CSR matrix has one more than rows, "
            f"and at most {_MAX_VERTICES} rows are supported"
        )
    indptr = _as_index_array(indptr, "indptr")
    indices = _as_index_array(indices, "indices")
    if indices.dtype == np.int64:
        indices = _core.narrow_indices(indices, len(indptr) - 1)
    return indptr, indices, _in_place(normalise_weights(data))


def _as_index_array(values: Array, name: str) -> Array:
    """Return integers as a contiguous int32 or int64 array, `values` itself where it is one."""
    if values.dtype.kind not in "iu":
        # An empty list becomes an array of floats.
        if values.dtype == object and all(type(value) is int for value in values):
            largest = max(values, key=abs)
            raise ValueError(f"{name} contains {largest}, which is beyond the largest int64")
        if values.size:
            raise TypeError(f"{name} must be integers, got an array of {values.dtype}")
        return np.empty(0, np.int32)
    if values.dtype.kind == "u" and values.size and values.max() > np.iinfo(np.int64).max:
        raise ValueError(f"{name} contains {values.max()}, which is beyond the largest int64")
    if values.dtype not in (np.int32, np.int64):
        values = values.astype(np.int64)
    return _in_place(values)


def _in_place(array: Array) -> Array:
    """Return `array` itself if the core can read it where it lies, else a copy."""
    return np.require(array, requirements=["C_CONTIGUOUS", "ALIGNED"])


def normalise_weights(data: Array) -> Array:
    """Return weights as float32, float64, int32 or int64 without losing a bit."""
    kind, size = data.dtype.kind, data.dtype.itemsize
    if kind == "b" or (kind in "iu" and size < 4):
        return data.astype(np.int32)
    if kind == "u":
        if size == 8 and data.size and data.max() > np.iinfo(np.int64).max:
            raise OverflowError(f"the weight {data.max()} is beyond the largest int64")
        return data.astype(np.int64)
    if kind == "f" and size == 2:
        return data.astype(np.float32)
    if kind in "if" and size in (4, 8):
        # Foreign byte orders are converted, native ones pass through.
        return data.astype(data.dtype.newbyteorder("="), copy=False)
    raise TypeError(f"weights must be real numbers of at most 64 bits, got dtype {data.dtype}")


def _from_dense(graph: Any) -> CsrArrays:
    matrix = np.ma.asanyarray(_validate.as_array(graph, "a graph's matrix"))
    _require_square(matrix.shape)
    values = _in_place(normalise_weights(np.asarray(matrix.data)))
    mask = _in_place(np.ma.getmaskarray(matrix)) if np.ma.isMaskedArray(graph) else None
    return _core.csr_from_dense(values, mask)


def from_edges(row: Any, col: Any, data: Any, n: int) -> CsrArrays:
    """Return the CSR arrays of a list of edges; parallel edges stay, in the order of the list.

    Without `data` each weighs 1.
    """
    row, col = _validate.unmasked(row, "row"), _validate.unmasked(col, "col")
    data = np.ones(len(np.atleast_1d(row))) if data is None else _validate.unmasked(data, "data")
    for name, array in (("row", row), ("col", col), ("data", data)):
        if array.ndim != 1:
            raise ValueError(f"{name} must have one dimension, got shape {array.shape}")
    row, col = _as_index_array(row, "row"), _as_index_array(col, "col")
    if row.dtype != col.dtype:
        row, col = row.astype(np.int64), col.astype(np.int64)
    return _core.csr_from_edges(n, row, col, _in_place(normalise_weights(data)))


def _is_cupy_sparse(graph: Any) -> bool:
    return type(graph).__module__.startswith("cupyx.scipy.sparse")
