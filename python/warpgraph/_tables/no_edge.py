"""The weight -1, which stands for "no edge" in tables of pgRouting.

Its columns ``cost`` and ``reverse_cost`` have a negative number for a way that is closed in one
direction. For a graph, it is a negative length, with which other answers are found, or none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warpgraph._arguments import validate

_NO_EDGE = "as pgRouting writes where there is no edge: leave such edges out"
_COSTS = ("cost", "reverse_cost")


def _are_no_edges(weights: Any) -> bool:
    """Return whether some weights are negative, and all of these are -1."""
    negative = weights[weights < 0]
    return bool(len(negative)) and bool((negative == -1).all())


def hint(graph: Any) -> str:
    """Return the end of a sentence about a negative weight, or "".

    `graph` is a graph or a matrix with weights in `data`, or an array of weights.
    """
    weights = graph if isinstance(graph, np.ndarray) else getattr(graph, "data", None)
    if not isinstance(weights, np.ndarray) or weights.dtype.kind not in "if":
        return ""
    return f"; all negative weights are -1, {_NO_EDGE}" if _are_no_edges(weights) else ""


def warn_of_costs(label: Any, weights: Any) -> None:
    """Warn if the weights of a column with a name of pgRouting's seem to stand for no edges."""
    is_cost = isinstance(label, str) and label.strip().lower() in _COSTS
    if is_cost and weights is not None and weights.dtype.kind in "if" and _are_no_edges(weights):
        validate.warn(
            f"{np.count_nonzero(weights < 0):,} of {len(weights):,} weights in the column "
            f"{validate.shown(label)} are -1, {_NO_EDGE}. Here they are negative lengths"
        )
