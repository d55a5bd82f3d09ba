"""distributed.minimum_spanning_forest on threads of this process against one call, from memory.

What the division into blocks and the merges cost. forest_on_dask.py runs a cluster.
"""

from functools import partial

import numpy as np

import warpgraph as wg
from harness import Case, Input, main
from warpgraph import distributed


def blocks(n_vertices: int, n_edges: int):
    """Return six blocks of random edges, as workers would read them."""
    rng = np.random.default_rng(1)
    tails, heads = rng.integers(0, n_vertices, (2, n_edges))
    parts = (np.array_split(array, 6) for array in (tails, heads, rng.random(n_edges)))
    return n_vertices, list(zip(*parts, strict=True))


def on_engine(x: Input) -> wg.SpanningForest:
    n_vertices, parts = x.matrix
    engine = distributed.LocalEngine(x.threads)
    edges = distributed.graph(parts, engine, n_vertices=n_vertices)
    return distributed.minimum_spanning_forest(edges).gather()


def at_once(x: Input) -> wg.SpanningForest:
    n_vertices, parts = x.matrix
    tails, heads, weights = map(np.concatenate, zip(*parts, strict=True))
    graph = wg.Graph.from_edges(tails, heads, weights, n_vertices=n_vertices)
    return wg.minimum_spanning_forest(graph, device="cpu")


def agree(a: wg.SpanningForest, b: wg.SpanningForest) -> bool:
    return np.array_equal(a.edges, b.edges) and np.array_equal(a.weights, b.weights)


def size(built) -> dict[str, int]:
    return {"vertices": built[0], "edges": sum(len(part[0]) for part in built[1])}


CASES = [
    Case(
        f"forest of six blocks, {n_edges:,} edges",
        partial(blocks, n_edges // 16, n_edges),
        on_engine,
        {"one call": at_once},
        suite,
        resident=False,
        agree=agree,
        size=size,
        devices=("cpu",),
    )
    for suite, n_edges in (("smoke", 20_000), ("standard", 4_000_000))
]

if __name__ == "__main__":
    main(__file__, CASES)
