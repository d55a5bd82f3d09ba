"""A model of a road network with coordinates, the same on every machine.

Crossings are points: half of them anywhere in a square, the others in towns. Roads are the edges of
their Delaunay triangulation, without the longest side of each triangle. These include the relative
neighbourhood graph (Toussaint 1980), and with it the Euclidean minimum spanning tree, so that the
network is connected; a crossing has 2.6 roads on average, about as in real networks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_SIDE = 100_000  # metres
_TOWNS = 40
_RADIUS = 3_000.0  # of a town: standard deviation in metres
_STRIP = 1_000  # metres: crossings are numbered in strips from west to east


def crossings(n: int, seed: int) -> Array:
    """Return whole-numbered coordinates in metres, all different, at most `n` points."""
    rng = np.random.Generator(np.random.PCG64(seed))
    centres = rng.random((_TOWNS, 2)) * _SIDE
    # Sums of uniform numbers: unlike logarithms, they are the same on all machines.
    around = (rng.random((n // 2, 2, 4)).sum(axis=2) - 2) * (_RADIUS * np.sqrt(3))
    in_towns = centres[rng.integers(_TOWNS, size=n // 2)] + around
    anywhere = rng.random((n - n // 2, 2)) * _SIDE
    points = np.unique(np.floor(np.concatenate([in_towns, anywhere])), axis=0)
    inside = ((points >= 0) & (points < _SIDE)).all(axis=1)
    points = points[inside]
    x, y = points.T
    return np.ascontiguousarray(points[np.lexsort((y, x, y // _STRIP))])


def roads(points: Array) -> tuple[Array, Array, Array]:
    """Return (low, high, length): both ends of each road, and its length in metres, rounded up."""
    from scipy.spatial import Delaunay

    corners = Delaunay(points).simplices.astype(np.int64)
    sides = np.sort(corners[:, [[0, 1], [1, 2], [2, 0]]], axis=2)
    squares = ((points[sides[..., 0]] - points[sides[..., 1]]) ** 2).sum(axis=2)
    keys = sides[..., 0] * len(points) + sides[..., 1]
    # Of sides of equal length, one must stay in all triangles: the key decides.
    order = np.lexsort((keys, squares), axis=1)
    longest = np.take_along_axis(keys, order[:, 2:], axis=1)
    kept = np.setdiff1d(keys, longest)
    low, high = np.divmod(kept, len(points))
    length = np.sqrt(((points[low] - points[high]) ** 2).sum(axis=1))
    return low, high, np.ceil(length).astype(np.int64)
