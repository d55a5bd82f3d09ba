"""Neighbours by distances that the caller has: a matrix, full or condensed, or a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments.new_array import new_array
from warpgraph._graph.graph import Graph

Array = npt.NDArray[Any]
Report = Callable[[int, int], Any] | None


def nearest_of_matrix(
    matrix: Array, k: int, with_self: bool, ledger: _core.Ledger, progress: Report
) -> tuple[Array, Array]:
    """Return the neighbours of each point of a matrix and their distances, nearest first.

    Those at equal distances are ordered by number. The diagonal is not read: a point that counts as
    its own neighbour is the first one, at 0.
    """
    rows = _new_rows(len(matrix), k)
    few, count = _core.nearest_of_matrix(matrix, *rows, k, with_self, ledger, progress)
    if few >= 0:
        _refuse_few(few, count, k, with_self)
    return rows


def nearest_of_graph(
    graph: Graph, k: int, with_self: bool, ledger: _core.Ledger, progress: Report
) -> tuple[Array, Array]:
    """Return the neighbours of each vertex and their distances, nearest first.

    Entries are edges in both directions, of which the lightest between two vertices counts.
    """
    rows = _new_rows(graph.n_vertices, k)
    handle = graph._undirected(ledger)._handle
    few, count = _core.nearest_of_graph(handle, graph.dtype, *rows, k, with_self, ledger, progress)
    if few >= 0:
        _refuse_few(graph._named_vertices(np.array([few], np.int32))[0], count, k, with_self)
    return rows


def _new_rows(n: int, k: int) -> tuple[Array, Array]:
    return new_array((n, k), np.int32), new_array((n, k), np.float64)


def _refuse_few(point: Any, count: int, k: int, with_self: bool) -> None:
    """Refuse a point with too few neighbours."""
    among = "beside the point itself" if with_self else "without the point itself"
    raise ValueError(
        f"point {point} has {count} neighbours at finite distances, but k={k} needs "
        f"{k - with_self} {among}: lower k, or store the distances to so many neighbours of each "
        "point"
    )
