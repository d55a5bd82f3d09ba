"""An order of points that depends on the points alone: ties that it decides are the same in any."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def by_coordinates(points: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the rows of points, ordered by the first coordinate, then by the second, and so on."""
    if not points.shape[1]:
        return np.arange(len(points))
    order = np.argsort(points[:, 0])
    first = points[order, 0]
    # Mostly, few points share their first coordinate. Only these are ordered by the others.
    is_tied = np.zeros(len(points), bool)
    is_tied[1:] = first[1:] == first[:-1]
    is_tied[:-1] |= is_tied[1:]
    rows = order[is_tied]
    order[is_tied] = rows[np.lexsort(points[rows].T[::-1])]
    return order
