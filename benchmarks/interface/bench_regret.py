"""Calls by "auto" beside every way that can be named: each method on each device.

Each call is made from a SciPy matrix, and from a graph that keeps what earlier calls have made of
it. ``python -m benchmarks.interface.regret FILES`` tells how often "auto" takes how much longer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import warpgraph as wg
from benchmarks import inputs
from benchmarks.harness import Case, Input, main

SECTION = (
    "Choices",
    'Calls by "auto" beside the same calls by each method on each device that can be named.',
)


@dataclass(frozen=True)
class Call:
    """A function, and the methods that cores and GPUs have for it; None: it has one alone."""

    make: Callable[..., Any]
    on_cores: Sequence[str | None] = (None,)
    on_gpus: Sequence[str | None] = (None,)


def many(graph: Any, *, n_sources: int, n_targets: int | None, **how: Any) -> Any:
    """Make a table of distances between vertices that are spread evenly."""
    n = graph.shape[0]
    targets = None if n_targets is None else np.linspace(0, n - 1, n_targets).astype(int)
    return wg.many_to_many(graph, np.linspace(0, n - 1, n_sources).astype(int), targets, **how)


TABLES: Sequence[str] = ("dijkstra", "batched")
CALLS = {
    "sssp": Call(
        lambda g, **how: wg.sssp(g, 0, **how),
        ("dijkstra", "delta_stepping"),
        ("near_far", "bellman_ford"),
    ),
    "bfs": Call(lambda g, **how: wg.bfs(g, 0, **how)),
    "components": Call(lambda g, **how: wg.connected_components(g, **how)[1]),
    "forest": Call(
        lambda g, **how: inputs.whole(wg.minimum_spanning_forest(g, **how)).edge_ids,
        ("filter",),
        ("filter", "boruvka"),
    ),
    "pagerank": Call(wg.pagerank),
    "256 x 1,000": Call(partial(many, n_sources=256, n_targets=1000), TABLES, TABLES),
    "16 x all": Call(partial(many, n_sources=16, n_targets=None), TABLES, TABLES),
    "path": Call(
        lambda g, **how: wg.shortest_path(g, 0, g.shape[0] - 1, **how)[1],
        ("bidirectional", "dijkstra"),
        ("dijkstra",),
    ),
}


def chain(n: int) -> Any:
    """Return a path of n vertices, whose depth is its size."""
    ends = np.arange(n - 1), np.arange(1, n)
    weights = np.arange(n - 1) % 997 + 1.0
    return inputs.matrix_of(wg.Graph.from_edges(*ends, weights, n_vertices=n, directed=False))


def star(n: int) -> Any:
    """Return a vertex with an edge to each other one."""
    ends = np.zeros(n - 1, int), np.arange(1, n)
    weights = np.arange(n - 1) % 997 + 1.0
    return inputs.matrix_of(wg.Graph.from_edges(*ends, weights, n_vertices=n, directed=False))


def random(n: int, degree: int) -> Any:
    """Return a graph of random edges."""
    ends = np.random.default_rng(1).integers(0, n, (2, n * degree // 2))
    weights = ends.sum(0) % 997 + 1.0
    return inputs.matrix_of(wg.Graph.from_edges(*ends, weights, n_vertices=n, directed=False))


def skewed(scale: int) -> Any:
    """Return an R-MAT graph with weights."""
    return inputs.matrix_of(wg.generators.rmat(scale, seed=1, weights=(1, 255), dtype=np.float64))


def cliques(scale: int) -> Any:
    """Return cliques of consecutive vertices with weights."""
    return inputs.ssca2(scale, weights=(1, 255))


GRAPHS: dict[str, tuple[str, Callable[[], Any]]] = {
    "chain of 1,000": ("smoke", partial(chain, 1000)),
    "chain of 100,000": ("standard", partial(chain, 100_000)),
    "star of 100,000": ("standard", partial(star, 100_000)),
    "random, 20,000 x 50": ("standard", partial(random, 20_000, 50)),
    "random, 200,000 x 8": ("standard", partial(random, 200_000, 8)),
    "R-MAT 16": ("standard", partial(skewed, 16)),
    "cliques, ssca2 17": ("standard", partial(cliques, 17)),
    "roads, 300 x 300": ("standard", partial(inputs.road_like, 300)),
    "ny-road": ("standard", inputs.new_york),
    "R-MAT 20": ("large", partial(skewed, 20)),
    "roads, 2048 x 2048": ("large", partial(inputs.road_like, 2048)),
}


def case(call: str, graph: str, *, is_kept: bool) -> Case:
    suite, build = GRAPHS[graph]
    function, kind = CALLS[call], "Graph" if is_kept else "matrix"

    def run(x: Input, **how: Any) -> Any:
        return function.make(x.graph, **{key: value for key, value in how.items() if value})

    def by_default(x: Input) -> Any:
        return run(x, device="cpu" if x.device == "cpu" else "auto")

    def on_gpu(x: Input, method: str | None) -> Any:
        return run(x, device=x.device, method=method)

    cores = {
        f"{m or 'the method'} on cores": partial(run, device="cpu", method=m)
        for m in function.on_cores
    }
    gpus = {f"{m or 'the method'} on the GPU": partial(on_gpu, method=m) for m in function.on_gpus}
    rivals = cores | gpus if len(wg.devices()) > 1 else cores
    name = f"{call}, {graph}, {kind}"
    return Case(
        name, build, by_default, rivals, suite, resident=is_kept, with_copy=False, agree=same
    )


def same(ours: Any, other: Any) -> bool:
    return bool(np.array_equal(ours, other))


CASES = [
    case(call, graph, is_kept=kept) for graph in GRAPHS for call in CALLS for kept in (False, True)
]

if __name__ == "__main__":
    main(__file__, CASES)
