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
    first, k = 0, indices.shape[1]
    searched: Any = points.searched
    others: Any = queries.searched
    for block in functions.blocks(points.metric.function, searched, others, ledger, progress):
        rows = slice(first, first + len(block))
        _core.nearest_of_rows(block, indices[rows], distances[rows], ledger, n_neighbors=k)
        first += len(block)


def within(
    points: MetricPoints,
    queries: MetricPoints | None,
    radius: float,
    ledger: _core.Ledger,
    progress: Report,
    *,
    include_self: bool,
    with_distances: bool,
) -> tuple[Array, Array, Array]:
    """Return offsets, ids and distances of the points within a radius, nearest first.

    There are no distances if they are not wanted.
    """
    searched: Any = points.searched
    function = points.metric.function
    options: Any = {"include_self": include_self, "with_distances": with_distances}
    options.update(radius=radius, are_own=queries is None)
    if queries is None:
        matrix = functions.matrix(function, searched, ledger, progress)
        return _core.within_of_rows(matrix, ledger, **options)
    others: Any = queries.searched
    parts: list[tuple[Array, Array, Array]] = []
    for block in functions.blocks(function, searched, others, ledger, progress):
        parts.append(_core.within_of_rows(block, ledger, **options))
        ledger.charge(sum(array.nbytes for array in parts[-1]))
    return parts[0] if len(parts) == 1 else _joined(parts, ledger)


def _joined(
    parts: list[tuple[Array, Array, Array]], ledger: _core.Ledger
) -> tuple[Array, Array, Array]:
    """Return the rows of all parts, one after another."""
    ends = np.cumsum([0] + [part[0][-1] for part in parts])
    offsets = np.concatenate(
        [ends[:1], *(part[0][1:] + end for part, end in zip(parts, ends[:-1], strict=True))]
    )
    lengths = [sum(len(part[i]) for part in parts) for i in (1, 2)]
    wanted: Any = [((n,), part.dtype) for n, part in zip(lengths, parts[0][1:], strict=True)]
    joined = new_arrays(ledger, "the neighbours", "ask for a smaller radius", *wanted)
    for whole, i in zip(joined, (1, 2), strict=True):
        concatenate_to(whole, [part[i] for part in parts])
    return offsets, joined[0], joined[1]
