"""The spanning forest of a full matrix of distances."""

from __future__ import annotations

from typing import Any

from warpgraph import _core
from warpgraph._forest import SpanningForest
from warpgraph._points import as_real


def dense_mst(distances: Any) -> SpanningForest:
    """Return the minimum spanning forest of an (n, n) array of distances.

    Distances may be 0; inf means that no edge joins the two. The matrix is read row by row and
    never copied if it is C-contiguous and of float32 or float64, so it may be a ``numpy.memmap``.
    O(n^2) time, O(n) memory.
    """
    matrix = as_real(distances)
    if matrix.size == 0:
        raise ValueError(
            f"the matrix of distances is empty: 0 feature(s) (shape={matrix.shape}) while a "
            "minimum of 1 is required."
        )
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"a matrix of distances must be square, got shape {matrix.shape}")
    edges, weights = _core.dense_mst(matrix)
    return SpanningForest(matrix.shape[0], edges, weights)
