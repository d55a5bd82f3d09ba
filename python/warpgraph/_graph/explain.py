"""wg.explain: what a call would do."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import MethodType
from typing import Any

from warpgraph._arguments import validate
from warpgraph._graph import plan

#: The public names of the functions that plans are made for, by module and name there.
_PLANNED = {
    ("_paths.sssp", "sssp"): "sssp",
    ("_paths.shortest_path", "shortest_path"): "shortest_path",
    ("_paths.shortest_paths", "shortest_paths"): "shortest_paths",
    ("_paths.many_to_many", "many_to_many"): "many_to_many",
    ("_paths.apsp", "apsp"): "apsp",
    ("_paths.bfs", "bfs"): "bfs",
    ("_search.connected_components", "connected_components"): "connected_components",
    ("_rank.betweenness", "betweenness_centrality"): "betweenness_centrality",
    ("_rank.betweenness", "edge_betweenness_centrality"): "edge_betweenness_centrality",
    ("_rank.pagerank", "pagerank"): "pagerank",
    ("_reach.within", "within"): "within",
    ("_reach.accessibility", "accessibility"): "accessibility",
    ("_reach.nearest_facilities", "nearest_facilities"): "nearest_facilities",
    ("_trees.mst", "minimum_spanning_forest"): "minimum_spanning_forest",
    ("_trees.minimum_arborescence", "minimum_arborescence"): "minimum_arborescence",
    ("_trees.steiner_tree", "steiner_tree"): "steiner_tree",
    ("_trees.emst", "euclidean_mst"): "cluster.euclidean_mst",
    ("cluster._hdbscan", "HDBSCAN.fit"): "cluster.HDBSCAN.fit",
    ("cluster._kmeans", "KMeans.fit"): "cluster.KMeans.fit",
    ("transform", "rank_weights"): "transform.rank_weights",
    ("transform", "sort_by_weight"): "transform.sort_by_weight",
}


@dataclass(frozen=True)
class Plan:
    """A plan of a call, as `explain` returns it.

    Attributes
    ----------
    function : str
        The name of the function.
    method : str
        By which method, as ``method=`` names it where the function has that argument.
    devices : list of str
        On which devices.
    bytes : int
        Memory that it takes on each of them at most, with the graph and the result; 0 if that is
        not known.
    seconds : float
        The expected time, by rates that were measured on other machines: of use within a factor of
        about three.
    reasons : tuple of str
        Why, as the log has it.

    Examples
    --------
    >>> import warpgraph as wg
    >>> plan = wg.explain(wg.bfs, wg.generators.grid(20, 30), 0, device="cpu")
    >>> print(plan)  # doctest: +ELLIPSIS
    bfs, by levels, on cpu
      expected time  ...
    """

    function: str
    method: str
    devices: list[str]
    bytes: int
    seconds: float
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        size = f"{self.bytes / 1e9:.3g} GB" if self.bytes else "not known"
        lines = [
            f"{self.function}, {self.method}, on {', '.join(self.devices)}",
            f"  expected time  {self.seconds:.2g} s",
            f"  memory         {size}",
        ]
        return "\n".join(lines + [f"  because        {reason}" for reason in self.reasons])


def explain(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Plan:
    """Return how a call would be computed, without computing it.

    Facts that decide are looked up, as in the call: so a `Graph` may be checked for negative
    weights, or searched from some vertices, and keeps what was found.

    Parameters
    ----------
    function : callable
        `sssp`, `shortest_path`, `shortest_paths`, `many_to_many`, `apsp`, `bfs`,
        `connected_components`, `betweenness_centrality`, `edge_betweenness_centrality`,
        `pagerank`, `within`, `accessibility`, `nearest_facilities`,
        `minimum_spanning_forest`, `minimum_arborescence`, `steiner_tree`, `cluster.euclidean_mst`,
        the method ``fit`` of a `cluster.KMeans` or, for points, of a `cluster.HDBSCAN`,
        `transform.rank_weights` or `transform.sort_by_weight`.
    *args, **kwargs
        The arguments of the call.

    Returns
    -------
    Plan
        The method, the devices, the memory, the expected time and the reasons. ``print`` shows it.

    Raises
    ------
    TypeError
        No plans are made for `function`.
    ValueError
        There is nothing to compute, as without vertices.

    Examples
    --------
    >>> import warpgraph as wg
    >>> plan = wg.explain(wg.sssp, wg.generators.grid(20, 30), 0, device="cpu")
    >>> plan.method, plan.devices
    ('delta_stepping', ['cpu'])
    """
    module = getattr(function, "__module__", None) or ""
    key = module.removeprefix("warpgraph."), getattr(function, "__qualname__", "")
    name = _PLANNED.get(key)
    if name is None:
        raise TypeError(
            f"function must be one of {', '.join('wg.' + known for known in _PLANNED.values())}, "
            f"got {validate.shown(function)}"
        )
    if inspect.ismethod(function):  # which may change the estimator before the plan is made
        function = MethodType(function.__func__, copy.copy(function.__self__))
    with plan.only():
        try:
            function(*args, **kwargs)
        except plan.Planned as planned:
            made, reasons = planned.plan, planned.reasons
        else:
            raise ValueError(f"{name} has nothing to compute")
    return Plan(name, made.method, made.devices, made.bytes, made.seconds, tuple(reasons))
