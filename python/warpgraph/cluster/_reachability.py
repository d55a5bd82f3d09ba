"""Spanning trees of mutual-reachability distances, and what points lack for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _validate
from warpgraph._forest import SpanningForest
from warpgraph._networkx import DEFAULT_WEIGHT
from warpgraph._points import as_points, as_real
from warpgraph._single_linkage import in_order, spanning_forest_of

Array = npt.NDArray[Any]


def rows_of(X: Any) -> tuple[Array, Array | None]:
    """Return points, and the numbers of the rows that are finite; None: all are."""
    if np.ma.is_masked(X):
        X = np.ma.filled(X.astype(np.result_type(X, np.float32)), np.nan)
    array = as_real(X)
    if array.ndim != 2 or 0 in array.shape:
        return as_points(array), None  # names what is wrong
    finite = np.isfinite(array).all(axis=1)
    if finite.all():
        return array, None
    if not finite.any():
        raise ValueError(f"all {len(array)} rows of X have NaN or inf: there is nothing to cluster")
    return array, np.flatnonzero(finite).astype(np.int32)


def directions(points: Array, rows: Array | None) -> Array:
    """Return points divided by their lengths; `rows`: the numbers of those that count."""
    with np.errstate(all="ignore"):
        largest = np.abs(points).max(axis=1, keepdims=True)
        scaled = points / largest  # so that no square overflows
        units = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
    counted = largest[:, 0] if rows is None else largest[rows, 0]
    if not counted.all():
        row = int(np.argmin(counted != 0))
        row = row if rows is None else int(rows[row])
        raise ValueError(f"row {row} of X is 0, which has no direction: metric='cosine' needs one")
    return np.ascontiguousarray(units, points.dtype)


def to_cosine(distances: Array) -> Array:
    """Return the cosine distances, 1 - cos, of unit vectors at these Euclidean distances."""
    return np.asarray(np.square(distances, dtype=np.float64) / 2)


def forest_of_points(
    points: Any, rows: Array | None, metric: str, min_samples: int, alpha: float, **options: Any
) -> SpanningForest:
    """Return the tree of points; those that are not in `rows` have no edges.

    metric: "euclidean", or "cosine" for unit vectors.
    """
    n = len(points) if rows is None else len(rows)
    if min_samples > n:
        finite = "" if rows is None else " that are finite"
        raise ValueError(
            f"min_samples={min_samples} is more than there are points{finite}: n_samples={n}"
        )
    if metric == "cosine":
        alpha = float(np.sqrt(alpha))  # of Euclidean distances, whose squares are divided by alpha
    counted = points if rows is None else points[rows]
    forest = spanning_forest_of(
        counted, "euclidean", DEFAULT_WEIGHT, min_samples=min_samples, alpha=alpha, **options
    )
    weights = to_cosine(forest.weights) if metric == "cosine" else forest.weights
    edges = forest.edges if rows is None else rows[forest.edges]
    return SpanningForest._found(len(points), edges, weights, None)


def forest_of_distances(
    X: Any, weight: str | None, min_samples: int, alpha: float, **options: Any
) -> SpanningForest:
    """Return the forest of a matrix of distances or of a graph; a forest as it is."""
    if isinstance(X, SpanningForest):
        return in_order(spanning_forest_of(X, "precomputed", weight, **options))
    forest: SpanningForest = spanning_forest_of(
        X, "precomputed", weight, min_samples=min_samples, alpha=alpha, **options
    )
    return forest


def positive_number(value: Any, name: str) -> float:
    """Return a finite number > 0."""
    number = float(_validate.real(value, name))
    if not 0 < number < np.inf:
        raise ValueError(f"{name} must be a finite number above 0, got {number}")
    return number
