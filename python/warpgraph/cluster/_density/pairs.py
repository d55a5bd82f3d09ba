"""The pairs of points that the validity of clusters is of: by a metric, or of given distances.

Both classes have the same three methods. `members` are rows of one cluster, and `cores` the
density-based core distances of these.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._trees.neighbours.metrics import MetricPoints

Array = npt.NDArray[Any]
Tree = tuple[Array, Array]


class PairsOfPoints:
    """Pairs of points; no distance is kept."""

    def __init__(self, points: MetricPoints, ledger: _core.Ledger) -> None:
        self._points = points
        self._searched: Any = points.searched  # on the host
        self._ledger = ledger

    def cores(self, members: Array, exponent: float) -> Array:
        """Return the means of distance^-exponent to the others, to the power of -1 / exponent."""
        found = np.zeros(len(members))
        how: Any = (*self._points.of_core, exponent, found, self._ledger, None)
        _core.density_cores_by_metric(self._rows(members), *how)
        return found

    def tree(self, members: Array, cores: Array) -> Tree:
        """Return the tree of mutual-reachability distances; equal ones by the distances."""
        by: Any = (*self._points.of_core, cores, self._ledger, None)
        return _core.mst_by_metric(self._rows(members), *by, by_distance=True)

    def separations(self, inner: Array, cores: Array, labels: Array) -> Array:
        """Return the least mutual-reachability distances to points with other labels."""
        found = np.empty(len(inner))
        of_inner: Any = (cores, labels, found, self._ledger, None)
        _core.separations_by_metric(self._rows(inner), *self._points.of_core, *of_inner)
        return found

    def _rows(self, members: Array) -> Any:
        part = replace(self._points, searched=np.take(self._searched, members, axis=0))
        return part.searched


class PairsOfMatrix(NamedTuple):
    """Pairs of rows of a matrix of distances, which are in memory for one cluster at a time."""

    matrix: Array
    rows: Array  # those of clusters, by which members are numbered
    ledger: _core.Ledger

    def cores(self, members: Array, exponent: float) -> Array:
        """Return the means of distance^-exponent to the others, to the power of -1 / exponent."""
        found = np.zeros(len(members))
        for i, row in enumerate(self._among(members)):
            others = np.delete(row, i)
            others = others[(others > 0) & (others < np.inf)]  # the others add nothing
            if others.size:
                least = float(others.min())
                powers = (least / others) ** exponent  # of ratios, so that none overflows
                found[i] = least * (powers.sum() / (len(row) - 1)) ** (-1 / exponent)
        return found

    def tree(self, members: Array, cores: Array) -> Tree:
        """Return the tree of mutual-reachability distances; equal ones by the distances."""
        n = len(members)
        distances = self._among(members)
        reach = np.maximum(distances, np.maximum.outer(cores, cores))
        upper = np.triu_indices(n, 1)
        order = np.lexsort((distances[upper], reach[upper]))
        sorted_reach, sorted_distances = reach[upper][order], distances[upper][order]
        differs = np.diff(sorted_reach, prepend=-1) != 0
        differs |= np.diff(sorted_distances, prepend=-1) != 0
        places = np.empty(len(order))
        places[order] = np.cumsum(differs)
        ranks = np.zeros((n, n))
        ranks[upper] = np.where(np.isfinite(reach[upper]), places, np.inf)
        ranks.T[upper] = ranks[upper]
        edges, _ = _core.dense_mst(ranks, 1, 1.0, self.ledger, None)
        return edges, reach[edges[:, 0], edges[:, 1]]

    def separations(self, inner: Array, cores: Array, labels: Array) -> Array:
        """Return the least mutual-reachability distances to points with other labels."""
        found = np.empty(len(inner))
        columns = self.rows[inner]
        for i, row in enumerate(columns):
            reach = np.maximum(self.matrix[row, columns], np.maximum(cores, cores[i]))
            found[i] = reach[labels != labels[i]].min(initial=np.inf)
        return found

    def _among(self, members: Array) -> Array:
        rows = self.rows[members]
        needed = 56 * len(rows) ** 2  # with their orders and ranks
        self.ledger.require("the pairs of a cluster", needed, "pass the points themselves")
        return np.asarray(self.matrix[np.ix_(rows, rows)], np.float64)
