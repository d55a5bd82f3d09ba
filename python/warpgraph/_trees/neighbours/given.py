"""Neighbours by distances that the caller has: a matrix, full or condensed, or a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._graph.graph import Graph

Array = npt.NDArray[Any]


def nearest_of_matrix(
    matrix: Array, k: int, with_self: bool, progress: validate.ProgressLike
) -> tuple[Array, Array]:
    """Return the neighbours of each point of a matrix and their distances, nearest first.

    Those at equal distances are ordered by number. The diagonal is not read: a point that counts as
    its own neighbour is the first one, at 0.
    """
    n, others = len(matrix), k - with_self
    report = validate.progress(progress, "nearest neighbours")
    farthest = _core.dense_core_distances(matrix, others + 1, report)
    if not np.isfinite(farthest).all():
        few = int(np.isinf(farthest).argmax())
        refuse_few(few, int(np.isfinite(np.delete(matrix[few], few)).sum()), k, with_self)
    neighbours = np.empty((n, k), np.int32)
    found = np.zeros((n, k))
    if with_self:
        neighbours[:, 0] = np.arange(n)
    for i, row in enumerate(matrix):
        near = np.flatnonzero(row <= farthest[i])
        near = near[near != i]
        near = near[np.argsort(row[near], kind="stable")[:others]]
        neighbours[i, with_self:], found[i, with_self:] = near, row[near]
    return neighbours, found


def nearest_of_graph(graph: Graph, k: int, with_self: bool) -> tuple[Array, Array]:
    """Return the neighbours of each vertex and their distances, nearest first.

    Entries are edges in both directions, of which the lightest between two vertices counts.
    """
    both = graph._undirected()
    n, others = both.n_vertices, k - with_self
    rows = np.repeat(np.arange(n), np.diff(both.indptr))
    is_other = (both.indices != rows) & np.isfinite(both.data)
    rows, heads, data = rows[is_other], both.indices[is_other], both.data[is_other]
    order = np.lexsort((data, heads, rows))
    rows, heads, data = rows[order], heads[order], data[order]
    first = np.ones(len(rows), bool)
    first[1:] = (rows[1:] != rows[:-1]) | (heads[1:] != heads[:-1])
    rows, heads, data = rows[first], heads[first], data[first]
    counts = np.bincount(rows, minlength=n)
    if (counts < others).any():
        few = int((counts < others).argmax())
        refuse_few(graph._named_vertices(np.array([few], np.int32))[0], counts[few], k, with_self)
    order = np.lexsort((heads, data, rows))
    begin = np.cumsum(counts) - counts
    nearest = order[begin[:, None] + np.arange(others)]
    neighbours = np.empty((n, k), np.int32)
    found = np.zeros((n, k))
    if with_self:
        neighbours[:, 0] = np.arange(n)
    neighbours[:, with_self:], found[:, with_self:] = heads[nearest], data[nearest]
    return neighbours, found


def refuse_few(point: Any, count: int, k: int, with_self: bool) -> None:
    """Refuse a point with too few neighbours."""
    among = "beside the point itself" if with_self else "without the point itself"
    raise ValueError(
        f"point {point} has {count} neighbours at finite distances, but k={k} needs "
        f"{k - with_self} {among}: lower k, or store the distances to so many neighbours of each "
        "point"
    )
