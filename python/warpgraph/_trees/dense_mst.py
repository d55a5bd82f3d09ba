"""The spanning forest of a full matrix of distances."""

from __future__ import annotations

import logging
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.new_array import new_arrays
from warpgraph._arguments.points import as_real
from warpgraph._graph import plan
from warpgraph._trees.emst import samples
from warpgraph._trees.forest import SpanningForest

logger = logging.getLogger("warpgraph")


def dense_mst(
    distances: Any,
    *,
    min_samples: int = 1,
    alpha: float = 1.0,
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> SpanningForest:
    """Return the minimum spanning forest of an (n, n) array of distances, or of condensed ones.

    Distances may be 0; inf, or a masked entry, means that no edge joins the two. The matrix is read
    row by row and never copied if it is C-contiguous, of float32 or float64, and not masked, so it
    may be a ``numpy.memmap``. O(n^2) time, O(n) memory. With `min_samples` and `alpha`, weights are
    mutual-reachability distances, as of `euclidean_mst`.
    """
    ledger = validate.ledger(memory_limit)
    matrix = distance_matrix(distances, ledger)
    min_samples = samples(min_samples, len(matrix))
    plan.refuse_distances()
    logger.info(
        "finding the tree of a matrix reads its %.3g entries (%.3g GB) three times",
        matrix.size,
        matrix.nbytes / 1e9,
    )
    report = validate.progress(progress, "spanning tree of a matrix")
    alpha = divisor_of_distances(alpha, matrix.dtype)
    edges, weights = _core.dense_mst(matrix, min_samples, alpha, ledger, report)
    # Divided by alpha, distances may have become inf, so that edges are missing, or 0.
    if alpha != 1 and (len(edges) < len(matrix) - 1 or not weights.all()):
        for row in matrix:
            refuse_lost_distances(row, alpha)
    forest = SpanningForest(matrix.shape[0], edges, weights)
    forest._is_maximum = False
    return forest


def divisor_of_distances(alpha: Any, dtype: np.dtype[Any]) -> float:
    """Return `alpha`, which divides distances, if it is above 0 and finite in their dtype."""
    number = validate.as_float(alpha, "alpha")
    with np.errstate(over="ignore", under="ignore"):
        there = float(dtype.type(number))
    if not 0 < there < np.inf:
        raise ValueError(f"alpha must be a finite number above 0 as {dtype}, got {number}")
    return number


def refuse_lost_distances(distances: npt.NDArray[Any], alpha: float) -> None:
    """Refuse distances that become inf or 0 when they are divided by `alpha`."""
    with np.errstate(over="ignore", under="ignore"):
        divided = distances / distances.dtype.type(alpha)
    lost = (np.isinf(divided) & np.isfinite(distances)) | ((divided == 0) & (distances > 0))
    if lost.any():
        raise lost_distance(distances[lost.argmax()], alpha)


def lost_distance(distance: np.floating[Any], alpha: float) -> OverflowError:
    """Return the error of a distance that becomes inf or 0 when it is divided by `alpha`."""
    return OverflowError(
        f"alpha={alpha:g} takes the distance {distance:g} out of the range of {distance.dtype}; "
        "multiply all distances by a number, or choose an alpha nearer to 1"
    )


def distance_matrix(
    distances: Any, memory_limit: validate.MemoryLimitLike | _core.Ledger = None
) -> npt.NDArray[Any]:
    """Return a square array of floats; masked entries become inf.

    Condensed distances, n (n - 1) / 2 numbers in the order of ``scipy.spatial.distance.pdist``, are
    copied to the full matrix. What is copied is charged.
    """
    ledger = validate.ledger(memory_limit)
    if isinstance(distances, np.ndarray) and distances.dtype.kind in "biuf":
        distances = _in_place(distances, ledger)
    elif np.ma.isMaskedArray(distances):
        distances = np.ma.filled(distances.astype(np.result_type(distances, np.float32)), np.inf)
    matrix = as_real(distances)
    if matrix.size == 0:
        raise ValueError(
            f"the matrix of distances is empty: 0 feature(s) (shape={matrix.shape}) while a "
            "minimum of 1 is required."
        )
    if n := n_of_condensed(matrix.shape):
        return _full(matrix, n, ledger)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"a matrix of distances must be square, got shape {matrix.shape}; condensed, it has "
            "n (n - 1) / 2 numbers"
        )
    return matrix


def n_of_condensed(shape: tuple[int, ...]) -> int:
    """Return the number of points of condensed distances, or 0 if they cannot have this shape."""
    if len(shape) != 1:
        return 0
    n = (1 + math.isqrt(1 + 8 * shape[0])) // 2
    return n if n > 1 and n * (n - 1) == 2 * shape[0] else 0


def _in_place(distances: npt.NDArray[Any], ledger: _core.Ledger) -> npt.NDArray[Any]:
    """Return an array that the core can read in place; a copy of any other one is charged."""
    kind, is_masked = distances.dtype, np.ma.isMaskedArray(distances)
    flags = distances.flags
    if kind in validate.REALS and flags.c_contiguous and flags.aligned and not is_masked:
        return distances
    if is_masked:
        kind = np.result_type(distances, np.float32)
    advice = "pass a C-contiguous array of float32 or float64"
    wanted = distances.shape, kind if kind in validate.REALS else np.float64
    (made,) = new_arrays(ledger, "a copy of the distances", advice, wanted)
    with np.errstate(over="ignore"):  # of long doubles, as `as_real` does
        np.copyto(made, np.ma.getdata(distances), casting="unsafe")
    if is_masked:
        np.copyto(made, np.inf, where=np.ma.getmask(distances))
    return made


def _full(condensed: npt.NDArray[Any], n: int, ledger: _core.Ledger) -> npt.NDArray[Any]:
    advice = "pass a sparse graph, or the points themselves"
    what, wanted = "the full matrix of condensed distances", ((n, n), condensed.dtype)
    (full,) = new_arrays(ledger, what, advice, wanted)
    np.fill_diagonal(full, 0)
    first = 0
    for i in range(n - 1):
        last = first + n - 1 - i
        full[i, i + 1 :] = full[i + 1 :, i] = condensed[first:last]
        first = last
    return full
