"""The dendrogram of the branches that are large enough to show."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Condensed(NamedTuple):
    """A dendrogram whose leaves are branches of the whole dendrogram."""

    joins: Array  # SciPy's format; counts are of leaves here
    rows: Array  # of each join: its row in the whole
    sizes: Array  # of each leaf, then of each join: vertices in the whole


def condense(linkage: Array, min_size: int) -> Condensed:
    """Return the dendrogram of all branches with at least `min_size` >= 2 vertices.

    A leaf is such a branch with no two such branches below it. Smaller branches are left out, and
    so are the joins with them: the larger branch continues, and its size includes the smaller one.
    """
    n = len(linkage) + 1
    ends = linkage[:, :2].astype(np.int64)
    sizes = np.concatenate([np.ones(n), linkage[:, 3]]).astype(np.int64)
    large = sizes >= min_size
    large_ends = large[ends].sum(axis=1)
    stands_for = np.full(len(sizes), -1)
    leaves = n + np.flatnonzero(large[n:] & (large_ends == 0))
    stands_for[leaves] = np.arange(len(leaves))
    rows = np.flatnonzero(large_ends == 2)
    stands_for[n + rows] = len(leaves) + np.arange(len(rows))
    names = stands_for.tolist()
    going_on = np.flatnonzero(large_ends == 1)
    carriers = np.where(large[ends[going_on, 0]], ends[going_on, 0], ends[going_on, 1])
    for row, carrier in zip(going_on.tolist(), carriers.tolist(), strict=True):
        names[n + row] = names[carrier]  # of an earlier row, or a leaf or join
    stands_for = np.array(names)
    joins = np.empty((len(rows), 4))
    joins[:, :2] = np.sort(stands_for[ends[rows]], axis=1)
    joins[:, 2] = linkage[rows, 2]
    final = np.zeros(len(leaves) + len(rows), np.int64)
    np.maximum.at(final, stands_for[stands_for >= 0], sizes[stands_for >= 0])
    counts = np.ones(len(final), np.int64)
    for i, (a, b) in enumerate(joins[:, :2].astype(np.int64).tolist()):
        counts[len(leaves) + i] = counts[a] + counts[b]
    joins[:, 3] = counts[len(leaves) :]
    return Condensed(joins, rows, final)
