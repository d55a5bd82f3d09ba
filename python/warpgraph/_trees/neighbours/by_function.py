"""Neighbours of points under a metric that is a function of the caller."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device
from warpgraph._arguments.new_array import concatenate_to, new_arrays
from warpgraph._trees.neighbours import functions, given
from warpgraph._trees.neighbours.metrics import MetricPoints

Array = npt.NDArray[Any]
Report = functions.Report


def matrix_of(
    points: MetricPoints,
    device: Any,
    ledger: _core.Ledger,
    progress: Report,
    what: str,
    rows: Array | None = None,
) -> Array:
    """Return the distances of all pairs of points; the cores compute them.

    rows: the numbers of the points in errors, if others were left out.
    """
    _device.require_cpu(device, f"{what} by a metric that is a function")
    searched: Any = points.searched
    return functions.matrix(points.metric.function, searched, ledger, progress, rows)


def nearest(
    matrix: Array,
    neighbours: Array | None,
    distances: Array | None,
    farthest: Array | None,
    k: int,
    include_self: bool,
    ledger: _core.Ledger,
) -> None:
    """Write neighbours of all points, distances, and those to the last ones, as `knn.search`."""
    if farthest is not None:
        farthest[:] = _core.dense_core_distances(matrix, k, None)
    if neighbours is not None:
        found = given.nearest_of_matrix(matrix, k, include_self, ledger, None)
        neighbours[:] = found[0]
        if distances is not None:
            distances[:] = found[1]


def nearest_of_queries(
    points: MetricPoints,
    queries: MetricPoints,
    indices: Array,
    distances: Array,
    ledger: _core.Ledger,
    progress: Report,
) -> None:
    """Write the nearest points of each query, those at equal distances by number."""
    row, k = 0, indices.shape[1]
    searched: Any = points.searched
    others: Any = queries.searched
    for block in functions.blocks(points.metric.function, searched, others, ledger, progress):
        for found in block:
            near = np.flatnonzero(found <= np.partition(found, k - 1)[k - 1])
            indices[row] = near[np.argsort(found[near], kind="stable")[:k]]
            distances[row] = found[indices[row]]
            row += 1


def within(
    points: MetricPoints,
    queries: MetricPoints | None,
    radius: float,
    ledger: _core.Ledger,
    progress: Report,
    *,
    include_self: bool,
) -> tuple[Array, Array, Array]:
    """Return offsets, ids and distances of the points within a radius, nearest first."""
    searched: Any = points.searched
    function = points.metric.function
    if queries is None:
        blocks = iter([functions.matrix(function, searched, ledger, progress)])
    else:
        others: Any = queries.searched
        blocks = functions.blocks(function, searched, others, ledger, progress)
    ids: list[Array] = []
    distances: list[Array] = []
    for block in blocks:
        for found in block:
            own = len(ids) if queries is None else -1
            near = np.flatnonzero(found <= radius)
            near = near[np.lexsort((near != own, found[near]))]
            if own >= 0 and not include_self:
                near = near[near != own]
            ids.append(near.astype(np.int32))
            distances.append(found[near])
            ledger.charge(ids[-1].nbytes + distances[-1].nbytes)
    offsets = np.concatenate([[0], np.cumsum([len(near) for near in ids])])
    wanted: Any = [((int(offsets[-1]),), dtype) for dtype in (np.int32, np.float64)]
    joined = new_arrays(ledger, "the neighbours", "ask for a smaller radius", *wanted)
    for whole, parts in zip(joined, (ids, distances), strict=True):
        concatenate_to(whole, parts)
    return offsets, joined[0], joined[1]
