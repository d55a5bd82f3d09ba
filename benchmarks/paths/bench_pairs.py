"""Shortest paths of many pairs of vertices in road networks, with and without their vertices."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.sparse import csgraph

import warpgraph as wg
from benchmarks import inputs
from benchmarks.harness import Case, Input, Once, Timed, main

SECTION = (
    "Shortest paths of many pairs",
    "`wg.shortest_paths` of a graph that keeps its hierarchy is compared with SciPy's Dijkstra "
    "from each source, and with its own searches from both ends; A* by coordinates, a call for "
    "each pair, with NetworkX's.",
)

#: Calls of a case that finds one path a call.
N_CALLS = 50
_kept: dict[Any, wg.Graph] = {}


@cache
def pairs(n_vertices: int, n_pairs: int) -> tuple[Any, Any]:
    """Return drawn sources and targets."""
    sources, targets = np.random.default_rng(1).integers(n_vertices, size=(2, n_pairs))
    return sources, targets


def in_depth_first_order(build: Callable[[], Any]) -> Any:
    """Return a graph whose vertices are numbered in the order of a depth-first search."""
    matrix = build()
    order = csgraph.depth_first_order(matrix, 0, return_predecessors=False)
    rest = np.setdiff1d(np.arange(matrix.shape[0]), order)
    order = np.concatenate([order, rest])
    return matrix[order][:, order]


def prepared(build: Callable[[], Any]) -> wg.Graph:
    """Return a graph that keeps its hierarchy."""
    if build not in _kept:
        _kept.clear()
        _kept[build] = wg.Graph(build())
        wg.Hierarchy(_kept[build])
    return _kept[build]


def ours(x: Input, build: Any, n_pairs: int, **how: Any) -> Any:
    ends = pairs(x.matrix.shape[0], n_pairs)
    found = wg.shortest_paths(prepared(build), *ends, **how)
    return found[0] if isinstance(found, tuple) else found


def scipys(x: Input, n_pairs: int) -> Any:
    """Search from each source with SciPy, on one core."""
    sources, targets = pairs(x.matrix.shape[0], n_pairs)
    rows = (csgraph.dijkstra(x.matrix, indices=int(source)) for source in sources)
    return np.array([row[target] for row, target in zip(rows, targets, strict=True)])


def towards(x: Input, method: str) -> Any:
    """Find a path for each of some pairs of a kept graph, one call each."""
    ends = zip(*pairs(x.matrix.n_vertices, N_CALLS), strict=True)
    found = [wg.shortest_path(x.matrix, *pair, method=method, device="cpu") for pair in ends]
    return np.array([length for length, _ in found])


def networkx_towards(x: Input) -> Timed:
    import networkx as nx

    graph, points = x.matrix.to_networkx(), x.matrix.coordinates
    ends = zip(*(end.tolist() for end in pairs(x.matrix.n_vertices, N_CALLS)), strict=True)
    start = time.perf_counter()
    found = [
        nx.astar_path_length(graph, s, t, lambda u, v: float(np.hypot(*(points[u] - points[v]))))
        for s, t in ends
    ]
    return Timed(time.perf_counter() - start, np.array(found))


def with_coordinates(name: str, suite: str) -> Case:
    rivals = {
        "bidirectional": partial(towards, method="bidirectional"),
        "networkx": Once(networkx_towards),
    }
    how = {"agree": np.array_equal, "devices": ("cpu",), "resident": False}
    title = f"paths by A*, {name}, {N_CALLS} pairs"
    build = partial(wg.datasets.load, name)
    return Case(title, build, partial(towards, method="astar"), rivals, suite, **how)


def with_landmarks(name: str, build: Callable[[], Any], suite: str, *others: str) -> Case:
    """Make the case of a graph that keeps what the call that warms up has prepared."""
    rivals = {method: partial(towards, method=method) for method in ("bidirectional", *others)}
    how = {"agree": np.array_equal, "devices": ("cpu",), "resident": False}
    title = f"paths by landmarks, {name}, {N_CALLS} pairs"
    ours = partial(towards, method="alt")
    return Case(title, lambda: wg.Graph(build()), ours, rivals, suite, **how)


def cases(name: str, build: Any, suite: str, few: int, many: int) -> list[Case]:
    """Make the cases of one graph: of a few pairs beside others, and of many."""
    options = {"suite": suite, "devices": ("cpu",), "agree": np.array_equal}
    how = {"build": build, "n_pairs": few}
    rivals = {
        "bidirectional": partial(ours, **how, method="bidirectional"),
        "scipy dijkstra": Once(partial(scipys, n_pairs=few)),
    }
    lengths = partial(ours, build=build, n_pairs=many, return_paths=False)
    whole = partial(ours, build=build, n_pairs=many)
    return [
        Case(f"pairs, {name}, {few:,} pairs", build, partial(ours, **how), rivals, **options),
        Case(f"pairs, {name}, {many:,} pairs, lengths", build, lengths, {}, **options),
        Case(f"pairs, {name}, {many:,} pairs", build, whole, {}, **options),
    ]


CASES = [
    with_coordinates("helsinki", "smoke"),
    with_coordinates("helsinki", "standard"),
    with_coordinates("model-roads", "standard"),
    with_landmarks("grid 40 x 40", partial(inputs.grid, 40, 40), "smoke", "hierarchy"),
    with_landmarks("ny-road", inputs.ny_road, "standard", "hierarchy"),
    with_landmarks("grid 1000 x 1000", partial(inputs.grid, 1000, 1000), "standard"),
    with_landmarks(
        "road-like 1000 x 1000", partial(inputs.road_like, 1000), "standard", "hierarchy"
    ),
    *cases("grid 40 x 40", partial(inputs.grid, 40, 40), "smoke", 20, 500),
    *cases("ny-road", inputs.ny_road, "standard", 50, 100_000),
    *cases("ny-road", inputs.ny_road, "large", 50, 1_000_000),
    *cases(
        "ny-road in depth-first order",
        partial(in_depth_first_order, inputs.ny_road),
        "large",
        50,
        1_000_000,
    ),
]

if __name__ == "__main__":
    main(__file__, CASES)
