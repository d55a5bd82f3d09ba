"""A check of the arrays of sparse matrices before SciPy's functions read them.

SciPy checks the arrays of a matrix when it is made, but not those that are written into it later.
Its compiled functions follow any number that they find there, so a wrong one ends the process.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from warpgraph._graph.graph import Graph
from warpgraph._graph.turns import TurnGraph

_COMPRESSED = ("csr", "csc", "bsr")


def require_well_formed(graph: Any) -> None:
    """Raise a ValueError if an array of a sparse matrix points outside of it.

    Raise a TypeError for a graph of this package, which is no matrix. Anything else is not checked.
    """
    if isinstance(graph, TurnGraph):
        raise TypeError(
            "csgraph takes matrices, got a graph with turns: warpgraph.sssp, many_to_many and "
            "shortest_path search with turns"
        )
    if isinstance(graph, Graph):
        raise TypeError(
            "csgraph takes matrices, got a warpgraph.Graph: pass graph.to_csr(), or call "
            "warpgraph's own functions, such as warpgraph.sssp"
        )
    is_sparse: bool = sp.issparse(graph)
    if not is_sparse or len(graph.shape) != 2:
        return
    if graph.format in _COMPRESSED:
        _check_compressed(graph)
    elif graph.format == "coo":
        for name, n in zip(("row", "col"), graph.shape, strict=True):
            _check_range(getattr(graph, name), n, name)
    elif graph.format == "lil":
        columns = [row for row in graph.rows if row]
        if columns:
            _check_range(np.concatenate(columns), graph.shape[1], "rows")


def _check_compressed(graph: Any) -> None:
    """Check a CSR, CSC or BSR matrix; there may be more entries than `indptr` ends at."""
    n_rows, n_columns = graph.shape
    if graph.format == "csc":
        n_rows, n_columns = n_columns, n_rows
    elif graph.format == "bsr":
        rows, columns = graph.blocksize
        n_rows, n_columns = n_rows // rows, n_columns // columns
    indptr, indices = graph.indptr, graph.indices
    for name, array in (("indptr", indptr), ("indices", indices)):
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise ValueError(
                f"{name} must be a list of integers, got an array of {array.dtype} of shape "
                f"{array.shape}"
            )
    if len(indptr) != n_rows + 1:
        raise ValueError(f"indptr has {len(indptr)} entries, but {n_rows + 1} were expected")
    if indptr[0] != 0:
        raise ValueError(f"indptr[0] is {indptr[0]}, but a {graph.format} matrix starts at 0")
    falls = indptr[1:] < indptr[:-1]
    if falls.any():
        i = int(falls.argmax())
        raise ValueError(
            f"indptr is not sorted: indptr[{i}] is {indptr[i]} and indptr[{i + 1}] is "
            f"{indptr[i + 1]}, but it must not fall"
        )
    n_stored = min(len(indices), len(graph.data))
    if indptr[-1] > n_stored:
        raise ValueError(f"indptr ends at {indptr[-1]}, but there are {n_stored} stored entries")
    _check_range(indices[: indptr[-1]], n_columns, "indices")


def _check_range(numbers: Any, n: int, name: str) -> None:
    """Raise a ValueError unless each number is in ``0 .. n - 1``."""
    if not len(numbers) or (numbers.min() >= 0 and numbers.max() < n):
        return
    i = int(((numbers < 0) | (numbers >= n)).argmax())
    raise ValueError(f"{name}[{i}] is {numbers[i]}, which is not in 0..{n - 1}")
