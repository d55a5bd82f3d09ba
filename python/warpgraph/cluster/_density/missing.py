"""Points that are missing, rows with NaN or inf, beside the clusters of the others.

The clusters are those of the finite points alone. A missing point leaves the root at lambda = 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

#: A stand-in for the dendrogram of no points: two points that nothing joins, which are noise.
_STAND_IN = (0.0, 1.0, np.inf, 2.0)


def missing_of(rows: Array, n: int) -> npt.NDArray[np.bool_]:
    """Return which of n points are not in `rows`."""
    missing = np.ones(n, bool)
    missing[rows] = False
    return missing


def finite_linkage(linkage: Array, rows: Array | None) -> Array:
    """Return the dendrogram of the points in `rows` alone, which are joined first; None: all.

    If `rows` is empty, it is that of two points that are noise.
    """
    if rows is None:
        return linkage
    if not len(rows):
        return np.array([_STAND_IN])
    n, n_finite = len(linkage) + 1, len(rows)
    finite: Array = linkage[: n_finite - 1].copy()
    if np.isinf(finite[-1:, 2]).any():  # a tree without edges: all points join in their order
        rows = np.arange(n_finite)
    number = np.zeros(n + n_finite)  # the new one of each node
    number[rows] = np.arange(n_finite)
    number[n:] = np.arange(n_finite, 2 * n_finite)
    finite[:, :2] = number[finite[:, :2].astype(np.int64)]
    return finite


def with_missing(found: Iterable[Array], rows: Array | None, n: int) -> list[Array]:
    """Return labels and probabilities of n points; those of missing points are -1 and 0.

    found: of the points of `finite_linkage`, along the last dimension.
    """
    if rows is None:
        return list(found)
    return [_spread(values, rows, n, none) for values, none in zip(found, (-1, 0), strict=True)]


def tree_with_missing(parts: Any, rows: Array | None, n: int) -> Any:
    """Return the arrays of a condensed tree with missing points, which leave the root first."""
    if rows is None:
        return parts
    clusters, lambdas, parents, births, deaths, sizes, stabilities = parts
    sizes[0] = n
    points = _spread(clusters, rows, n, 0), _spread(lambdas, rows, n, 0)
    return *points, parents, births, deaths, sizes, stabilities


def _spread(values: Array, rows: Array, n: int, none: int) -> Array:
    result = np.full((*values.shape[:-1], n), none, values.dtype)
    result[..., rows] = values[..., : len(rows)]
    return result
