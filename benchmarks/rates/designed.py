"""The designed set of inputs and calls, by which the times of methods are measured.

An input is a graph, or points. A call has the ways by which it can be asked for: pairs of a device
and a method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import warpgraph as wg
from benchmarks import inputs

Ways = Sequence[tuple[str, str | None]]


def undirected(rows: Any, columns: Any, n: int) -> Any:
    """Return the matrix of edges with weights that are integers."""
    weights = (np.asarray(rows) * 31 + np.asarray(columns) * 17) % 997 + 1.0
    return inputs.matrix_of(
        wg.Graph.from_edges(rows, columns, weights, n_vertices=n, directed=False)
    )


def chain(n: int) -> Any:
    """Return a path of n vertices, whose depth is its size."""
    return undirected(np.arange(n - 1), np.arange(1, n), n)


def star(n: int) -> Any:
    """Return a vertex with an edge to each other one."""
    return undirected(np.zeros(n - 1, int), np.arange(1, n), n)


def random(n: int, degree: int, seed: int = 1) -> Any:
    """Return a graph of random edges."""
    ends = np.random.default_rng(seed).integers(0, n, (2, n * degree // 2))
    return undirected(*ends, n)


def skewed(scale: int, *, seed: int = 1, directed: bool = False) -> Any:
    """Return an R-MAT graph with weights."""
    make = wg.generators.rmat
    return inputs.matrix_of(
        make(scale, seed=seed, weights=(1, 255), dtype=np.float64, directed=directed)
    )


def cliques(scale: int) -> Any:
    """Return cliques of consecutive vertices with weights."""
    return inputs.ssca2(scale, weights=(1, 255))


def helsinki() -> Any:
    """Return Helsinki's streets, which the package has."""
    return inputs.matrix_of(wg.datasets.load("helsinki")).astype(np.float64)


def grid(side: int) -> Any:
    """Return a whole grid with weights."""
    return inputs.matrix_of(
        wg.generators.grid(side, side, weights=(1, 255), dtype=np.float64, seed=2)
    )


def near(n: int) -> Any:
    """Return the graph of the ten neighbours of each of some points."""
    points = np.random.default_rng(3).random((n, 3))
    return wg.cluster.kneighbors_graph(points, 10, mode="distance")


def small_world(n: int) -> Any:
    """Return a ring of three neighbours on each side, with a tenth of the edges to anywhere."""
    rng = np.random.default_rng(6)
    rows = np.repeat(np.arange(n), 3)
    heads = (rows + np.tile([1, 2, 3], n)) % n
    return undirected(rows, np.where(rng.random(3 * n) < 0.1, rng.integers(0, n, 3 * n), heads), n)


#: Inputs that coefficients are fitted to, and others, which judge them.
FITTED: dict[str, Callable[[], Any]] = {
    "random 100 x 6": partial(random, 100, 6),
    "roads 15": partial(inputs.road_like, 15),
    "chain 2,000": partial(chain, 2000),
    "chain 100,000": partial(chain, 100_000),
    "star 100,000": partial(star, 100_000),
    "random 2,000 x 10": partial(random, 2000, 10),
    "random 20,000 x 50": partial(random, 20_000, 50),
    "random 200,000 x 8": partial(random, 200_000, 8),
    "rmat 12": partial(skewed, 12),
    "rmat 16": partial(skewed, 16),
    "rmat 18": partial(skewed, 18),
    "rmat 20": partial(skewed, 20),
    "directed rmat 18": partial(skewed, 18, directed=True),
    "ssca2 17": partial(cliques, 17),
    "roads 100": partial(inputs.road_like, 100),
    "roads 500": partial(inputs.road_like, 500),
    "grid 1000": partial(grid, 1000),
    "roads 2048": partial(inputs.road_like, 2048),
    "ny-road": inputs.new_york,
    "chain 20,000": partial(chain, 20_000),
    "star 1,000,000": partial(star, 1_000_000),
    "random 60,000 x 20": partial(random, 60_000, 20, 5),
    "random 1,000,000 x 6": partial(random, 1_000_000, 6, 6),
    "rmat 14": partial(skewed, 14, seed=7),
    "rmat 17": partial(skewed, 17, seed=7),
    "directed rmat 19": partial(skewed, 19, seed=7, directed=True),
    "ssca2 15": partial(cliques, 15),
    "roads 250": partial(inputs.road_like, 250),
    "grid 400": partial(grid, 400),
    "helsinki": helsinki,
}
UNSEEN: dict[str, Callable[[], Any]] = {
    "chain 40,000": partial(chain, 40_000),
    "star 300,000": partial(star, 300_000),
    "random 30,000 x 30": partial(random, 30_000, 30, 8),
    "random 300,000 x 4": partial(random, 300_000, 4, 9),
    "rmat 15": partial(skewed, 15, seed=11),
    "rmat 19": partial(skewed, 19, seed=11),
    "directed rmat 16": partial(skewed, 16, seed=11, directed=True),
    "ssca2 16": partial(cliques, 16),
    "roads 350": partial(inputs.road_like, 350),
    "roads 1000": partial(inputs.road_like, 1000),
    "grid 700": partial(grid, 700),
    "near 50,000": partial(near, 50_000),
    "small world 100,000": partial(small_world, 100_000),
}


@dataclass(frozen=True)
class Call:
    """A function of an input and of how it is asked for, and the ways."""

    name: str
    make: Callable[..., Any]
    ways: Ways
    fits: Callable[[int, int], bool] = lambda n, m: True  # vertices and arcs, or points
    takes: Sequence[str] = ("device",)


_busiest: dict[tuple[int, int], Any] = {}


def busiest(graph: Any) -> Any:
    """Return the vertices by their degrees; of the last graph, they are kept."""
    key = graph.shape[0], graph.nnz if hasattr(graph, "nnz") else graph.n_edges
    if key not in _busiest:
        _busiest.clear()
        _busiest[key] = np.argsort(np.diff(graph.indptr), kind="stable")
    return _busiest[key]


def hub(graph: Any) -> int:
    """Return a vertex of the largest degree, so that a search reaches most of the graph."""
    return int(busiest(graph)[-1])


def many(graph: Any, *, n_sources: int, n_targets: int | None, **how: Any) -> Any:
    """Make a table of distances between vertices that are spread evenly."""
    order = busiest(graph)
    ends = np.sort(order[len(order) // 3 :])  # R-MAT graphs have many vertices without arcs
    targets = None if n_targets is None else spread_over(ends, n_targets)
    return wg.many_to_many(graph, spread_over(ends, n_sources), targets, **how)


def spread_over(vertices: Any, n: int) -> Any:
    """Return n of the vertices, spread evenly."""
    return vertices[np.linspace(0, len(vertices) - 1, n).astype(int)]


def pairs(graph: Any, *, n_pairs: int, **how: Any) -> Any:
    """Find the shortest paths of pairs that are drawn."""
    n = graph.shape[0]
    drawn = np.random.default_rng(4).integers(0, n, (2, n_pairs))
    return wg.shortest_paths(graph, *drawn, **how)


def both(*methods: str | None) -> Ways:
    return [(device, method) for device in ("cpu", "cuda") for method in methods or (None,)]


SEARCHES: Ways = [
    *both("dijkstra", "batched"),
    ("cpu", "hierarchy"),
    ("cuda", "hierarchy"),
]


def tables() -> Iterator[Call]:
    for n_sources, n_targets in ((16, None), (64, 200), (256, 1000), (1024, 1000)):
        size = n_sources * (2 if n_targets else 4)
        yield Call(
            f"table {n_sources} x {n_targets or 'all'}",
            partial(many, n_sources=n_sources, n_targets=n_targets),
            SEARCHES,
            lambda n, m, size=size: size * (n + m) <= 1e9 and n >= 1000,
        )
    yield Call(
        "hops 64 x all",
        lambda g, **how: many(g, n_sources=64, n_targets=None, unweighted=True, **how),
        both(),
        lambda n, m: n <= 200_000,
    )


CALLS: list[Call] = [
    Call(
        "sssp",
        lambda g, **how: wg.sssp(g, hub(g), **how),
        [
            *(("cpu", "dijkstra"), ("cpu", "delta_stepping"), ("cpu", "bellman_ford")),
            *(("cuda", "near_far"), ("cuda", "bellman_ford")),
        ],
    ),
    Call("bfs", lambda g, **how: wg.bfs(g, hub(g), **how), both()),
    Call("components", lambda g, **how: wg.connected_components(g, **how)[1], both()),
    Call(
        "strong components",
        lambda g, **how: wg.connected_components(g, directed=True, connection="strong", **how)[1],
        both(),
    ),
    Call(
        "forest",
        lambda g, **how: inputs.whole(wg.minimum_spanning_forest(g, **how)).edge_ids,
        [("cpu", "filter"), ("cuda", "filter"), ("cuda", "boruvka")],
    ),
    Call("pagerank", lambda g, **how: wg.pagerank(g, **how), both()),
    *tables(),
    Call(
        "apsp",
        lambda g, **how: wg.apsp(g, **how),
        both("floyd_warshall", "many_to_many"),
        lambda n, m: n <= 3000,
    ),
    Call(
        "betweenness, hops, 64",
        lambda g, **how: wg.betweenness_centrality(g, sources=64, unweighted=True, **how),
        both(),
        lambda n, m: n + m <= 5e6,
    ),
    Call(
        "betweenness, 16",
        lambda g, **how: wg.betweenness_centrality(g, sources=16, **how),
        both(),
        lambda n, m: n + m <= 5e6,
    ),
    Call(
        "path",
        lambda g, **how: wg.shortest_path(g, hub(g), busiest(g)[-2], **how)[1],
        [("cpu", "bidirectional"), ("cpu", "dijkstra"), ("cuda", "dijkstra")],
    ),
    Call(
        "100 pairs",
        partial(pairs, n_pairs=100),
        [("cpu", "bidirectional"), ("cpu", "hierarchy")],
        lambda n, m: m <= 2e6,
        takes=(),
    ),
    Call(
        "facilities",
        lambda g, **how: wg.nearest_facilities(
            g, np.linspace(0, g.shape[0] - 1, 200).astype(int), 5, **how
        ),
        both(),
        lambda n, m: n >= 1000,
    ),
]


def spread(n: int, d: int, n_clusters: int | None) -> Any:
    rng = np.random.default_rng(n + d)
    if n_clusters is None:
        return rng.random((n, d))
    return rng.normal(size=(n, d)) + 10 * rng.random((n_clusters, d))[np.arange(n) % n_clusters]


def clouds(sizes: Sequence[tuple[int, int, int | None]]) -> dict[str, Callable[[], Any]]:
    return {
        f"{n:,} x {d}{', clusters' if k else ''}": partial(spread, n, d, k) for n, d, k in sizes
    }


FITTED_POINTS = clouds(
    [
        *((100, 2, None), (300, 2, None), (100, 16, None), (300, 16, None)),
        *((1000, 2, None), (5000, 2, None), (50_000, 2, None), (500_000, 2, None)),
        *((2000, 5, None), (20_000, 5, None), (200_000, 5, None)),
        *((2000, 10, None), (10_000, 10, 20), (50_000, 10, None)),
        *((2000, 16, None), (20_000, 16, 20), (2000, 64, None), (10_000, 64, 20)),
        *((2000, 256, None), (5000, 768, 20)),
        *((3000, 2, 20), (100_000, 2, 20), (10_000, 3, None), (300_000, 3, None)),
        *((20_000, 8, 20), (5000, 10, None), (20_000, 12, None), (5000, 32, 20), (5000, 128, None)),
        (3000, 384, 20),
    ]
)
UNSEEN_POINTS = clouds(
    [
        *((4000, 3, None), (200_000, 2, 20), (30_000, 4, 20), (10_000, 6, None)),
        *((10_000, 20, None), (8000, 48, 20), (4000, 200, None)),
    ]
)

POINT_CALLS: list[Call] = [
    Call(
        f"kmeans {k}",
        lambda x, k=k, **how: wg.cluster.KMeans(k, random_state=1, n_init=1, **how).fit(x).labels_,
        both(),
    )
    for k in (8, 100)
] + [
    Call("emst", lambda x, **how: wg.cluster.euclidean_mst(x, **how), both()),
    Call("hdbscan", lambda x, **how: wg.cluster.HDBSCAN(15, **how).fit(x).labels_, both()),
    Call(
        "neighbours", lambda x, **how: wg.cluster.nearest_neighbors(x, 10, **how).distances, both()
    ),
    Call(
        "manhattan neighbours",
        lambda x, **how: wg.cluster.nearest_neighbors(x, 10, metric="manhattan", **how).distances,
        both(),
    ),
]
