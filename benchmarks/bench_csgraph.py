"""wg.csgraph against scipy.sparse.csgraph, each function from 10 to a million vertices.

The calls are those of a user of SciPy: a SciPy matrix in, `device` left to the library. On small
graphs a run is many calls, the same number for both, so that it takes milliseconds.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from types import ModuleType
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph as theirs

import warpgraph.csgraph as ours
from harness import Case, Input, Once, main

#: Arcs per vertex of sparse graphs: as many as in road networks and meshes.
DEGREE = 5
#: A run makes as many calls as take about this many arcs, but at least one.
ARCS_OF_A_RUN = 1 << 14
#: From so many arcs and vertices on, SciPy takes seconds and is timed once.
TIMED_ONCE = 1 << 26

Call = Callable[[ModuleType, Any], Any]

#: From one vertex, or over the whole graph: time in proportion to the arcs.
LINEAR: dict[str, Call] = {
    "dijkstra from one vertex": lambda m, g: m.dijkstra(g, indices=0),
    "dijkstra from one vertex with predecessors": lambda m, g: m.dijkstra(
        g, indices=0, return_predecessors=True
    ),
    "dijkstra from one vertex, undirected": lambda m, g: m.dijkstra(g, False, indices=0),
    "dijkstra, unweighted": lambda m, g: m.dijkstra(g, indices=0, unweighted=True),
    "dijkstra from the nearest of ten": lambda m, g: m.dijkstra(
        g, indices=range(10), min_only=True
    ),
    "johnson from one vertex": lambda m, g: m.johnson(g, indices=0),
    "breadth_first_order": lambda m, g: m.breadth_first_order(g, 0),
    "breadth_first_order, undirected": lambda m, g: m.breadth_first_order(g, 0, False),
    "breadth_first_tree": lambda m, g: m.breadth_first_tree(g, 0),
    "depth_first_order": lambda m, g: m.depth_first_order(g, 0),
    "depth_first_tree": lambda m, g: m.depth_first_tree(g, 0),
    "connected_components": lambda m, g: m.connected_components(g),
    "connected_components, strong": lambda m, g: m.connected_components(g, connection="strong"),
    "minimum_spanning_tree": lambda m, g: m.minimum_spanning_tree(g),
}
#: For all pairs, or once per vertex of a path.
BEYOND: dict[str, Call] = {
    "dijkstra": lambda m, g: m.dijkstra(g),
    "dijkstra with predecessors": lambda m, g: m.dijkstra(g, return_predecessors=True),
    "shortest_path": lambda m, g: m.shortest_path(g),
    "johnson": lambda m, g: m.johnson(g),
    "floyd_warshall": lambda m, g: m.floyd_warshall(g),
    "floyd_warshall with predecessors": lambda m, g: m.floyd_warshall(g, True, True),
    "bellman_ford from one vertex": lambda m, g: m.bellman_ford(g, indices=0),
    "yen, 3 paths": lambda m, g: m.yen(g, 0, g.shape[0] - 1, 3),
}


@lru_cache(maxsize=2)
def sparse(n: int):
    """Return a random graph with float weights; not symmetric."""
    rng = np.random.default_rng(0)
    return sp.csr_array(sp.random(n, n, DEGREE / n, "csr", random_state=rng))


@lru_cache(maxsize=2)
def dense(n: int):
    """Return a matrix in which every other edge is missing."""
    rng = np.random.default_rng(0)
    return rng.random((n, n)) * (rng.random((n, n)) < 0.5)


def calls_of_a_run(matrix, is_linear: bool) -> int:
    work = matrix.shape[0] + np.count_nonzero(matrix.data if sp.issparse(matrix) else matrix)
    return max(1, ARCS_OF_A_RUN // (work if is_linear else work * matrix.shape[0]))


def repeat(call: Call, module: ModuleType, is_linear: bool, x: Input):
    for _ in range(calls_of_a_run(x.matrix, is_linear)):
        result = call(module, x.matrix)
    return result


def agree(mine, its) -> bool:
    """Compare distances and labels; of several valid trees SciPy promises any."""
    if isinstance(its, tuple):
        return agree(mine[0], its[0])
    if sp.issparse(its):
        return mine.shape == its.shape and (mine != its).nnz == 0
    return np.allclose(mine, its, rtol=1e-12, atol=0)


def case(name: str, call: Call, build, n: int, suite: str, is_linear: bool) -> Case:
    kind = "sparse" if build is sparse else "dense"
    rival = partial(repeat, call, theirs, is_linear)
    work = n * (DEGREE if build is sparse else n) * (1 if is_linear else n)
    return Case(
        f"csgraph.{name}, {kind}, {n} vertices",
        partial(build, n),
        partial(repeat, call, ours, is_linear),
        {"scipy": Once(rival) if work >= TIMED_ONCE else rival},
        suite,
        resident=False,
        agree=agree,
        devices=["cpu"],
    )


def cases(suite: str, build, linear_sizes, other_sizes) -> list[Case]:
    found = [case(f, c, build, n, suite, True) for n in linear_sizes for f, c in LINEAR.items()]
    return found + [
        case(f, c, build, n, suite, False) for n in other_sizes for f, c in BEYOND.items()
    ]


CASES = [
    *cases("smoke", sparse, [10], [10]),
    *cases("standard", sparse, [10, 100, 1000, 10**4, 10**5, 10**6], [10, 100, 1000]),
    *cases("standard", dense, [10, 100, 1000], [10, 100, 1000]),
]

if __name__ == "__main__":
    main(__file__, CASES)
