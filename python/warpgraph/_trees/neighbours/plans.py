"""The choice of the core between boxes and all pairs of points under a metric."""

from __future__ import annotations

import numpy as np

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.device import Wanted
from warpgraph._graph import plan
from warpgraph._trees.neighbours.metrics import MetricPoints

#: Metrics whose distances boxes of points bound.
_BOUNDED = ("manhattan", "chebyshev", "minkowski")


def is_in_boxes(
    algorithm: str,
    points: MetricPoints,
    ledger: _core.Ledger = validate.NO_LIMIT,
    **facts: float,
) -> bool:
    """Return whether a tree of boxes is searched, and not all pairs of points."""
    metric, searched = points.metric, points.searched
    n, width = searched.shape
    known = {
        "n_vertices": n,
        "n_dimensions": width,
        "has_box_bounds": metric.name in _BOUNDED,
        "takes_powers": metric.name == "minkowski",
        **facts,
    }
    dtype = searched.dtype if searched.dtype in validate.REALS else np.dtype(np.float64)
    on_cores = Wanted("named", ["cpu"])
    limit = plan.only_planned(ledger)
    made = plan.make(algorithm, None, None, dtype, on_cores, known=known, ledger=limit)
    return made.method == "boxes"
