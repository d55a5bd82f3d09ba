"""The parameters of HDBSCAN that select clusters: checked, and as the core takes them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from warpgraph._arguments import validate

METHODS = ("eom", "leaf")
CENTRES = ("centroid", "medoid", "both")
_MOST = 2**31 - 1


class Selection(NamedTuple):
    """Options that decide which clusters a dendrogram has, and which of them are selected."""

    min_cluster_size: int
    persistence: float
    options: dict[str, Any]  # of the core's functions


#: The parameters of `HDBSCAN` that `recluster` and `sweep` take, too.
PARAMETERS = (
    "cluster_selection_method",
    "cluster_selection_epsilon",
    "cluster_selection_epsilon_max",
    "cluster_selection_persistence",
    "max_cluster_size",
    "allow_single_cluster",
)


def selection(min_cluster_size: Any, own: dict[str, Any], given: dict[str, Any]) -> Selection:
    """Return the selection that parameters ask for.

    own: one for each of `PARAMETERS`; given: those that replace some of them.
    """
    for name in given:
        if name not in own:
            known = ", ".join(PARAMETERS)
            raise TypeError(f"{name!r} is no option of the selection of clusters: {known}")
    values = {**own, **given}
    most = values["max_cluster_size"]
    epsilon = at_least_0(values["cluster_selection_epsilon"], "cluster_selection_epsilon")
    epsilon_max = at_least_0(
        values["cluster_selection_epsilon_max"], "cluster_selection_epsilon_max", finite=False
    )
    if epsilon_max < epsilon:
        raise ValueError(
            f"cluster_selection_epsilon_max={epsilon_max:g} is less than "
            f"cluster_selection_epsilon={epsilon:g}"
        )
    return Selection(
        cluster_size(min_cluster_size),
        at_least_0(values["cluster_selection_persistence"], "cluster_selection_persistence"),
        {
            "method": validate.choice(
                values["cluster_selection_method"], METHODS, "cluster_selection_method"
            ),
            "allow_single_cluster": validate.flag(
                values["allow_single_cluster"], "allow_single_cluster"
            ),
            "max_cluster_size": 0
            if most is None
            else min(validate.positive(most, "max_cluster_size"), _MOST),
            "epsilon": epsilon,
            "epsilon_max": epsilon_max,
        },
    )


def cluster_size(value: Any, name: str = "min_cluster_size") -> int:
    """Return a least number of points of a cluster."""
    size = validate.at_least(2, value, name, ": a single point never splits")
    return min(size, _MOST)  # no set of points is larger


def cluster_sizes(values: Any) -> list[int]:
    """Return the sizes of a sweep."""
    sizes = validate.items(values, "min_cluster_sizes", "least numbers of points")
    return [cluster_size(size, f"min_cluster_sizes[{i}]") for i, size in enumerate(sizes)]


def at_least_0(value: Any, name: str, *, finite: bool = True) -> float:
    """Return a number >= 0."""
    number = validate.as_float(value, name)
    if not number >= 0 or (finite and np.isinf(number)):
        kind = "a finite number" if finite else "a number"
        raise ValueError(f"{name} must be {kind} of at least 0, got {number}")
    return number
