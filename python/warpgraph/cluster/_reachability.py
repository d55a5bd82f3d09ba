"""Spanning trees of mutual-reachability distances, and what points lack for them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _outputs, _validate
from warpgraph._forest import SpanningForest
from warpgraph._knn import core_distances, normalised
from warpgraph._networkx import DEFAULT_WEIGHT
from warpgraph._points import (
    MAX_POINTS,
    as_points,
    as_real,
    first_not_finite,
    on_host,
    points_anywhere,
    shape_of,
)
from warpgraph._single_linkage import in_order, is_graph, spanning_forest_of

Array = npt.NDArray[Any]


class Reachability(NamedTuple):
    """The mutual-reachability distances of a fit."""

    metric: str
    min_samples: int
    alpha: float


def rows_of(X: Any) -> tuple[Array, Array | None]:
    """Return points, and the numbers of the rows that are finite, at least one; None: all are."""
    array, rows = finite_rows(X)
    if rows is not None and not len(rows):
        raise ValueError(f"all {len(array)} rows of X have NaN or inf: there is nothing to cluster")
    return array, rows


def finite_rows(X: Any) -> tuple[Array, Array | None]:
    """Return points, and the numbers of the rows that are finite; None: all are."""
    if np.ma.is_masked(X):
        X = np.ma.filled(X.astype(np.result_type(X, np.float32)), np.nan)
    array = as_real(X)
    if array.ndim != 2 or not 0 < len(array) <= MAX_POINTS or array.shape[1] == 0:
        return as_points(array), None  # names what is wrong
    if first_not_finite(array) == array.size:
        return array, None
    return array, np.flatnonzero(np.isfinite(array).all(axis=1)).astype(np.int32)


def directions(points: Array, rows: Array | None) -> Array:
    """Return points divided by their lengths; rows that are not in `rows` become NaN."""
    if rows is None:
        return normalised(points)
    units = np.full(points.shape, np.nan, points.dtype)
    if not len(rows):
        return units
    try:
        units[rows] = normalised(points[rows])
    except ValueError:  # a row of zeros, by its number in X
        return normalised(np.where(np.isfinite(points), points, 1))
    return units


def to_cosine(distances: Array) -> Array:
    """Return the cosine distances, 1 - cos, of unit vectors at these Euclidean distances."""
    return np.asarray(np.square(distances, dtype=np.float64) / 2)


def points_and_rows(X: Any, metric: str) -> tuple[Any, Array | None]:
    """Return the points of a metric, and the numbers of the rows that count; None: all do."""
    if _outputs.is_device_array(X):
        return (
            (X, None) if metric == "euclidean" else (normalised(on_host(points_anywhere(X))), None)
        )
    points, rows = rows_of(X)
    return (directions(points, rows) if metric == "cosine" else points), rows


def cores_of_points(
    points: Any, rows: Array | None, metric: str, min_samples: int, **options: Any
) -> Array:
    """Return the core distances of points; those that are not in `rows` have inf."""
    found = core_distances(points if rows is None else points[rows], min_samples, **options)
    if metric == "cosine":
        found = to_cosine(found)
    if rows is None:
        return found
    everywhere = np.full(len(points), np.inf)
    everywhere[rows] = found
    return everywhere


def forest_of_points(
    points: Any, rows: Array | None, metric: str, min_samples: int, alpha: float, **options: Any
) -> SpanningForest:
    """Return the tree of points; those that are not in `rows` have no edges.

    metric: "euclidean", or "cosine" for unit vectors.
    """
    check_samples(min_samples, len(points) if rows is None else len(rows), rows is None)
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
    shape = () if is_graph(X) else shape_of(X)
    if len(shape) == 2:
        check_samples(min_samples, shape[0])
    if alpha != 1:
        raise ValueError(
            f"alpha={alpha:g} needs points: with metric='precomputed' distances are as they are"
        )
    return spanning_forest_of(X, "precomputed", weight, min_samples=min_samples, **options)


def check_samples(min_samples: int, n: int, all_finite: bool = True) -> None:
    """Refuse more samples than there are points."""
    if min_samples > n > 0:
        finite = "" if all_finite else " that are finite"
        raise ValueError(
            f"min_samples={min_samples} is more than there are points{finite}: n_samples={n}"
        )


def positive_number(value: Any, name: str) -> float:
    """Return a finite number > 0."""
    number = _validate.as_float(value, name)
    if not 0 < number < np.inf:
        raise ValueError(f"{name} must be a finite number above 0, got {number}")
    return number
