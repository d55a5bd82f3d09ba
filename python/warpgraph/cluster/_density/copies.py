"""Rows that count several times: weight w means w copies of the row.

A fit is that of the copies. Results of rows are those of their first copies; copies have the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import foreign
from warpgraph._arguments.new_array import new_arrays
from warpgraph._arguments.points import MAX_POINTS, on_host, points_anywhere
from warpgraph._graph import plan
from warpgraph._trees.dense_mst import distance_matrix
from warpgraph._trees.precomputed import is_dense, is_graph
from warpgraph.cluster._density import reachability
from warpgraph.cluster._kmeans_starts import weights_of

Array = npt.NDArray[Any]


#: Rows that are copied between two checks for Ctrl-C.
_ROWS_AT_ONCE = 1 << 12


class Copies(NamedTuple):
    """Copies of n rows, row by row."""

    n: int
    rows: Array  # those of which there is a copy
    first: Array  # of these: the first copy

    def by_row(self, values: Array, none: float) -> Array:
        """Return the values of rows, along the last axis; `none` for rows without a copy."""
        found = np.full((*values.shape[:-1], self.n), none, values.dtype)
        found[..., self.rows] = values[..., self.first]
        return found


def of_input(
    X: Any, sample_weight: Any, metric: str, ledger: _core.Ledger, most: int = MAX_POINTS
) -> tuple[Any, Copies | None]:
    """Return input with as many copies of each row as its weight says, at most `most`.

    Without weights, the input as it is.
    """
    if sample_weight is None:
        return X, None
    is_matrix = metric == "precomputed" and is_dense(X)
    if is_graph(X) or (metric == "precomputed" and not is_matrix):
        raise ValueError("sample_weight needs points or a full matrix, but X is a graph")
    given = distance_matrix(X, ledger) if is_matrix else _points_of(X)
    counts = _counts(sample_weight, len(given), most)
    total = int(counts.sum())
    wanted = (total, total if is_matrix else given.shape[1]), given.dtype
    (found,) = new_arrays(ledger, "copying rows", "pass smaller weights", wanted)
    plan.count(found.nbytes)
    present = np.flatnonzero(counts)
    copies = Copies(len(given), present, (np.cumsum(counts) - counts)[present])
    columns = np.repeat(np.arange(len(given)), counts) if is_matrix else None
    first, step = 0, 1 if is_matrix else _ROWS_AT_ONCE
    for row in range(0, len(given), step):
        here = slice(row, row + step)
        last = first + int(counts[here].sum())
        rows = given[here] if columns is None else given[here, columns]
        found[first:last] = np.repeat(rows, counts[here], axis=0)
        if is_matrix:
            found[first:last, first:last] = 0
        first = last
    return found, copies


def _points_of(X: Any) -> Array:
    if foreign.is_on_device(X):
        return on_host(points_anywhere(X))
    return reachability.finite_rows(X)[0]


def _counts(sample_weight: Any, n: int, most: int) -> npt.NDArray[np.int64]:
    weights = weights_of(sample_weight, n)
    assert weights is not None
    fractions = weights % 1 != 0
    if fractions.any():
        row = int(np.argmax(fractions))
        raise ValueError(
            "sample_weight must be whole numbers, since a weight is a number of copies, got "
            f"{weights[row]} for row {row}"
        )
    counts = np.minimum(weights, most)
    if counts.sum() > MAX_POINTS:
        raise ValueError(
            f"sample_weight adds up to {weights.sum():.15g} copies; at most {MAX_POINTS} are "
            "supported"
        )
    return counts.astype(np.int64)
