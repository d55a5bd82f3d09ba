"""A warning where integers do not fit float64, the default type of distances."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import foreign, validate
from warpgraph._graph.graph import Graph

Array = npt.NDArray[Any]

#: float64 represents all smaller integers, so a smaller result was not rounded. A sum from here on
#: is never rounded to less.
_EXACT_BELOW = 2.0**53
#: Entries that are looked at together.
_AT_ONCE = 1 << 16


def warn_of_distances(graph: Graph, dtype: Any, unweighted: bool, *results: Any) -> None:
    """Warn if integer weights gave distances of float64 that may be rounded.

    `dtype` is what the caller asked for: only the default deserves a warning.
    """
    if dtype is not None or unweighted or graph.dtype.kind == "f":
        return
    if np.iinfo(graph.dtype).max * graph.n_vertices < _EXACT_BELOW:
        return
    # The summary of the weights reads all edges. Its second item says whether sums are exact. It is
    # worth its time only if there are more distances to look at than edges.
    are_many = sum(np.size(result) for result in results) > graph.n_edges
    if are_many and graph._weight_summary()[1]:
        return
    are_rounded = False
    on_device = any(map(foreign.is_on_device, results))
    if on_device or graph._first_negative() is not None:
        # The results cannot be read here, or may be sums of larger numbers that have other signs:
        # of weights, or of distances from which method "johnson" derives weights.
        are_rounded = graph._heaviest() >= _EXACT_BELOW
        results += (graph._known("potentials, float64"),)
    are_rounded = are_rounded or any(map(_may_be_rounded, results))
    if are_rounded:
        validate.warn(
            "integer weights add up to 2**53 or more, where distances of float64 are rounded; "
            "dtype='int64' asks for exact ones, dtype='float64' for these without a warning"
        )


def _may_be_rounded(values: Any) -> bool:
    """Return whether a finite value is 2**53 or more, or -2**53 or less."""
    if values is None or foreign.is_on_device(values):
        return False
    values = np.atleast_1d(values)
    rows = max(_AT_ONCE // max(values[0].size, 1), 1) if len(values) else 1
    for first in range(0, len(values), rows):
        some = np.abs(values[first : first + rows])
        if ((some >= _EXACT_BELOW) & (some < np.inf)).any():
            return True
    return False


def warn_of_weights(weights: Array, what: str) -> None:
    """Warn if weights are rounded to float64 when they become `what`."""
    if weights.dtype != np.int64 or not len(weights):
        return
    largest = max(weights.min().item(), weights.max().item(), key=abs)
    if abs(largest) > _EXACT_BELOW:
        validate.warn(
            f"{what} are float64, which rounds weights beyond 2**53 such as {largest}; the weights "
            "of minimum_spanning_forest are exact"
        )
