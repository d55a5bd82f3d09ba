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

_TREE = (
    "explain(wg.cluster.mst_of_points, X, metric=..., min_samples=...) has the time and the memory "
    "of its tree"
)
#: Functions and classes that no plans are made for, and what tells about their time.
_UNPLANNED = {
    ("warpgraph._paths.k_shortest_paths", "k_shortest_paths"): (
        "wg.k_shortest_paths, which searches from the vertices of each path that it has found; "
        "explain(wg.shortest_path, graph, source, target) has the time of one search"
    ),
    ("warpgraph._paths.hierarchy", "Hierarchy"): (
        "wg.Hierarchy; explain(wg.many_to_many, graph, sources, method='hierarchy') has the time "
        "and the memory with those of preparing it"
    ),
    ("warpgraph._paths.hierarchy", "Hierarchy.customize"): (
        "wg.Hierarchy.customize, which takes about as long for any weights: measure a call"
    ),
    ("warpgraph._paths.shortest_path_dag", "shortest_path_dag"): (
        "wg.shortest_path_dag; explain(wg.sssp, graph, source) has the time of its search"
    ),
    ("warpgraph._search.traversal", "breadth_first_order"): (
        "wg.breadth_first_order; explain(wg.bfs, graph, source) plans the same search for hops"
    ),
    ("warpgraph._search.traversal", "depth_first_order"): (
        "wg.depth_first_order, which runs on one core in time n + m"
    ),
    ("warpgraph._trees.mst", "local_forest"): (
        "wg.local_forest; explain(wg.minimum_spanning_forest, graph) plans that of a whole graph"
    ),
    ("warpgraph._graph.turns", "with_turns"): (
        "Graph.with_turns; explain(wg.sssp, graph.with_turns(...), source) plans a search"
    ),
    ("warpgraph._trees.single_linkage", "single_linkage"): f"wg.cluster.single_linkage; {_TREE}",
    ("warpgraph.cluster._density.validity", "validity_index"): (
        "wg.cluster.validity_index, which compares all pairs of points of each cluster"
    ),
    ("warpgraph.cluster._dbscan_star", "DBSCANStar"): f"DBSCANStar; {_TREE}",
    (
        "warpgraph.cluster._robust_single_linkage",
        "RobustSingleLinkage",
    ): f"RobustSingleLinkage; {_TREE}",
    ("warpgraph.cluster._graphs.communities", "Leiden"): "Leiden; pass wg.leiden_communities",
    ("warpgraph.cluster._graphs.communities", "Louvain"): "Louvain; pass wg.louvain_communities",
    ("warpgraph.cluster._graphs.transformer", "KNeighborsTransformer"): (
        "KNeighborsTransformer; pass wg.cluster.kneighbors_graph"
    ),
}

#: Functions of SciPy and NetworkX, and the functions above that do the same.
_EQUIVALENTS = {
    "all_pairs_dijkstra_path_length": "apsp",
    "all_pairs_shortest_path_length": "apsp",
    "bellman_ford": "many_to_many",
    "betweenness_centrality": "betweenness_centrality",
    "breadth_first_order": "bfs",
    "connected_components": "connected_components",
    "core_number": "core_numbers",
    "dijkstra": "many_to_many",
    "dijkstra_path": "shortest_path",
    "dijkstra_path_length": "shortest_path",
    "edge_betweenness_centrality": "edge_betweenness_centrality",
    "floyd_warshall": "apsp",
    "floyd_warshall_numpy": "apsp",
    "johnson": "many_to_many",
    "minimum_spanning_edges": "minimum_spanning_forest",
    "minimum_spanning_tree": "minimum_spanning_forest",
    "multi_source_dijkstra_path_length": "many_to_many",
    "number_connected_components": "connected_components",
    "pagerank": "pagerank",
    "single_source_bellman_ford_path_length": "sssp",
    "single_source_dijkstra": "sssp",
    "single_source_dijkstra_path_length": "sssp",
    "single_source_shortest_path_length": "bfs",
    "strongly_connected_components": "connected_components",
    "weakly_connected_components": "connected_components",
}
#: Other equivalents of functions in single packages, which come first.
_EQUIVALENTS_IN = {
    "warpgraph.csgraph": {"shortest_path": "apsp"},
    "networkx": {"shortest_path": "shortest_path", "johnson": "apsp"},
}


def _shown(seconds: float) -> str:
    """Return a time with two digits."""
    if seconds >= 1:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    ms = 1e3 * seconds
    return f"{ms:.0f} ms" if ms >= 10 else f"{ms:.2g} ms" if ms >= 0.01 else "under 0.01 ms"


@dataclass(frozen=True)
class Plan:
    """A plan of a call, as `explain` returns it.

    Attributes
    ----------
    function : str
        The name of the function.
    method : str
        The method, as ``method=`` names it where the function has that argument.
    devices : list of str
        The devices that compute.
    bytes : int
        Memory that the call takes beside its input, at most, on each of the devices: results, work
        space, and forms of the graph that it makes. On CPU cores this is what the core asks for
        before it runs; for parts of a call that ask for none, it is an upper bound. It suffices as
        the call's `memory_limit`, unless a reason says that the result's size is not known before.
        With a `memory_limit`, it is at most that, of which results are a part or not, as the
        function says. 0 if it is not known.
    seconds : float
        The expected time, by rates that were measured on other machines. In the committed
        benchmarks it is right within a factor of about three; where the number of steps depends on
        the data, as in `cluster.KMeans` and for strong components, it may be ten times too
        large or too small.
    reasons : tuple of str
        Why these were chosen: sentences that the log has, too.

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
        lines = [
            f"{self.function}, {self.method}, on {', '.join(self.devices)}",
            f"  expected time  {_shown(self.seconds)}",
            f"  memory         {self._memory()}",
        ]
        return "\n".join(lines + [f"  because        {reason}" for reason in self.reasons])

    def _memory(self) -> str:
        if not self.bytes:
            return "not known before the call"
        places = list(dict.fromkeys(self.devices))
        where = f"each of {', '.join(places)}" if len(places) > 1 else places[0]
        return f"at most {_size(self.bytes)} on {where}, beside the input"


def _size(n_bytes: int) -> str:
    """Return a number of bytes with three digits and a unit that suits it."""
    value, units = float(n_bytes), ["B", "kB", "MB", "GB"]
    while value >= 999.5 and len(units) > 1:
        value /= 1000
        del units[0]
    return f"{value:.0f} {units[0]}" if value >= 99.5 else f"{value:.3g} {units[0]}"


def explain(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Plan:
    """Return how a call would be computed, without computing it.

    Facts that decide are looked up, as in the call: so a `Graph` may be checked for negative
    weights, or searched from some vertices, and need not be again. Nothing else changes: it makes
    and keeps no form of the graph, and later calls are planned as without it.

    Parameters
    ----------
    function : callable
        A function with a parameter `device`, such as `sssp`, `pagerank`, `minimum_spanning_forest`,
        `cluster.mst_of_points` or `transform.rank_weights`; or a `cluster.KMeans`, a
        `cluster.MSTClustering` or, for points, a `cluster.HDBSCAN`, or the method ``fit`` of these.
        For those few that no plans are made for, the error says what to pass instead.
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
        Distances are given in place of points, by a function or a matrix. Of these, only the forest
        of a graph has a plan.
    MemoryError
        The call would raise it, as far as that is known before: on CPU cores, it needs more memory
        than there is, or than its `memory_limit` allows. A form of the graph that must be made
        counts with all edges that it may have, so that a call may just fit. A plan for GPUs is
        returned in any case; its ``bytes`` are an upper bound.
    Exception
        What the call raises for its arguments, in the same words, as for a negative weight. Errors
        of the search itself, as for a cycle of negative weight, are not known before.

    Examples
    --------
    >>> import warpgraph as wg
    >>> plan = wg.explain(wg.bfs, wg.generators.grid(20, 30), 0, device="cpu")
    >>> plan.method, plan.devices
    ('by levels', ['cpu'])
    """
    name = _name_of(function)
    fit: Any = getattr(function, "fit", None)
    if name is None and _name_of(fit) is not None:
        if isinstance(function, type):
            raise TypeError(
                f"function is the class {function.__name__}; pass an estimator, as in "
                f"explain({function.__name__}(...), X)"
            )
        name, function = _name_of(fit), fit
    if name is None:
        raise TypeError(_advice(function))
    if inspect.ismethod(function):
        # On a copy of the estimator, since `fit` may change attributes, and draw random numbers,
        # before the plan is made.
        estimator = copy.copy(function.__self__)
        if hasattr(estimator, "random_state"):
            estimator.random_state = copy.deepcopy(estimator.random_state)
        function = MethodType(function.__func__, estimator)
    with plan.only() as planning:
        function(*args, **kwargs)
    if not planning.fits:
        # A weight of the graph does not fit the dtype, yet the call has not refused it: it searches
        # the undirected form, which lacks the heavier of two opposite edges.
        with plan.only(checks_weights=False) as planning:
            function(*args, **kwargs)
    if (made := planning.plan) is None:
        raise ValueError(f"{name} has nothing to compute")
    return Plan(name, made.method, made.devices, made.bytes, made.seconds, tuple(planning.reasons))


def _name_of(function: Any) -> str | None:
    """Return the public name of a function that plans are made for, or None."""
    return plan.PUBLIC_NAMES.get(_key_of(function))


def _key_of(function: Any) -> tuple[str, str]:
    """Return the module of a function, and its name there."""
    return getattr(function, "__module__", None) or "", getattr(function, "__qualname__", "")


def _advice(function: Any) -> str:
    """Return what to pass instead of something that plans are not made for."""
    module, name = getattr(function, "__module__", None) or "", getattr(function, "__name__", "")
    for package, others in _EQUIVALENTS_IN.items():
        if module != package and not module.startswith(f"{package}."):
            continue
        given = f"{package.removeprefix('warpgraph.')}.{name}"
        if (same := others.get(name) or _EQUIVALENTS.get(name)) is not None:
            return f"no plans are made for {given}; pass wg.{same} instead"
        return f"no plans are made for {given}; pass a function of warpgraph, such as wg.sssp"
    if (instead := _unplanned(function)) is not None:
        return f"no plans are made for {instead}"
    if not callable(function):
        return (
            "function must be a function, followed by the arguments of its call, as in "
            f"explain(wg.sssp, graph, 0), got {validate.shown(function)}"
        )
    return (
        "function must be one of warpgraph with a parameter device, such as wg.sssp or "
        f"wg.cluster.mst_of_points, got {validate.shown(function)}"
    )


def _unplanned(function: Any) -> str | None:
    """Return what tells about the time of a function, a method, a class or an object; or None."""
    owner = getattr(function, "__self__", function)
    keys = _key_of(function), _key_of(owner), _key_of(type(owner))
    return next((_UNPLANNED[key] for key in keys if key in _UNPLANNED), None)
