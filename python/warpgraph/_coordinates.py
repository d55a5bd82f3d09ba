"""Coordinates of vertices: for pictures and files, not read by any algorithm."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _validate
from warpgraph._points import missing_as_nan

Coordinates = npt.NDArray[np.float64]


def given(coordinates: Any, n_vertices: int) -> Coordinates:
    """Return the coordinates that a caller gave: a read-only array of shape (n_vertices, d)."""
    array = missing_as_nan(_validate.unmasked(coordinates, "coordinates"))
    if array.dtype == object and all(isinstance(x, numbers.Real) for x in array.flat):
        array = array.astype(np.float64)  # a table of pandas, of types that may miss values
    if array.dtype.kind not in "biuf":
        raise TypeError(f"coordinates must be real numbers, got an array of {array.dtype}")
    if array.ndim != 2 or len(array) != n_vertices or array.shape[1] == 0:
        raise ValueError(
            f"coordinates must have a row for each of the {n_vertices} vertices, shape "
            f"({n_vertices}, d), got shape {array.shape}"
        )
    with np.errstate(over="ignore"):  # inf is refused
        positions: Coordinates = _validate.in_place(array, np.float64).view()
    if not np.isfinite(positions).all():
        v = int(np.argmin(np.isfinite(positions).all(axis=1)))
        raise ValueError(
            f"coordinates[{v}] is {positions[v].tolist()}, but each must be a finite number"
        )
    positions.flags.writeable = False
    return positions


def permuted(coordinates: Coordinates | None, order: Any) -> Coordinates | None:
    """Return coordinates after renumbering: vertex i was `order[i]`."""
    if coordinates is None:
        return None
    moved: Coordinates = coordinates[order]
    moved.flags.writeable = False
    return moved
