"""Converts graphs of SciPy, NetworkX and libraries of arrays to the arrays of a CSR matrix."""

from __future__ import annotations

import logging
import numbers
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from warpgraph import _core
from warpgraph._arguments import nx_graphs, on_device, validate
from warpgraph._arguments.new_array import ones

logger = logging.getLogger("warpgraph")

Array = npt.NDArray[Any]
CsrArrays = tuple[Array, Array, Array]

_MAX_VERTICES = 2**31 - 1
_INDEX_DTYPES = (np.dtype(np.int32), np.dtype(np.int64))
#: Entries that are moved at a time, so that the array of their positions is small.
_ENTRIES_AT_ONCE = 1 << 18


def to_csr(graph: Any, weight: str | None, *, narrows: bool = True) -> CsrArrays:
    """Return (indptr, indices, data) of `graph`, without a copy if it is a SciPy CSR matrix.

    `weight` is the attribute of a NetworkX graph's edges that has their weights. With
    ``narrows=False``, the indices of a CSR matrix may be of int64, for the core to narrow.
    """
    if sp.issparse(graph):
        return _from_sparse(graph, narrows)
    if (arrays := _csr_elsewhere(graph)) is not None:
        _require_square(tuple(graph.shape))
        return check_csr(*arrays)
    if type(graph).__module__.startswith("cupyx.scipy.sparse"):
        return _from_sparse(graph.get())
    if nx_graphs.is_networkx(graph):
        arrays = nx_graphs.csr_of(graph, weight)
        if arrays is None:
            arrays = from_edges(*nx_graphs.edges_of(graph, weight), len(graph))
        return arrays
    if isinstance(graph, (np.ndarray, list)) or _is_tensor(graph):
        return _from_dense(graph)
    raise TypeError(
        "a graph must be a SciPy sparse matrix, a square NumPy array, a CuPy CSR matrix, "
        f"a NetworkX graph or a warpgraph.Graph, got {validate.type_name(graph)}"
        f"{_way_to_convert(graph)}"
    )


def csr_on_device(graph: Any, *, copy: bool) -> on_device.CsrOnDevice | None:
    """Return the arrays of a CSR matrix that lie on a device, as `on_device.csr` does."""
    arrays = None if sp.issparse(graph) else _csr_elsewhere(graph)
    if arrays is None:
        return None
    _require_square(tuple(graph.shape))
    return on_device.csr(arrays, copy=copy)


def _way_to_convert(graph: Any) -> str:
    """Return the end of the sentence of `to_csr`: which call takes such a graph, if any."""
    if hasattr(graph, "get_edgelist"):
        return "; use wg.Graph.from_igraph"
    if hasattr(graph, "columns"):  # a table of pandas, polars or pyarrow
        return "; use wg.Graph.from_dataframe"
    if getattr(graph, "is_sparse", False):
        return "; use its to_sparse_csr()"
    if hasattr(graph, "todense") and hasattr(graph, "n_batch"):
        return "; use jax.experimental.sparse.BCSR.from_bcoo"
    if isinstance(graph, (str, os.PathLike)):
        return "; use wg.Graph.read for a file"
    if validate.type_name(graph).startswith("warpgraph.") and hasattr(graph, "graph"):
        return "; use its attribute graph"
    return ""


def arrays_in_place(graph: Any) -> tuple[Any, Any, Any]:
    """Return the arrays that `to_csr` may return as they are; None for those that it makes."""
    if _format(graph) == "csr":
        return graph.indptr, graph.indices, graph.data
    return _csr_elsewhere(graph) or (None, None, None)


def is_sparse(matrix: Any) -> bool:
    """Return whether `matrix` is a sparse one, of SciPy, CuPy, PyTorch or JAX."""
    return bool(sp.issparse(matrix)) or _csr_elsewhere(matrix) is not None


def _csr_elsewhere(graph: Any) -> tuple[Any, Any, Any] | None:
    """Return the arrays of a CSR matrix of CuPy, PyTorch or JAX; None for others."""
    library = type(graph).__module__.partition(".")[0]
    if library == "torch" and str(getattr(graph, "layout", "")) == "torch.sparse_csr":
        return graph.crow_indices(), graph.col_indices(), graph.values()
    has_format = library == "cupyx" and getattr(graph, "format", "") == "csr"
    if has_format or (library == "jax" and hasattr(graph, "indptr")):
        return graph.indptr, graph.indices, graph.data
    return None


def _is_tensor(graph: Any) -> bool:
    """Return whether `graph` is a full matrix of another library than NumPy."""
    return hasattr(graph, "__dlpack__") and not getattr(graph, "is_sparse", False)


def _format(graph: Any) -> str:
    """Return the format of a sparse matrix of SciPy, "" for others."""
    return str(graph.format) if bool(sp.issparse(graph)) else ""


def tell_of_parallel(graph: Any, handle: _core.Graph) -> None:
    """Say how many parallel entries a sparse matrix has, of which `handle` was made.

    To SciPy, parallel entries of a COO matrix mean their sum, so that its ``tocsr()`` gives another
    graph: this is a warning. Parallel entries of CSR and CSC matrices stay apart in SciPy's
    csgraph, too: they are information in the log, and are counted only if this is logged.
    """
    form = _format(graph)
    is_told = form == "coo" or (form in ("csr", "csc") and logger.isEnabledFor(logging.INFO))
    if not is_told or _is_canonical(graph):
        return
    n_parallel = _core.count_parallel_arcs(handle)
    if not n_parallel:
        return
    found = f"the {form.upper()} matrix has {n_parallel} parallel entries"
    each = "each of which is an edge of its own: the lightest counts in paths"
    if form == "coo":
        validate.warn(
            f"{found}, {each}; SciPy adds them up, as its tocsr() does: pass matrix.tocsr() for "
            "their sums, or Graph.from_edges(row, col, data) for edges"
        )
    else:
        logger.info("%s, %s; most operations of SciPy add them up", found, each)


def _is_canonical(matrix: Any) -> bool:
    """Return whether a COO matrix is known to have no parallel entries; False for other formats."""
    return matrix.format == "coo" and bool(matrix.has_canonical_format)


def _require_square(shape: tuple[int, ...]) -> int:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"a graph's matrix must be square, got shape {tuple(shape)}")
    if shape[0] > _MAX_VERTICES:
        raise ValueError(
            f"the graph has {shape[0]} vertices; at most {_MAX_VERTICES} are supported"
        )
    return int(shape[0])


def _from_sparse(matrix: Any, narrows: bool = True) -> CsrArrays:
    n = _require_square(matrix.shape)
    if matrix.format == "coo":
        # tocsr() would sum parallel edges.
        row, col = matrix.coords if hasattr(matrix, "coords") else (matrix.row, matrix.col)
        return from_edges(row, col, matrix.data, n)
    if matrix.format == "csc":
        return _from_columns(matrix)
    if matrix.format == "bsr":
        matrix.check_format(full_check=True)
        # The zeros that pad its blocks are not edges.
        matrix = matrix.tocsr()
        matrix.eliminate_zeros()
    return check_csr(*_arrays_of(matrix.tocsr()), narrows=narrows)


def _from_columns(matrix: Any) -> CsrArrays:
    """Return the arrays of `matrix.tocsr()`, which all threads make."""
    indptr, indices, data = check_csr(matrix.indptr, matrix.indices, matrix.data)
    by_columns = _core.graph(indptr, indices, False)
    try:
        _core.set_weights(by_columns, data)
    except ValueError:
        if len(data) != len(indices):
            raise
        # The place of NaN in the matrix by rows is to be named.
        return check_csr(*_arrays_of(matrix.tocsr()))
    return by_columns.transpose(data.dtype, validate.NO_LIMIT)


def _arrays_of(matrix: Any) -> CsrArrays:
    return matrix.indptr, matrix.indices, matrix.data


def check_csr(indptr: Any, indices: Any, data: Any, *, narrows: bool = True) -> CsrArrays:
    """Convert the arrays of a CSR matrix to supported dtypes, without a copy where possible."""
    as_they_are = (
        _is_in_place(indptr, _INDEX_DTYPES)
        and _is_in_place(indices, _INDEX_DTYPES)
        and _is_in_place(data, validate.NUMBERS)
    )
    if not as_they_are:
        indptr, indices = (
            validate.unmasked(indptr, "indptr"),
            validate.unmasked(indices, "indices"),
        )
        data = as_weights(data, "data")
    for name, array in (("indptr", indptr), ("indices", indices), ("data", data)):
        if array.ndim != 1:
            raise ValueError(f"{name} must have one dimension, got shape {array.shape}")
    if not 1 <= len(indptr) <= _MAX_VERTICES + 1:
        raise ValueError(
            f"indptr has {len(indptr)} entries; a CSR matrix has one more than rows, "
            f"and at most {_MAX_VERTICES} rows are supported"
        )
    if not as_they_are:
        indptr = as_index_array(indptr, "indptr")
        indices = as_index_array(indices, "indices")
        data = validate.in_place(normalise_weights(data))
    if indices.dtype == np.int64 and (narrows or not len(indices)):
        indices = _core.narrow_indices(indices, len(indptr) - 1)
    return indptr, indices, data


def _is_in_place(array: Any, dtypes: tuple[np.dtype[Any], ...]) -> bool:
    """Return whether the core can read `array` in place, by checks that take hardly any time.

    Where they say no, `validate.in_place` may still find that it can.
    """
    if type(array) is not np.ndarray or array.dtype not in dtypes:
        return False
    flags = array.flags
    return flags.c_contiguous and flags.aligned


def as_index_array(values: Array, name: str) -> Array:
    """Return integers as a contiguous int32 or int64 array, `values` itself where it is one."""
    if values.dtype.kind not in "iu":
        if not values.size:  # an empty list becomes an array of floats
            return np.empty(0, np.int32)
        if values.dtype == object and all(type(value) is int for value in values):
            largest = max(values, key=abs)
            if not -(2**63) <= largest < 2**63:
                raise ValueError(f"{name} contains {largest}, which is beyond the largest int64")
            return as_index_array(values.astype(np.int64), name)
        raise TypeError(f"{name} must be integers, got an array of {values.dtype}")
    if values.dtype.kind == "u" and values.size and values.max() > np.iinfo(np.int64).max:
        raise ValueError(f"{name} contains {values.max()}, which is beyond the largest int64")
    # Foreign byte orders are converted, native ones pass through.
    fits = values.dtype.itemsize + (values.dtype.kind == "u") <= 4
    return validate.in_place(values.astype(np.int32 if fits else np.int64, copy=False))


def as_weights(values: Any, name: str) -> Array:
    """Return a caller's weights as an array; refuse masked entries and integers beyond int64."""
    array = validate.unmasked(values, name)
    # NumPy makes floats of integers if some are beyond int64.
    is_list = array.dtype.kind == "f" and isinstance(values, (list, tuple)) and len(values) > 0
    if is_list and all(isinstance(value, numbers.Integral) for value in values):
        largest = validate.shown(max(values, key=abs))
        raise OverflowError(f"the weight {largest} is beyond the largest int64")
    return array


def normalise_weights(data: Array) -> Array:
    """Return weights as float32, float64, int32 or int64 without losing a bit.

    Only float32 weights become float32, because distances get the dtype of the weights.
    """
    kind, size = data.dtype.kind, data.dtype.itemsize
    if kind == "b" or (kind in "iu" and size < 4):
        return data.astype(np.int32)
    if kind == "u":
        if size == 8 and data.size and data.max() > np.iinfo(np.int64).max:
            raise OverflowError(f"the weight {data.max()} is beyond the largest int64")
        return data.astype(np.int64)
    if kind == "f" and size == 2:
        return data.astype(np.float64)
    if kind in "if" and size in (4, 8):
        # Foreign byte orders are converted, native ones pass through.
        return data.astype(data.dtype.newbyteorder("="), copy=False)
    # NumPy has no other type than objects for integers beyond 64 bits.
    if kind == "O" and data.size and all(type(value) is int for value in data.flat):
        largest = max(data.flat, key=abs)
        if abs(largest) >= 2**63:
            raise OverflowError(
                f"the weight {validate.shown(largest)} is beyond the largest int64; pass float64"
            )
    raise TypeError(f"weights must be real numbers of at most 64 bits, got dtype {data.dtype}")


def _from_dense(graph: Any) -> CsrArrays:
    matrix = np.ma.asanyarray(validate.as_array(graph, "a graph's matrix"))
    _require_square(matrix.shape)
    values = validate.in_place(normalise_weights(np.asarray(matrix.data)))
    mask = validate.in_place(np.ma.getmaskarray(matrix)) if np.ma.isMaskedArray(graph) else None
    return _core.csr_from_dense(values, mask)


def from_edges(row: Any, col: Any, data: Any, n: int) -> CsrArrays:
    """Return the CSR arrays of a list of edges; parallel edges stay, in the order of the list.

    Without `data` each weighs 1.
    """
    row, col, data = checked_edges(row, col, data)
    if data is not None:
        return _core.csr_from_edges(n, row, col, data)
    # Weights of 4 bytes instead of 8, which are not used, save memory in the sort of the arcs.
    indptr, indices, _ = _core.csr_from_edges(n, row, col, ones(len(row), np.float32))
    return indptr, indices, ones(len(indices))


def checked_edges(row: Any, col: Any, data: Any) -> tuple[Array, Array, Array | None]:
    """Return the arrays of a list of edges with types that the core takes."""
    row, col = validate.unmasked(row, "row"), validate.unmasked(col, "col")
    data = None if data is None else as_weights(data, "data")
    for name, array in (("row", row), ("col", col), ("data", data)):
        if array is not None and array.ndim != 1:
            raise ValueError(f"{name} must have one dimension, got shape {array.shape}")
    check_lengths(row, col, data)
    row, col = as_index_array(row, "row"), as_index_array(col, "col")
    if row.dtype != col.dtype:
        row, col = row.astype(np.int64), col.astype(np.int64)
    return row, col, None if data is None else validate.in_place(normalise_weights(data))


def check_lengths(row: Array, col: Array, data: Array | None) -> None:
    """Refuse arrays of edges that are not equally long."""
    arrays = {"row": row, "col": col} | ({} if data is None else {"data": data})
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        *most, last = (f"{name} has {n}" for name, n in lengths.items())
        raise ValueError(
            "an edge list has an entry for each edge in every array, but "
            f"{', '.join(most)} and {last}"
        )


def from_undirected(
    edges: list[Any],
    n: int,
    *,
    lacks: Array | None = None,
    negates: bool = False,
    mirrors_first: bool = False,
) -> CsrArrays:
    """Return the CSR arrays of a list [row, col, data] of edges that are stored both ways.

    The list is emptied, so that its arrays are freed early. `lacks` are the edges that get a mirror
    in the list; by default all but loops. In each row, the mirrored entries are after the others,
    or before them if `mirrors_first`; they have the opposite weight if `negates`. Without data,
    each weighs 1.
    """
    row, col, data = edges
    edges.clear()
    weightless = data is None
    if weightless:
        data = ones(len(row), np.float32)
    # The two halves are sorted one after the other: a sort takes more memory than its result.
    given = list(_core.csr_from_edges(n, row, col, data))
    if weightless:
        given.pop()
    lacks = row != col if lacks is None else lacks
    if not lacks.all():
        row, col, data = row[lacks], col[lacks], data[lacks]
    if negates:
        data = np.negative(data)
    mirrors = list(_core.csr_from_edges(n, col, row, data))
    if weightless:
        mirrors.pop()
    del row, col, data, lacks
    former, latter = (mirrors, given) if mirrors_first else (given, mirrors)
    indptr, indices, *weights = _joined_rows(former, latter)
    return indptr, indices, ones(len(indices)) if weightless else weights[0]


def _joined_rows(former: list[Array], latter: list[Array]) -> list[Array]:
    """Return CSR arrays in which each row is the row of `former`, then that of `latter`.

    The arrays after indptr are removed from both lists.
    """
    starts = former[0], latter[0]
    # NumPy allocates the joined arrays, below: nothing else states their bytes.
    n_bytes = sum(array.nbytes for array in (*former, *latter))
    validate.NO_LIMIT.require("storing every edge both ways", n_bytes, "use a smaller graph")
    arrays = [starts[0] + starts[1]]
    # Number of positions by which the entries of a row move.
    shifts = starts[1][:-1], starts[0][1:]
    while len(former) > 1:
        pair = former.pop(1), latter.pop(1)
        whole = np.empty(sum(map(len, pair)), pair[0].dtype)
        for indptr, shift, entries in zip(starts, shifts, pair, strict=True):
            for positions, some in _moved(indptr, shift):
                whole[positions] = entries[some]
        arrays.append(whole)
    return arrays


def _moved(indptr: Array, shift: Array) -> Iterator[tuple[Array, slice]]:
    """Yield (new positions, old positions) of the entries of a CSR matrix, some at a time."""
    at_once = _ENTRIES_AT_ONCE
    for row in range(0, len(shift), at_once):
        ends = indptr[row : row + at_once + 1]
        for first in range(int(ends[0]), int(ends[-1]), at_once):
            last = min(first + at_once, int(ends[-1]))
            lengths = np.diff(ends.clip(first, last))
            moves = np.repeat(shift[row : row + at_once], lengths)
            yield np.arange(first, last) + moves, slice(first, last)
