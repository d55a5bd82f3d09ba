"""Plans of searches for the neighbours of points, and for trees under a metric."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.device import ON_CPU, Wanted, one_wanted, require_cpu
from warpgraph._arguments.points import DevicePoints
from warpgraph._graph import plan
from warpgraph._trees.neighbours.metrics import ON_CORES_ALONE, MetricPoints

Array = npt.NDArray[Any]


def is_in_boxes(
    algorithm: str,
    points: MetricPoints,
    ledger: _core.Ledger = validate.NO_LIMIT,
    **facts: float,
) -> bool:
    """Return whether cores search a tree of boxes, and not all pairs of points."""
    return by_metric(algorithm, points, ON_CPU, ledger, **facts).method == "boxes"


def by_metric(
    algorithm: str,
    points: MetricPoints,
    wanted: Wanted,
    ledger: _core.Ledger = validate.NO_LIMIT,
    **facts: float,
) -> _core.Plan:
    """Return the plan of a search under a metric that is not Euclidean."""
    searched = points.searched
    n, width = searched.shape
    known = {
        "n_vertices": n,
        "n_dimensions": width,
        "metric": points.metric.name,
        **facts,
    }
    dtype = searched.dtype if searched.dtype in validate.REALS else np.dtype(np.float64)
    limit = plan.only_planned(ledger)
    return plan.make(algorithm, None, None, dtype, wanted, known=known, ledger=limit)


def wanted_by_metric(points: MetricPoints, device: Any, what: str) -> Wanted:
    """Return what ``device=`` says to a search that a GPU does by some metrics only."""
    name = points.metric.name
    if name not in ON_CORES_ALONE:
        return one_wanted(device)
    require_cpu(device, f"{what} by metric {name!r}")
    return ON_CPU


def of_neighbours(
    points: Array | DevicePoints,
    wanted: Wanted,
    ledger: _core.Ledger = validate.NO_LIMIT,
    **facts: float,
) -> _core.Plan:
    """Return the plan of a search for neighbours under Euclidean distance."""
    n, d = points.shape
    known = {"n_vertices": n, "n_dimensions": d, **facts}
    dtype = points.dtype
    return plan.make("nearest_neighbors", None, None, dtype, wanted, known=known, ledger=ledger)
